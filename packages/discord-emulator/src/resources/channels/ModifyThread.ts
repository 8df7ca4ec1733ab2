import { ChannelFlag, ChannelKind, MessageKind, Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { can, requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import type { ThreadContext } from "./CreateThread.ts"
import { requireForumTags } from "./ForumTags.ts"
import { readThreadChange, type ThreadChange } from "./ThreadBody.ts"

/** Modifies a thread and announces a new name in it. */
export const modifyThread = (
  { messages, store }: ThreadContext,
  channel: StoredChannel,
  userId: string,
  body: unknown
): StoredChannel => {
  const change = readThreadChange(body)
  requireMayModify(store, channel, userId, change)
  const next = applyThreadChange(store, channel, userId, change)
  store.commit({ kind: "channel", value: next })
  if (next.name !== channel.name && next.thread?.archived === false)
    messages.createSystem({ channelId: channel.id, authorId: userId, type: MessageKind.nameChange }, next.name)
  return store.channels.get(channel.id) ?? next
}

/** The thread after a change that its user may make. Throws 50083 for other changes of an archived thread. */
const applyThreadChange = (
  store: Store,
  channel: StoredChannel,
  userId: string,
  change: ThreadChange
): StoredChannel => {
  const { thread } = channel
  if (thread === undefined) throw apiErrors.notInChannelType()
  const { appliedTags, archived = thread.archived, autoArchiveDuration = thread.autoArchiveDuration } = change
  if (archived && thread.archived && Object.keys(change).some((key) => key !== "archived" && key !== "locked"))
    throw apiErrors.threadArchived()
  const parent = store.channels.get(channel.parentId ?? "")
  if (appliedTags !== undefined && parent !== undefined)
    requireForumTags(store, parent, userId, appliedTags, channel.appliedTags ?? [])
  const flags = change.flags === undefined ? (channel.flags ?? 0) : change.flags & ChannelFlag.pinned
  if ((flags & ChannelFlag.pinned) !== 0) requirePinnable(store, channel)
  const restartsTimer = archived !== thread.archived || autoArchiveDuration !== thread.autoArchiveDuration
  return {
    ...channel,
    name: change.name ?? channel.name,
    slowmode: change.slowmode ?? channel.slowmode,
    // Archiving unpins a post.
    ...(channel.flags === undefined && flags === 0 ? {} : { flags: archived ? flags & ~ChannelFlag.pinned : flags }),
    ...(appliedTags === undefined ? {} : { appliedTags }),
    thread: {
      ...thread,
      archived,
      locked: change.locked ?? thread.locked,
      invitable: change.invitable ?? thread.invitable,
      autoArchiveDuration,
      archiveTimestamp: restartsTimer ? store.timestamp() : thread.archiveTimestamp
    }
  }
}

/** Fields that the owner of a thread may change without Manage Threads. */
const ownerFields = ["name", "archived", "autoArchiveDuration", "appliedTags", "invitable"]

/**
 * Moderators may change every field, owners some fields. A user who may write in the thread may unarchive it unless it
 * is locked.
 */
const requireMayModify = (store: Store, channel: StoredChannel, userId: string, change: ThreadChange): void => {
  if (channel.thread === undefined) throw apiErrors.notInChannelType()
  requirePermissions(store, userId, Permission.viewChannel, channel)
  if (can(store, userId, Permission.manageThreads, channel)) return
  const keys = Object.keys(change)
  const onlyUnarchives = keys.length === 1 && change.archived === false && !channel.thread.locked
  if (onlyUnarchives && can(store, userId, Permission.sendInThreads, channel)) return
  if (channel.ownerId !== userId || keys.some((key) => !ownerFields.includes(key))) throw apiErrors.missingPermissions()
  if (channel.thread.locked) throw apiErrors.threadLocked()
}

/** A forum has at most one pinned post. */
const requirePinnable = (store: Store, channel: StoredChannel): void => {
  const parent = store.channels.get(channel.parentId ?? "")
  if (parent?.type !== ChannelKind.forum) throw apiErrors.notInChannelType()
  const pinned = [...store.channels.values()].some(
    (post) => post.id !== channel.id && post.parentId === parent.id && ((post.flags ?? 0) & ChannelFlag.pinned) !== 0
  )
  if (pinned) throw apiErrors.tooMany(30_047, "pinned threads in a forum channel has been", 1)
}
