import type { Context } from "../../context/Context.ts"
import { Flag } from "../../model/Constants.ts"
import { isSet, noContent, ok, param, type Route } from "../routing/Router.ts"

/** The first responses to interactions. Follow-ups are webhook routes. */
export const interactionRoutes = ({ interactions, render, store }: Context): ReadonlyArray<Route> => [
  {
    method: "POST",
    path: "/interactions/:interaction/:token/callback",
    tokenInPath: true,
    handle: (call) => {
      const { interaction, message } = interactions.callback(
        param(call, "interaction"),
        param(call, "token"),
        call.json,
        call.files
      )
      if (!isSet(call, "with_response")) return noContent
      const state = store.interactions.get(interaction.id) ?? interaction
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
          : { resource: { type: state.answered, message: render.message(message, store.guild.botId) } })
      })
    }
  }
]
