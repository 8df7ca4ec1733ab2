import type { Parts } from "../../Parts.ts"
import { Flag } from "../../state/Codes.ts"
import type { StoredInteraction } from "../../state/Model.ts"
import { refuse } from "../DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../Router.ts"

const hook = "/webhooks/:application/:token"
const one = `${hook}/messages/:message`

/** First answers to interactions and everything said through their tokens afterwards. */
export const interactionRoutes = ({ interactions, render, world }: Parts): ReadonlyArray<Route> => {
  const bot = (): string => world.realm.botId
  const answered = (call: Call): StoredInteraction => {
    if (param(call, "application") !== world.realm.applicationId) throw refuse.unknownWebhook()
    return interactions.byToken(param(call, "token"))
  }
  const bucket = () => ["webhook" as const]
  return [
    {
      method: "POST",
      path: "/interactions/:interaction/:token/callback",
      open: true,
      handle: (call) => {
        const { interaction, message } = interactions.callback(
          param(call, "interaction"),
          param(call, "token"),
          call.json,
          call.files
        )
        if (call.query.get("with_response") !== "true") return noContent
        const state = world.interactions.get(interaction.id) ?? interaction
        return ok({
          interaction: {
            id: interaction.id,
            type: interaction.type,
            ...(message === undefined
              ? {}
              : {
                  response_message_id: message.id,
                  response_message_loading: (message.flags & Flag.loading) !== 0,
                  response_message_ephemeral: (message.flags & Flag.ephemeral) !== 0
                })
          },
          ...(message === undefined
            ? {}
            : { resource: { type: state.answered, message: render.message(message, bot()) } })
        })
      }
    },
    {
      method: "POST",
      path: hook,
      open: true,
      bucket,
      handle: (call) => ok(render.message(interactions.followUp(answered(call), call.json, call.files), bot()))
    },
    {
      method: "GET",
      path: one,
      open: true,
      bucket,
      handle: (call) => ok(render.message(interactions.message(answered(call), param(call, "message")), bot()))
    },
    {
      method: "PATCH",
      path: one,
      open: true,
      bucket,
      handle: (call) =>
        ok(render.message(interactions.edit(answered(call), param(call, "message"), call.json, call.files), bot()))
    },
    {
      method: "DELETE",
      path: one,
      open: true,
      bucket,
      handle: (call) => {
        interactions.remove(answered(call), param(call, "message"))
        return noContent
      }
    }
  ]
}
