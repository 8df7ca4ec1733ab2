import { ChannelKind, Component } from "../../model/Constants.ts"
import { apiErrors, DiscordError } from "../../model/DiscordError.ts"
import type { StoredChannel, StoredMessage, StoredWebhook } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import type { Store } from "../../state/Store.ts"
import { Form, isJsonObject, type JsonObject } from "../../validate/Form.ts"
import type { Threads } from "../channels/Threads.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import type { Messages } from "../messages/Messages.ts"
import { checkWebhookName } from "./WebhookName.ts"

/** A request that a webhook sends or edits a message. */
export interface WebhookRequest {
  readonly body: unknown
  readonly files: ReadonlyArray<UploadedFile>
  readonly threadId: string | undefined
  readonly withComponents: boolean
}

/** What webhook messages depend on. */
export interface WebhookContext {
  readonly store: Store
  readonly messages: Messages
  readonly threads: Threads
}

/** Sends a message to the webhook's channel or to a thread in it; in a forum it creates the post. */
export const executeWebhook = (
  context: WebhookContext,
  webhook: StoredWebhook,
  request: WebhookRequest
): StoredMessage => {
  const { messages, store } = context
  const fields = isJsonObject(request.body) ? request.body : {}
  const form = new Form()
  const username = form.text(fields, "username", [], { min: 1, max: 80 })
  checkWebhookName(form, username, "username")
  form.throwIfInvalid()
  const avatarUrl = typeof fields["avatar_url"] === "string" ? { avatarUrl: fields["avatar_url"] } : {}
  const channel = destinationOf(context, webhook, fields, request.threadId)
  const createdPost = channel.id !== (request.threadId ?? webhook.channelId)
  try {
    return messages.create(
      {
        channelId: channel.id,
        authorId: webhook.id,
        webhook: { name: username ?? webhook.name, ...avatarUrl },
        ...(createdPost ? { id: channel.id } : {})
      },
      allowedBody(store, webhook, request),
      request.files
    )
  } catch (cause) {
    if (createdPost) store.commit({ kind: "channel_gone", id: channel.id })
    throw cause
  }
}

/** A message that the webhook sent; throws 10008 for others. */
export const findWebhookMessage = (
  store: Store,
  webhook: StoredWebhook,
  messageId: string,
  threadId: string | undefined
): StoredMessage => {
  const message = store.messages.get(channelOf(store, webhook, threadId).id, messageId)
  if (message === undefined || message.authorId !== webhook.id) throw apiErrors.unknownMessage()
  return message
}

/** Edits a message that the webhook sent. */
export const editWebhookMessage = (
  { messages, store }: WebhookContext,
  webhook: StoredWebhook,
  messageId: string,
  request: WebhookRequest
): StoredMessage => {
  const message = findWebhookMessage(store, webhook, messageId, request.threadId)
  return messages.edit(message, webhook.id, allowedBody(store, webhook, request), request.files)
}

const channelOf = (store: Store, webhook: StoredWebhook, threadId: string | undefined): StoredChannel => {
  const channel = findChannel(store, threadId ?? webhook.channelId)
  if (threadId !== undefined && channel.parentId !== webhook.channelId) throw apiErrors.unknownChannel()
  return channel
}

const destinationOf = (
  { store, threads }: WebhookContext,
  webhook: StoredWebhook,
  fields: JsonObject,
  threadId: string | undefined
): StoredChannel => {
  const channel = channelOf(store, webhook, threadId)
  const hasName = fields["thread_name"] !== undefined && fields["thread_name"] !== null
  if (channel.type === ChannelKind.forum) {
    if (!hasName)
      throw new DiscordError(400, 220_001, "Webhooks posted to forum channels must have a thread_name or thread_id")
    const body = { name: fields["thread_name"], applied_tags: fields["applied_tags"] }
    return threads.createPostWithoutMessage(channel, webhook.id, body)
  }
  if (hasName && threadId !== undefined && store.channels.get(webhook.channelId)?.type === ChannelKind.forum)
    throw new DiscordError(
      400,
      220_002,
      "Webhooks posted to forum channels cannot have both a thread_name and thread_id"
    )
  if (hasName) throw new DiscordError(400, 220_003, "Webhooks can only create threads in forum channels")
  return channel
}

/** Only webhooks of an application may send interactive components. */
const allowedBody = (store: Store, webhook: StoredWebhook, { body, withComponents }: WebhookRequest): unknown => {
  if (!isJsonObject(body) || webhook.creatorId === store.guild.botId) return body
  if (!withComponents) return { ...body, components: undefined }
  if (JSON.stringify(body["components"] ?? []).match(interactive) === null) return body
  const error = {
    code: "WEBHOOK_NON_APPLICATION_INTERACTIVE_COMPONENTS",
    message: "Webhooks that no application owns cannot send interactive components"
  }
  throw new DiscordError(400, 50_035, "Invalid Form Body", { components: { _errors: [error] } })
}

/** Buttons with a custom id, and selects. */
const interactive = new RegExp(`"custom_id":|"type":(${Component.stringSelect}|${Component.userSelect})[,}]`)
