import { randomBytes } from "node:crypto"
import { DiscordError, refuse } from "../../model/DiscordError.ts"
import { type Fields, Form, isFields } from "../../validate/Form.ts"
import { ChannelKind, Component, Permission } from "../../model/Constants.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import type { Messages } from "../messages/Messages.ts"
import type { StoredChannel, StoredMessage, StoredWebhook } from "../../model/Records.ts"
import { demand } from "../../state/Permissions.ts"
import type { Threads } from "../channels/Threads.ts"
import type { World } from "../../state/World.ts"

/** The rules of the webhooks of channels. */
export interface Webhooks {
  readonly find: (id: string) => StoredWebhook
  /** The webhook, when the token is its own; throws 50027 otherwise. */
  readonly byToken: (id: string, token: string) => StoredWebhook
  readonly inChannel: (channel: StoredChannel, userId: string) => ReadonlyArray<StoredWebhook>
  readonly create: (channel: StoredChannel, userId: string, body: unknown) => StoredWebhook
  /** `userId` is missing where the token alone gives the right. */
  readonly change: (webhook: StoredWebhook, userId: string | undefined, body: unknown) => StoredWebhook
  readonly remove: (webhook: StoredWebhook, userId: string | undefined) => void
  /** Says something in the webhook's channel, or in a thread below it. */
  readonly execute: (webhook: StoredWebhook, saying: Saying) => StoredMessage
  readonly message: (webhook: StoredWebhook, messageId: string, threadId: string | undefined) => StoredMessage
  readonly edit: (webhook: StoredWebhook, messageId: string, saying: Saying) => StoredMessage
  readonly delete: (webhook: StoredWebhook, messageId: string, threadId: string | undefined) => void
}

/** A request to a webhook. */
interface Saying {
  readonly body: unknown
  readonly files: ReadonlyArray<UploadedFile>
  readonly threadId: string | undefined
  readonly withComponents: boolean
}

const mostInChannel = 15

export const makeWebhooks = (world: World, messages: Messages, threads: Threads): Webhooks => {
  const find: Webhooks["find"] = (id) => {
    const found = world.webhooks.get(id)
    if (found === undefined) throw refuse.unknownWebhook()
    return found
  }
  const save = (value: StoredWebhook): StoredWebhook => {
    world.commit({ kind: "webhook", value })
    return value
  }
  const demandManager = (webhook: StoredWebhook, userId: string | undefined): void => {
    const channel = world.channels.get(webhook.channelId)
    if (userId !== undefined && channel !== undefined) demand(world, userId, Permission.manageWebhooks, channel)
  }
  const holding = (channel: StoredChannel): ReadonlyArray<StoredWebhook> =>
    [...world.webhooks.values()].filter((one) => one.channelId === channel.id)

  const placeOf = (webhook: StoredWebhook, threadId: string | undefined): StoredChannel => {
    const channel = messages.channel(threadId ?? webhook.channelId)
    if (threadId !== undefined && channel.parentId !== webhook.channelId) throw refuse.unknownChannel()
    return channel
  }

  const message: Webhooks["message"] = (webhook, messageId, threadId) => {
    const found = world.message(placeOf(webhook, threadId).id, messageId)
    if (found === undefined || found.authorId !== webhook.id) throw refuse.unknownMessage()
    return found
  }

  /** Components that answer need an application behind the webhook. */
  const shown = (webhook: StoredWebhook, { body, withComponents }: Saying): unknown => {
    if (!isFields(body) || webhook.creatorId === world.realm.botId) return body
    if (!withComponents) return { ...body, components: undefined }
    if (JSON.stringify(body["components"] ?? []).match(interactive) !== null)
      throw new DiscordError(400, 50_035, "Invalid Form Body", {
        components: {
          _errors: [
            {
              code: "WEBHOOK_NON_APPLICATION_INTERACTIVE_COMPONENTS",
              message: "Webhooks that no application owns cannot send interactive components"
            }
          ]
        }
      })
    return body
  }

  const destination = (webhook: StoredWebhook, fields: Fields, threadId: string | undefined): StoredChannel => {
    const place = placeOf(webhook, threadId)
    const named = fields["thread_name"] !== undefined && fields["thread_name"] !== null
    if (place.type !== ChannelKind.forum) {
      if (named && threadId !== undefined && world.channels.get(webhook.channelId)?.type === ChannelKind.forum)
        throw new DiscordError(
          400,
          220_002,
          "Webhooks posted to forum channels cannot have both a thread_name and thread_id"
        )
      if (named) throw new DiscordError(400, 220_003, "Webhooks can only create threads in forum channels")
      return place
    }
    if (!named)
      throw new DiscordError(400, 220_001, "Webhooks posted to forum channels must have a thread_name or thread_id")
    return threads.openPost(place, webhook.id, { name: fields["thread_name"], applied_tags: fields["applied_tags"] })
  }

  return {
    find,
    byToken: (id, token) => {
      const found = find(id)
      if (found.token !== token) throw refuse.invalidWebhookToken()
      return found
    },
    inChannel: (channel, userId) => {
      demand(world, userId, Permission.manageWebhooks, channel)
      return holding(channel)
    },
    create: (channel, userId, body) => {
      if (channel.recipientId !== undefined) throw refuse.noDirect()
      if (channel.thread !== undefined || channel.type === ChannelKind.category) throw refuse.notInChannelType()
      demand(world, userId, Permission.manageWebhooks, channel)
      const name = readName(body, true) ?? ""
      if (holding(channel).length >= mostInChannel) throw refuse.tooMany(30_007, "webhooks", mostInChannel)
      const token = randomBytes(51).toString("base64url")
      return save({ id: world.ids.next(), token, channelId: channel.id, name, creatorId: userId })
    },
    change: (webhook, userId, body) => {
      demandManager(webhook, userId)
      const name = readName(body, false)
      const form = new Form()
      const wanted = userId !== undefined && isFields(body) ? form.id(body, "channel_id", []) : undefined
      form.check()
      const channel = wanted === undefined ? undefined : messages.channel(wanted)
      if (channel !== undefined && userId !== undefined) demand(world, userId, Permission.manageWebhooks, channel)
      return save({
        ...webhook,
        ...(name === undefined ? {} : { name }),
        ...(channel === undefined ? {} : { channelId: channel.id })
      })
    },
    remove: (webhook, userId) => {
      demandManager(webhook, userId)
      world.commit({ kind: "webhook_gone", id: webhook.id })
    },
    execute: (webhook, saying) => {
      const fields = isFields(saying.body) ? saying.body : {}
      const form = new Form()
      const username = form.text(fields, "username", [], { min: 1, max: 80 })
      checkName(form, username, "username")
      form.check()
      const avatarUrl = typeof fields["avatar_url"] === "string" ? { avatarUrl: fields["avatar_url"] } : {}
      const place = destination(webhook, fields, saying.threadId)
      const opened = place.id !== (saying.threadId ?? webhook.channelId)
      try {
        return messages.create(
          {
            channelId: place.id,
            authorId: webhook.id,
            webhook: { name: username ?? webhook.name, ...avatarUrl },
            ...(opened ? { id: place.id } : {})
          },
          shown(webhook, saying),
          saying.files
        )
      } catch (cause) {
        if (opened) world.commit({ kind: "channel_gone", id: place.id })
        throw cause
      }
    },
    message,
    edit: (webhook, messageId, saying) =>
      messages.edit(message(webhook, messageId, saying.threadId), webhook.id, shown(webhook, saying), saying.files),
    delete: (webhook, messageId, threadId) => {
      const { channelId, id } = message(webhook, messageId, threadId)
      world.commit({ kind: "message_gone", channelId, id })
    }
  }
}

/** Buttons without an address, and selects. */
const interactive = new RegExp(`"custom_id":|"type":(${Component.stringSelect}|${Component.userSelect})[,}]`)

const readName = (body: unknown, required: boolean): string | undefined => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 80, required })
  checkName(form, name, "name")
  form.check()
  return name
}

const checkName = (form: Form, name: string | undefined, key: string): void => {
  const word = /clyde|discord/i.exec(name ?? "")?.[0].toLowerCase()
  if (word !== undefined) form.add([key], "USERNAME_INVALID_CONTAINS", `Username cannot contain "${word}"`)
}
