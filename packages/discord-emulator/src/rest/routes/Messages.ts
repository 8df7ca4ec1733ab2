import type { Parts } from "../../Parts.ts"
import { DiscordError, refuse } from "../DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../Router.ts"
import { Form, isFields } from "../validate/Form.ts"
import { isSnowflake, timeOf } from "../../state/Snowflake.ts"

/** Messages older than this have a limit of their own for edits. */
const oldMs = 3_600_000

const isOld = (messageId: string): boolean => isSnowflake(messageId) && Date.now() - timeOf(messageId) > oldMs

const path = "/channels/:channel/messages"
const one = `${path}/:message`

/** Messages, their reactions and pins. */
export const messageRoutes = ({ messages, render, world }: Parts): ReadonlyArray<Route> => {
  const bot = (): string => world.realm.botId
  const found = (call: Call) => messages.find(param(call, "channel"), param(call, "message"), bot())
  const react = (userOf: (call: Call) => string, add: boolean) => (call: Call) => {
    messages.react(found(call), userOf(call), param(call, "emoji"), add)
    return noContent
  }
  const pin = (pinned: boolean) => (call: Call) => {
    world.commit({ kind: "message", value: { ...found(call), pinned } })
    return noContent
  }
  const pinnedIn = (channelId: string) =>
    world
      .messagesIn(messages.channel(channelId).id)
      .filter((message) => message.pinned)
      .toReversed()

  return [
    {
      method: "GET",
      path,
      handle: (call) => {
        const form = new Form()
        const query = Object.fromEntries(call.query)
        const limit = form.integer(query, "limit", [], { min: 1, max: 100 }) ?? 50
        form.check()
        const { after, around, before } = query
        const channelId = messages.channel(param(call, "channel")).id
        const window = {
          limit,
          ...(after === undefined ? {} : { after }),
          ...(around === undefined ? {} : { around }),
          ...(before === undefined ? {} : { before })
        }
        const list = world.history(channelId, window, (message) => message.visibleTo === undefined)
        return ok(list.toReversed().map((message) => render.message(message, bot())))
      }
    },
    {
      method: "POST",
      path,
      bucket: () => ["messages"],
      handle: (call) =>
        ok(
          render.message(
            messages.create({ channelId: param(call, "channel"), authorId: bot() }, call.json, call.files),
            bot()
          )
        )
    },
    {
      method: "POST",
      path: `${path}/bulk-delete`,
      handle: (call) => {
        const ids = isFields(call.json) && Array.isArray(call.json["messages"]) ? call.json["messages"].map(String) : []
        if (ids.length < 2 || ids.length > 100)
          throw new DiscordError(
            400,
            50016,
            "Provided too few or too many messages to delete. Must provide at least 2 and at most 100 messages to delete"
          )
        for (const id of ids) {
          const message = world.message(param(call, "channel"), id)
          if (message !== undefined) messages.delete(message, bot())
        }
        return noContent
      }
    },
    {
      method: "GET",
      path: `${path}/pins`,
      handle: (call) => {
        const items = pinnedIn(param(call, "channel")).map((message) => ({
          pinned_at: message.timestamp,
          message: render.message(message, bot())
        }))
        return ok({ items, has_more: false })
      }
    },
    { method: "PUT", path: `${path}/pins/:message`, handle: pin(true) },
    { method: "DELETE", path: `${path}/pins/:message`, handle: pin(false) },
    { method: "GET", path: one, handle: (call) => ok(render.message(found(call), bot())) },
    {
      method: "PATCH",
      path: one,
      bucket: (call) => (isOld(param(call, "message")) ? ["messages", "oldEdit"] : ["messages"]),
      handle: (call) => ok(render.message(messages.edit(found(call), bot(), call.json, call.files), bot()))
    },
    {
      method: "DELETE",
      path: one,
      bucket: () => ["delete"],
      handle: (call) => {
        messages.delete(found(call), bot())
        return noContent
      }
    },
    { method: "PUT", path: `${one}/reactions/:emoji/@me`, bucket: () => ["reactions"], handle: react(bot, true) },
    { method: "DELETE", path: `${one}/reactions/:emoji/@me`, bucket: () => ["reactions"], handle: react(bot, false) },
    {
      method: "DELETE",
      path: `${one}/reactions/:emoji/:user`,
      bucket: () => ["reactions"],
      handle: react((call) => param(call, "user"), false)
    },
    {
      method: "GET",
      path: `${one}/reactions/:emoji`,
      handle: (call) => {
        const reaction = found(call).reactions.find(
          ({ emoji }) => (emoji.id === null ? emoji.name : `${emoji.name}:${emoji.id}`) === param(call, "emoji")
        )
        if (reaction === undefined) throw refuse.unknownEmoji()
        return ok(reaction.userIds.map(render.user))
      }
    },
    {
      method: "DELETE",
      path: `${one}/reactions`,
      bucket: () => ["reactions"],
      handle: (call) => {
        world.commit({ kind: "message", value: { ...found(call), reactions: [] } })
        return noContent
      }
    }
  ]
}
