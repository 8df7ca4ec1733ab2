import { randomBytes } from "node:crypto"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel, StoredMessage, StoredWebhook } from "../../model/Records.ts"
import { findChannel } from "../../state/Lookups.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { Form, isJsonObject } from "../../validate/Form.ts"
import {
  editWebhookMessage,
  executeWebhook,
  findWebhookMessage,
  type WebhookContext,
  type WebhookRequest
} from "./WebhookMessages.ts"
import { readWebhookName } from "./WebhookName.ts"

/** What bots and people do with webhooks. Every method throws `DiscordError` when Discord would refuse. */
export interface Webhooks {
  readonly find: (id: string) => StoredWebhook
  /** The webhook of this id and token; throws 50027 for another token. */
  readonly findByToken: (id: string, token: string) => StoredWebhook
  readonly inChannel: (channel: StoredChannel, userId: string) => ReadonlyArray<StoredWebhook>
  readonly create: (channel: StoredChannel, userId: string, body: unknown) => StoredWebhook
  /** Without `userId` the token in the path authorizes the request. */
  readonly modify: (webhook: StoredWebhook, userId: string | undefined, body: unknown) => StoredWebhook
  /** Without `userId` the token in the path authorizes the request. */
  readonly delete: (webhook: StoredWebhook, userId: string | undefined) => void
  /** Sends a message to the webhook's channel or to a thread in it. */
  readonly execute: (webhook: StoredWebhook, request: WebhookRequest) => StoredMessage
  readonly message: (webhook: StoredWebhook, messageId: string, threadId: string | undefined) => StoredMessage
  readonly editMessage: (webhook: StoredWebhook, messageId: string, request: WebhookRequest) => StoredMessage
  readonly deleteMessage: (webhook: StoredWebhook, messageId: string, threadId: string | undefined) => void
}

const maxWebhooksInChannel = 15

export const makeWebhooks = (context: WebhookContext): Webhooks => {
  const { store } = context
  return {
    find: (id) => findWebhook(store, id),
    findByToken: (id, token) => {
      const webhook = findWebhook(store, id)
      if (webhook.token !== token) throw apiErrors.invalidWebhookToken()
      return webhook
    },
    inChannel: (channel, userId) => {
      requirePermissions(store, userId, Permission.manageWebhooks, channel)
      return webhooksIn(store, channel)
    },
    create: (channel, userId, body) => createWebhook(store, channel, userId, body),
    modify: (webhook, userId, body) => modifyWebhook(store, webhook, userId, body),
    delete: (webhook, userId) => {
      requireManager(store, webhook, userId)
      store.commit({ kind: "webhook_gone", id: webhook.id })
    },
    execute: (webhook, request) => executeWebhook(context, webhook, request),
    message: (webhook, messageId, threadId) => findWebhookMessage(store, webhook, messageId, threadId),
    editMessage: (webhook, messageId, request) => editWebhookMessage(context, webhook, messageId, request),
    deleteMessage: (webhook, messageId, threadId) => {
      const { channelId, id } = findWebhookMessage(store, webhook, messageId, threadId)
      store.commit({ kind: "message_gone", channelId, id })
    }
  }
}

const findWebhook = (store: Store, id: string): StoredWebhook => {
  const webhook = store.webhooks.get(id)
  if (webhook === undefined) throw apiErrors.unknownWebhook()
  return webhook
}

const webhooksIn = (store: Store, channel: StoredChannel): ReadonlyArray<StoredWebhook> =>
  [...store.webhooks.values()].filter(({ channelId }) => channelId === channel.id)

const requireManager = (store: Store, webhook: StoredWebhook, userId: string | undefined): void => {
  const channel = store.channels.get(webhook.channelId)
  if (userId !== undefined && channel !== undefined)
    requirePermissions(store, userId, Permission.manageWebhooks, channel)
}

const createWebhook = (store: Store, channel: StoredChannel, userId: string, body: unknown): StoredWebhook => {
  if (channel.recipientId !== undefined) throw apiErrors.notInDirectChannel()
  if (channel.thread !== undefined || channel.type === ChannelKind.category) throw apiErrors.notInChannelType()
  requirePermissions(store, userId, Permission.manageWebhooks, channel)
  const name = readWebhookName(body, true) ?? ""
  if (webhooksIn(store, channel).length >= maxWebhooksInChannel)
    throw apiErrors.tooMany(30_007, "webhooks", maxWebhooksInChannel)
  const token = randomBytes(51).toString("base64url")
  const value = { id: store.ids.next(), token, channelId: channel.id, name, creatorId: userId }
  store.commit({ kind: "webhook", value })
  return value
}

const modifyWebhook = (
  store: Store,
  webhook: StoredWebhook,
  userId: string | undefined,
  body: unknown
): StoredWebhook => {
  requireManager(store, webhook, userId)
  const name = readWebhookName(body, false)
  const form = new Form()
  const channelId = userId !== undefined && isJsonObject(body) ? form.id(body, "channel_id", []) : undefined
  form.throwIfInvalid()
  const channel = channelId === undefined ? undefined : findChannel(store, channelId)
  if (channel !== undefined && userId !== undefined)
    requirePermissions(store, userId, Permission.manageWebhooks, channel)
  const value = {
    ...webhook,
    ...(name === undefined ? {} : { name }),
    ...(channel === undefined ? {} : { channelId: channel.id })
  }
  store.commit({ kind: "webhook", value })
  return value
}
