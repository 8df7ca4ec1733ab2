import { refuse } from "../../model/DiscordError.ts"
import { Form } from "../../validate/Form.ts"
import { ChannelFlag, ChannelKind, Flag, MessageKind, Permission } from "../../model/Constants.ts"
import { demandTags } from "./ForumTags.ts"
import { joining, membership } from "../../render/ThreadMember.ts"
import type { UploadedFile } from "../messages/Attachments.ts"
import type { Messages } from "../messages/Messages.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { can, demand } from "../../state/Permissions.ts"
import { isSystem } from "../../render/Render.ts"
import type { World } from "../../state/World.ts"

/** The rules of threads. */
export interface Threads {
  readonly fromMessage: (message: StoredMessage, ownerId: string, body: unknown) => StoredChannel
  readonly withoutMessage: (parent: StoredChannel, ownerId: string, body: unknown) => StoredChannel
  /** A post in a forum; `send` writes its first message, with the id of the post. */
  readonly forumPost: (
    parent: StoredChannel,
    ownerId: string,
    body: unknown,
    files: ReadonlyArray<UploadedFile>
  ) => { readonly thread: StoredChannel; readonly message: StoredMessage }
  /** Opens a post whose first message somebody else writes, as webhooks do. */
  readonly openPost: (parent: StoredChannel, ownerId: string, body: unknown) => StoredChannel
  readonly change: (thread: StoredChannel, userId: string, body: unknown) => StoredChannel
  /** The thread member object of somebody, if they are in the thread. */
  readonly membership: (thread: StoredChannel, userId: string) => object | undefined
  /** `byId` brings `userId` in or takes them out. */
  readonly setMember: (thread: StoredChannel, byId: string, userId: string, member: boolean) => void
}

/** What a thread may be set to archive itself after, in minutes. */
export const durations = [60, 1440, 4320, 10_080] as const

const mostActive = 1000
const mostMembers = 1000

export const makeThreads = (world: World, messages: Messages): Threads => {
  const open = (
    id: string,
    type: number,
    parent: StoredChannel,
    ownerId: string,
    wanted: ThreadBody
  ): StoredChannel => {
    const active = [...world.channels.values()].filter(({ thread }) => thread?.archived === false).length
    if (active >= mostActive) throw refuse.tooManyThreads()
    const now = world.timestamp()
    const channel: StoredChannel = {
      id,
      type,
      name: wanted.name,
      guildId: world.realm.guildId,
      parentId: parent.id,
      position: 0,
      topic: null,
      ownerId,
      slowmode: wanted.slowmode ?? parent.defaultThreadSlowmode ?? 0,
      thread: {
        archived: false,
        locked: false,
        invitable: wanted.invitable,
        autoArchiveDuration: wanted.autoArchiveDuration ?? parent.defaultAutoArchiveDuration ?? 4320,
        archiveTimestamp: now,
        createTimestamp: now,
        memberIds: world.members.has(ownerId) ? [ownerId] : []
      },
      ...(wanted.appliedTags === undefined ? {} : { appliedTags: wanted.appliedTags })
    }
    world.commit({ kind: "channel", value: channel })
    return channel
  }

  const openPost: Threads["openPost"] = (parent, ownerId, body) => {
    const wanted = readThread(body)
    demandTags(world, parent, ownerId, wanted.appliedTags ?? [], [])
    return open(world.ids.next(), ChannelKind.publicThread, parent, ownerId, wanted)
  }

  return {
    openPost,
    membership,

    fromMessage: (message, ownerId, body) => {
      const parent = messages.channel(message.channelId)
      const type = threadTypes[parent.type]
      if (type === undefined) throw refuse.notInChannelType()
      demand(world, ownerId, Permission.createPublicThreads | Permission.readHistory, parent)
      if (isSystem(message)) throw refuse.systemMessage()
      const wanted = readThread(body)
      if (world.channels.has(message.id)) throw refuse.threadExists()
      const thread = open(message.id, type, parent, ownerId, wanted)
      const current = world.message(message.channelId, message.id) ?? message
      world.commit({ kind: "message", value: { ...current, flags: current.flags | Flag.hasThread } })
      messages.announce({
        channelId: thread.id,
        authorId: message.authorId,
        type: MessageKind.threadStarter,
        reference: { channelId: message.channelId, messageId: message.id }
      })
      return thread
    },

    withoutMessage: (parent, ownerId, body) => {
      if (threadTypes[parent.type] === undefined) throw refuse.notInChannelType()
      const wanted = readThread(body)
      const type = wanted.type ?? ChannelKind.privateThread
      if ((type === ChannelKind.announcementThread) !== (parent.type === ChannelKind.announcement))
        throw refuse.notInChannelType()
      const needed =
        type === ChannelKind.privateThread ? Permission.createPrivateThreads : Permission.createPublicThreads
      demand(world, ownerId, needed, parent)
      const thread = open(world.ids.next(), type, parent, ownerId, wanted)
      if (type !== ChannelKind.privateThread)
        messages.announce(
          {
            channelId: parent.id,
            authorId: ownerId,
            type: MessageKind.threadCreated,
            reference: { channelId: thread.id }
          },
          wanted.name
        )
      return thread
    },

    forumPost: (parent, ownerId, body, files) => {
      demand(world, ownerId, Permission.sendMessages, parent)
      const form = new Form()
      const fields = form.object(body ?? {}, []) ?? {}
      if (form.object(fields["message"] ?? undefined, ["message"]) === undefined) form.check()
      const thread = openPost(parent, ownerId, body)
      try {
        // The first message has the id of its post.
        const message = messages.create(
          { channelId: thread.id, authorId: ownerId, id: thread.id, first: true },
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
      const { thread } = channel
      if (thread === undefined) throw refuse.notInChannelType()
      const wanted = readChange(body)
      demandChange(world, channel, userId, wanted)
      const archived = wanted.archived ?? thread.archived
      if (archived && thread.archived && Object.keys(wanted).some((key) => key !== "archived" && key !== "locked"))
        throw refuse.archived()
      if (wanted.appliedTags !== undefined) {
        const parent = world.channels.get(channel.parentId ?? "")
        if (parent !== undefined) demandTags(world, parent, userId, wanted.appliedTags, channel.appliedTags ?? [])
      }
      const restarted =
        archived !== thread.archived ||
        (wanted.autoArchiveDuration !== undefined && wanted.autoArchiveDuration !== thread.autoArchiveDuration)
      const flags = wanted.flags === undefined ? (channel.flags ?? 0) : wanted.flags & ChannelFlag.pinned
      if ((flags & ChannelFlag.pinned) !== 0) demandPinnable(world, channel)
      const next: StoredChannel = {
        ...channel,
        name: wanted.name ?? channel.name,
        slowmode: wanted.slowmode ?? channel.slowmode,
        // Archiving takes a post down from the top of its forum.
        ...(channel.flags === undefined && flags === 0
          ? {}
          : { flags: archived ? flags & ~ChannelFlag.pinned : flags }),
        ...(wanted.appliedTags === undefined ? {} : { appliedTags: wanted.appliedTags }),
        thread: {
          ...thread,
          archived,
          locked: wanted.locked ?? thread.locked,
          invitable: wanted.invitable ?? thread.invitable,
          autoArchiveDuration: wanted.autoArchiveDuration ?? thread.autoArchiveDuration,
          archiveTimestamp: restarted ? world.timestamp() : thread.archiveTimestamp
        }
      }
      world.commit({ kind: "channel", value: next })
      if (next.name !== channel.name && !archived)
        messages.announce({ channelId: channel.id, authorId: userId, type: MessageKind.nameChange }, next.name)
      return world.channels.get(channel.id) ?? next
    },

    setMember: (channel, byId, userId, member) => {
      const { thread } = channel
      if (thread === undefined) throw refuse.notInChannelType()
      if (byId === userId) {
        if (member) demand(world, userId, Permission.viewChannel, channel)
      } else if (member) {
        demand(world, byId, Permission.sendInThreads, channel)
        if (!world.members.has(userId)) throw refuse.unknownMember()
      } else if (channel.type !== ChannelKind.privateThread || channel.ownerId !== byId)
        demand(world, byId, Permission.manageThreads, channel)
      if (thread.archived) throw refuse.archived()
      if (thread.memberIds.includes(userId) === member) return
      if (member && thread.memberIds.length >= mostMembers)
        throw refuse.tooMany(30_033, "thread participants", mostMembers)
      const changed = member
        ? joining(world, thread, userId)
        : { ...thread, memberIds: thread.memberIds.filter((id) => id !== userId) }
      world.commit({ kind: "channel", value: { ...channel, thread: changed } })
      if (byId === userId) return
      const type = member ? MessageKind.recipientAdd : MessageKind.recipientRemove
      messages.announce({ channelId: channel.id, authorId: byId, type, mentionIds: [userId] })
    }
  }
}

/** Which kind of thread a message of a channel opens. */
const threadTypes: Readonly<Record<number, number>> = {
  [ChannelKind.text]: ChannelKind.publicThread,
  [ChannelKind.announcement]: ChannelKind.announcementThread
}

interface ThreadBody {
  readonly name: string
  readonly type: number | undefined
  readonly autoArchiveDuration: number | undefined
  readonly slowmode: number | undefined
  readonly invitable: boolean
  readonly appliedTags: ReadonlyArray<string> | undefined
}

const readThread = (body: unknown): ThreadBody => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100, required: true }) ?? ""
  const type = form.choice(fields, "type", [], [10, 11, 12])
  const autoArchiveDuration = form.choice(fields, "auto_archive_duration", [], durations)
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const appliedTags = form.ids(fields, "applied_tags", [], { max: 5 })
  form.check()
  return { name, type, autoArchiveDuration, slowmode, invitable: fields["invitable"] !== false, appliedTags }
}

interface ThreadChange {
  readonly name?: string
  readonly archived?: boolean
  readonly locked?: boolean
  readonly invitable?: boolean
  readonly autoArchiveDuration?: number
  readonly slowmode?: number
  readonly flags?: number
  readonly appliedTags?: ReadonlyArray<string>
}

const readChange = (body: unknown): ThreadChange => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100 })
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const autoArchiveDuration = form.choice(fields, "auto_archive_duration", [], durations)
  const flags = form.integer(fields, "flags", [], { min: 0, max: 2 ** 31 - 1 })
  const appliedTags = form.ids(fields, "applied_tags", [], { max: 5 })
  form.check()
  const flag = (key: "archived" | "locked" | "invitable"): object =>
    typeof fields[key] === "boolean" ? { [key]: fields[key] } : {}
  return {
    ...flag("archived"),
    ...flag("locked"),
    ...flag("invitable"),
    ...(name === undefined ? {} : { name }),
    ...(slowmode === undefined ? {} : { slowmode }),
    ...(autoArchiveDuration === undefined ? {} : { autoArchiveDuration }),
    ...(flags === undefined ? {} : { flags }),
    ...(appliedTags === undefined ? {} : { appliedTags })
  }
}

/** Moderators change everything, owners what is theirs, and everybody who may write opens an unlocked thread again. */
const demandChange = (world: World, channel: StoredChannel, userId: string, wanted: ThreadChange): void => {
  demand(world, userId, Permission.viewChannel, channel)
  if (can(world, userId, Permission.manageThreads, channel)) return
  const keys = Object.keys(wanted)
  const opensOnly = keys.length === 1 && wanted.archived === false && channel.thread?.locked !== true
  if (opensOnly && can(world, userId, Permission.sendInThreads, channel)) return
  const own = ["name", "archived", "autoArchiveDuration", "appliedTags", "invitable"]
  if (channel.ownerId !== userId || keys.some((key) => !own.includes(key))) throw refuse.missingPermissions()
  if (channel.thread?.locked === true) throw refuse.threadLocked()
}

/** A forum has one post at its top. */
const demandPinnable = (world: World, channel: StoredChannel): void => {
  const parent = world.channels.get(channel.parentId ?? "")
  if (parent?.type !== ChannelKind.forum) throw refuse.notInChannelType()
  const pinned = [...world.channels.values()].some(
    (one) => one.id !== channel.id && one.parentId === parent.id && ((one.flags ?? 0) & ChannelFlag.pinned) !== 0
  )
  if (pinned) throw refuse.tooMany(30_047, "pinned threads in a forum channel has been", 1)
}
