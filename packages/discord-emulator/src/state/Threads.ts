import type { APIGuildForumTag } from "discord-api-types/v10"
import { DiscordError, refuse } from "../rest/DiscordError.ts"
import { type Fields, Form, isFields } from "../rest/validate/Form.ts"
import { ChannelKind, Flag, MessageKind } from "./Codes.ts"
import type { Messages, UploadedFile } from "./Messages.ts"
import type { StoredChannel, StoredMessage } from "./Model.ts"
import { isModerator } from "./Render.ts"
import type { World } from "./World.ts"

/** The rules of threads and of changing channels. */
export interface Threads {
  readonly fromMessage: (message: StoredMessage, ownerId: string, body: unknown) => StoredChannel
  readonly withoutMessage: (parent: StoredChannel, ownerId: string, body: unknown) => StoredChannel
  readonly forumPost: (
    parent: StoredChannel,
    ownerId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => { readonly thread: StoredChannel; readonly message: StoredMessage }
  readonly change: (channel: StoredChannel, userId: string, body: unknown) => StoredChannel
  readonly setMember: (channel: StoredChannel, userId: string, member: boolean) => void
}

const durations = [60, 1440, 4320, 10_080] as const

export const makeThreads = (world: World, messages: Messages): Threads => {
  const open = (
    id: string,
    type: number,
    parent: StoredChannel,
    ownerId: string,
    wanted: ThreadBody
  ): StoredChannel => {
    const now = new Date().toISOString()
    const channel: StoredChannel = {
      id,
      type,
      name: wanted.name,
      guildId: world.realm.guildId,
      parentId: parent.id,
      position: 0,
      topic: null,
      ownerId,
      slowmode: wanted.slowmode,
      thread: {
        archived: false,
        locked: false,
        invitable: wanted.invitable,
        autoArchiveDuration: wanted.autoArchiveDuration,
        archiveTimestamp: now,
        createTimestamp: now,
        memberIds: [ownerId]
      },
      ...(wanted.appliedTags === undefined ? {} : { appliedTags: wanted.appliedTags })
    }
    world.commit({ kind: "channel", value: channel })
    return channel
  }

  return {
    fromMessage: (message, ownerId, body) => {
      const parent = messages.channel(message.channelId)
      if (parent.type !== ChannelKind.text && parent.type !== ChannelKind.announcement) throw refuse.notInChannelType()
      const wanted = readThread(body)
      if (world.channels.has(message.id)) throw refuse.threadExists()
      const thread = open(message.id, ChannelKind.publicThread, parent, ownerId, wanted)
      const current = world.message(message.channelId, message.id) ?? message
      world.commit({ kind: "message", value: { ...current, flags: current.flags | Flag.hasThread } })
      messages.create(
        {
          channelId: thread.id,
          authorId: message.authorId,
          type: MessageKind.threadStarter,
          reference: { channelId: message.channelId, messageId: message.id },
          mayBeEmpty: true
        },
        { allowed_mentions: { parse: [] } },
        []
      )
      return thread
    },

    withoutMessage: (parent, ownerId, body) => {
      if (parent.type !== ChannelKind.text && parent.type !== ChannelKind.announcement) throw refuse.notInChannelType()
      const wanted = readThread(body)
      const type = wanted.type ?? ChannelKind.privateThread
      const thread = open(world.ids.next(), type, parent, ownerId, wanted)
      if (type === ChannelKind.publicThread)
        messages.create(
          {
            channelId: parent.id,
            authorId: ownerId,
            type: MessageKind.threadCreated,
            reference: { channelId: thread.id },
            mayBeEmpty: true
          },
          { content: wanted.name, allowed_mentions: { parse: [] } },
          []
        )
      return thread
    },

    forumPost: (parent, ownerId, body, files) => {
      const wanted = readThread(body)
      const fields = body as Fields
      const thread = open(world.ids.next(), ChannelKind.publicThread, parent, ownerId, wanted)
      try {
        // The first message has the id of its post.
        const message = messages.create(
          { channelId: thread.id, authorId: ownerId, id: thread.id },
          fields["message"],
          files
        )
        return { thread, message }
      } catch (cause) {
        world.commit({ kind: "channel_gone", id: thread.id })
        throw cause
      }
    },

    change: (channel, userId, body) => {
      if (channel.thread !== undefined && channel.ownerId !== userId && !isModerator(world, userId))
        throw refuse.missingPermissions()
      if (channel.thread === undefined && !isModerator(world, userId)) throw refuse.missingPermissions()
      const next = changed(channel, body, () => world.ids.next())
      world.commit({ kind: "channel", value: next })
      return next
    },

    setMember: (channel, userId, member) => {
      const { thread } = channel
      if (thread === undefined) throw refuse.notInChannelType()
      if (thread.archived) throw refuse.archived()
      if (thread.memberIds.includes(userId) === member) return
      const memberIds = member ? [...thread.memberIds, userId] : thread.memberIds.filter((id) => id !== userId)
      world.commit({ kind: "channel", value: { ...channel, thread: { ...thread, memberIds } } })
    }
  }
}

/** A tag of a forum; one without an id gets a new one. */
export const tagFrom = (tag: Fields, newId: () => string): APIGuildForumTag => ({
  id: typeof tag["id"] === "string" ? tag["id"] : newId(),
  name: String(tag["name"] ?? "").slice(0, 20),
  moderated: tag["moderated"] === true,
  emoji_id: null,
  emoji_name: typeof tag["emoji_name"] === "string" ? tag["emoji_name"] : null
})

interface ThreadBody {
  readonly name: string
  readonly type: number | undefined
  readonly autoArchiveDuration: number
  readonly slowmode: number
  readonly invitable: boolean
  readonly appliedTags: ReadonlyArray<string> | undefined
}

const readThread = (body: unknown): ThreadBody => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100, required: true }) ?? ""
  const type = form.choice(fields, "type", [], [10, 11, 12])
  const autoArchiveDuration = form.choice(fields, "auto_archive_duration", [], durations) ?? 4320
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 }) ?? 0
  const tags = form.list(fields, "applied_tags", [], { max: 5 })
  form.check()
  return {
    name,
    type,
    autoArchiveDuration,
    slowmode,
    invitable: fields["invitable"] !== false,
    appliedTags: tags?.map(String)
  }
}

const changed = (channel: StoredChannel, body: unknown, newId: () => string): StoredChannel => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100 })
  const topic = form.text(fields, "topic", [], { max: 1024 })
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const duration = form.choice(fields, "auto_archive_duration", [], durations)
  const tags = form.list(fields, "applied_tags", [], { max: 5 })
  const available = form.list(fields, "available_tags", [], { max: 20 })
  form.check()
  const { thread } = channel
  const flag = (key: string, now: boolean): boolean => (typeof fields[key] === "boolean" ? fields[key] === true : now)
  if (thread === undefined && ("archived" in fields || "locked" in fields))
    throw new DiscordError(400, 50024, "Cannot execute action on this channel type")
  const archived = flag("archived", thread?.archived ?? false)
  // Everything but opening it again is refused while a thread is archived.
  if (thread?.archived === true && archived && ("name" in fields || "rate_limit_per_user" in fields))
    throw refuse.archived()
  return {
    ...channel,
    ...(name === undefined ? {} : { name }),
    ...("topic" in fields ? { topic: topic ?? null } : {}),
    ...(slowmode === undefined ? {} : { slowmode }),
    ...(tags === undefined ? {} : { appliedTags: tags.map(String) }),
    ...(available === undefined || channel.type !== ChannelKind.forum
      ? {}
      : { availableTags: available.filter(isFields).map((tag) => tagFrom(tag, newId)) }),
    ...(thread === undefined
      ? {}
      : {
          thread: {
            ...thread,
            archived,
            locked: flag("locked", thread.locked),
            invitable: flag("invitable", thread.invitable),
            autoArchiveDuration: duration ?? thread.autoArchiveDuration,
            archiveTimestamp: archived === thread.archived ? thread.archiveTimestamp : new Date().toISOString()
          }
        })
  }
}
