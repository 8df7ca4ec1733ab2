import type { Context } from "../../context/Context.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage, StoredWebhook } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { type Call, isSet, noContent, ok, param, type Reply, type Route, route } from "../routing/Router.ts"

const channelWebhooksPath = "/channels/:channel/webhooks"
const webhookPath = "/webhooks/:webhook"
const webhookTokenPath = `${webhookPath}/:token`

/** Webhooks of channels, managed by id or by token. */
export const webhookRoutes = ({ render, store, webhooks }: Context): ReadonlyArray<Route> => {
  const tokenRoute = { tokenInPath: true, bucket: () => ["webhook" as const] }
  const findRequestedWebhook = (call: Call): StoredWebhook => webhooks.find(param(call, "webhook"))
  const findRequestedByToken = (call: Call): StoredWebhook =>
    webhooks.findByToken(param(call, "webhook"), param(call, "token"))
  const reply = (webhook: StoredWebhook): Reply => ok(render.webhook(webhook, { withUser: true }))
  const replyWithoutUser = (webhook: StoredWebhook): Reply => ok(render.webhook(webhook, { withUser: false }))
  return [
    route(
      "POST",
      channelWebhooksPath,
      (call) => reply(webhooks.create(findChannel(store, param(call, "channel")), call.actorId, call.json)),
      { acceptsPicture: true }
    ),
    route("GET", channelWebhooksPath, (call) => {
      const channelWebhooks = webhooks.inChannel(findChannel(store, param(call, "channel")), call.actorId)
      return ok(channelWebhooks.map((webhook) => render.webhook(webhook, { withUser: true })))
    }),
    route("GET", webhookPath, (call) => {
      const webhook = findRequestedWebhook(call)
      if (webhook.creatorId !== call.actorId) webhooks.inChannel(findChannel(store, webhook.channelId), call.actorId)
      return reply(webhook)
    }),
    route("PATCH", webhookPath, (call) => reply(webhooks.modify(findRequestedWebhook(call), call.actorId, call.json)), {
      acceptsPicture: true
    }),
    route("DELETE", webhookPath, (call) => {
      webhooks.delete(findRequestedWebhook(call), call.actorId)
      return noContent
    }),
    route("GET", webhookTokenPath, (call) => replyWithoutUser(findRequestedByToken(call)), tokenRoute),
    route(
      "PATCH",
      webhookTokenPath,
      (call) => replyWithoutUser(webhooks.modify(findRequestedByToken(call), undefined, call.json)),
      {
        acceptsPicture: true,
        ...tokenRoute
      }
    ),
    route(
      "DELETE",
      webhookTokenPath,
      (call) => {
        if (param(call, "webhook") === store.guild.applicationId) throw apiErrors.unknownWebhook()
        webhooks.delete(findRequestedByToken(call), undefined)
        return noContent
      },
      tokenRoute
    )
  ]
}

/** Messages sent with a webhook token, or with an interaction token below the application's id. */
export const webhookMessageRoutes = (context: Context): ReadonlyArray<Route> => {
  const options = { tokenInPath: true, bucket: () => ["webhook" as const] }
  const messagePath = `${webhookTokenPath}/messages/:message`
  const reply = (message: StoredMessage): Reply => ok(context.render.message(message, context.store.guild.botId))
  return [
    route(
      "POST",
      webhookTokenPath,
      (call) => {
        const target = targetOf(context, call)
        const sent = target.send()
        return target.returnsMessage ? reply(sent) : noContent
      },
      options
    ),
    route("GET", messagePath, (call) => reply(targetOf(context, call).get()), options),
    route("PATCH", messagePath, (call) => reply(targetOf(context, call).edit()), options),
    route(
      "DELETE",
      messagePath,
      (call) => {
        targetOf(context, call).delete()
        return noContent
      },
      options
    )
  ]
}

/** The messages that a token gives access to: those of an interaction or of a webhook. */
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
  if (param(call, "webhook") === store.guild.applicationId) {
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
  const request = { body, files, threadId, withComponents: isSet(call, "with_components") }
  return {
    send: () => webhooks.execute(webhook, request),
    get: () => webhooks.message(webhook, messageId, threadId),
    edit: () => webhooks.editMessage(webhook, messageId, request),
    delete: () => webhooks.deleteMessage(webhook, messageId, threadId),
    returnsMessage: isSet(call, "wait")
  }
}
