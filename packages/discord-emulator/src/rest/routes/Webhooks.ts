import type { Parts } from "../../context/Context.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { refuse } from "../../model/DiscordError.ts"
import { type Call, noContent, ok, param, type Route } from "../routing/Router.ts"

const hook = "/webhooks/:webhook"
const open = `${hook}/:token`
const one = `${open}/messages/:message`

/** Webhooks of channels, and the tokens of interactions, which speak through the same addresses. */
export const webhookRoutes = ({ interactions, messages, render, webhooks, world }: Parts): ReadonlyArray<Route> => {
  const bucket = () => ["webhook" as const]
  const found = (call: Call) => webhooks.find(param(call, "webhook"))
  const owned = (call: Call) => webhooks.byToken(param(call, "webhook"), param(call, "token"))
  const saying = (call: Call) => ({
    body: call.json,
    files: call.files,
    threadId: call.query.get("thread_id") ?? undefined,
    withComponents: call.query.get("with_components") === "true"
  })
  const shown = (message: StoredMessage) => ok(render.message(message, world.realm.botId))

  /** What speaks through an address: the application, or a webhook of a channel. */
  const speaker = (call: Call) => {
    const messageId = call.params["message"] ?? ""
    if (param(call, "webhook") === world.realm.applicationId) {
      const interaction = interactions.byToken(param(call, "token"))
      return {
        say: () => interactions.followUp(interaction, call.json, call.files),
        message: () => interactions.message(interaction, messageId),
        edit: () => interactions.edit(interaction, messageId, call.json, call.files),
        remove: () => interactions.remove(interaction, messageId),
        answers: true
      }
    }
    const webhook = owned(call)
    const said = saying(call)
    return {
      say: () => webhooks.execute(webhook, said),
      message: () => webhooks.message(webhook, messageId, said.threadId),
      edit: () => webhooks.edit(webhook, messageId, said),
      remove: () => webhooks.delete(webhook, messageId, said.threadId),
      answers: call.query.get("wait") === "true"
    }
  }

  return [
    {
      method: "POST",
      path: "/channels/:channel/webhooks",
      pictures: true,
      handle: (call) => {
        const channel = messages.channel(param(call, "channel"))
        return ok(render.webhook(webhooks.create(channel, call.by, call.json), true))
      }
    },
    {
      method: "GET",
      path: "/channels/:channel/webhooks",
      handle: (call) => {
        const channel = messages.channel(param(call, "channel"))
        return ok(webhooks.inChannel(channel, call.by).map((webhook) => render.webhook(webhook, true)))
      }
    },
    {
      method: "GET",
      path: hook,
      handle: (call) => {
        const webhook = found(call)
        if (webhook.creatorId !== call.by) webhooks.inChannel(messages.channel(webhook.channelId), call.by)
        return ok(render.webhook(webhook, true))
      }
    },
    {
      method: "PATCH",
      path: hook,
      pictures: true,
      handle: (call) => ok(render.webhook(webhooks.change(found(call), call.by, call.json), true))
    },
    {
      method: "DELETE",
      path: hook,
      handle: (call) => {
        webhooks.remove(found(call), call.by)
        return noContent
      }
    },
    { method: "GET", path: open, open: true, bucket, handle: (call) => ok(render.webhook(owned(call), false)) },
    {
      method: "PATCH",
      path: open,
      pictures: true,
      open: true,
      bucket,
      handle: (call) => ok(render.webhook(webhooks.change(owned(call), undefined, call.json), false))
    },
    {
      method: "DELETE",
      path: open,
      open: true,
      bucket,
      handle: (call) => {
        if (param(call, "webhook") === world.realm.applicationId) throw refuse.unknownWebhook()
        webhooks.remove(owned(call), undefined)
        return noContent
      }
    },
    {
      method: "POST",
      path: open,
      open: true,
      bucket,
      handle: (call) => {
        const { answers, say } = speaker(call)
        const message = say()
        return answers ? shown(message) : noContent
      }
    },
    { method: "GET", path: one, open: true, bucket, handle: (call) => shown(speaker(call).message()) },
    { method: "PATCH", path: one, open: true, bucket, handle: (call) => shown(speaker(call).edit()) },
    {
      method: "DELETE",
      path: one,
      open: true,
      bucket,
      handle: (call) => {
        speaker(call).remove()
        return noContent
      }
    }
  ]
}
