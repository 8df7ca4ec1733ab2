import type { Context } from "../../context/Context.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage, StoredWebhook } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { type Call, noContent, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

const inChannel = "/channels/:channel/webhooks"
const byId = "/webhooks/:webhook"
const byToken = `${byId}/:token`

/** Webhooks of channels, managed by id or by token. */
export const webhookRoutes = ({ render, store, webhooks }: Context): ReadonlyArray<Route> => {
  const tokenRoute = { tokenInPath: true, bucket: () => ["webhook" as const] }
  const find = (call: Call): StoredWebhook => webhooks.find(param(call, "webhook"))
  const findByToken = (call: Call): StoredWebhook => webhooks.findByToken(param(call, "webhook"), param(call, "token"))
  const reply = (webhook: StoredWebhook): Reply => ok(render.webhook(webhook, true))
  const replyWithoutUser = (webhook: StoredWebhook): Reply => ok(render.webhook(webhook, false))
  return [
    route(
      "POST",
      inChannel,
      (call) => reply(webhooks.create(findChannel(store, param(call, "channel")), call.by, call.json)),
      { pictures: true }
    ),
    route("GET", inChannel, (call) => {
      const found = webhooks.inChannel(findChannel(store, param(call, "channel")), call.by)
      return ok(found.map((webhook) => render.webhook(webhook, true)))
    }),
    route("GET", byId, (call) => {
      const webhook = find(call)
      if (webhook.creatorId !== call.by) webhooks.inChannel(findChannel(store, webhook.channelId), call.by)
      return reply(webhook)
    }),
    route("PATCH", byId, (call) => reply(webhooks.modify(find(call), call.by, call.json)), { pictures: true }),
    route("DELETE", byId, (call) => {
      webhooks.delete(find(call), call.by)
      return noContent
    }),
    route("GET", byToken, (call) => replyWithoutUser(findByToken(call)), tokenRoute),
    route("PATCH", byToken, (call) => replyWithoutUser(webhooks.modify(findByToken(call), undefined, call.json)), {
      pictures: true,
      ...tokenRoute
    }),
    route(
      "DELETE",
      byToken,
      (call) => {
        if (param(call, "webhook") === store.realm.applicationId) throw apiErrors.unknownWebhook()
        webhooks.delete(findByToken(call), undefined)
        return noContent
      },
      tokenRoute
    )
  ]
}

/** Messages sent with a webhook token, or with an interaction token below the application's id. */
export const webhookMessageRoutes = (context: Context): ReadonlyArray<Route> => {
  const options = { tokenInPath: true, bucket: () => ["webhook" as const] }
  const message = `${byToken}/messages/:message`
  const reply = (found: StoredMessage): Reply => ok(context.render.message(found, context.store.realm.botId))
  return [
    route(
      "POST",
      byToken,
      (call) => {
        const target = targetOf(context, call)
        const sent = target.send()
        return target.returnsMessage ? reply(sent) : noContent
      },
      options
    ),
    route("GET", message, (call) => reply(targetOf(context, call).get()), options),
    route("PATCH", message, (call) => reply(targetOf(context, call).edit()), options),
    route(
      "DELETE",
      message,
      (call) => {
        targetOf(context, call).delete()
        return noContent
      },
      options
    )
  ]
}

/** What the token of a request belongs to: an interaction, or a webhook of a channel. */
interface MessageTarget {
  readonly send: () => StoredMessage
  readonly get: () => StoredMessage
  readonly edit: () => StoredMessage
  readonly delete: () => void
  /** Whether a send returns the message. */
  readonly returnsMessage: boolean
}

const targetOf = ({ interactions, store, webhooks }: Context, call: Call): MessageTarget => {
  const messageId = call.params["message"] ?? ""
  const { files, json: body, query } = call
  if (param(call, "webhook") === store.realm.applicationId) {
    const interaction = interactions.findByToken(param(call, "token"))
    return {
      send: () => interactions.followUp(interaction, body, files),
      get: () => interactions.message(interaction, messageId),
      edit: () => interactions.edit(interaction, messageId, body, files),
      delete: () => interactions.delete(interaction, messageId),
      returnsMessage: true
    }
  }
  const webhook = webhooks.findByToken(param(call, "webhook"), param(call, "token"))
  const threadId = query.get("thread_id") ?? undefined
  const request = { body, files, threadId, withComponents: query.get("with_components") === "true" }
  return {
    send: () => webhooks.execute(webhook, request),
    get: () => webhooks.message(webhook, messageId, threadId),
    edit: () => webhooks.editMessage(webhook, messageId, request),
    delete: () => webhooks.deleteMessage(webhook, messageId, threadId),
    returnsMessage: query.get("wait") === "true"
  }
}
