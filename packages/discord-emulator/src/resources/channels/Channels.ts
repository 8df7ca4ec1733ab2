import { ChannelKind, Permission } from "../../model/Constants.ts"
import { apiErrors, DiscordError } from "../../model/DiscordError.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { requirePermissions } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { Form, isJsonObject } from "../../validate/Form.ts"
import { guildChannels, readChannelBody } from "./ChannelBody.ts"
import { removeOverwrite, setOverwrite } from "./Overwrites.ts"

/** What bots and people do with guild channels. Every method throws `DiscordError` when Discord would refuse. */
export interface Channels {
  readonly create: (userId: string, body: unknown) => StoredChannel
  readonly modify: (channel: StoredChannel, userId: string, body: unknown) => StoredChannel
  /** Deletes a channel or thread; the channels of a deleted category stay. */
  readonly delete: (channel: StoredChannel, userId: string) => void
  readonly setPositions: (userId: string, body: unknown) => void
  readonly setOverwrite: (channel: StoredChannel, userId: string, id: string, body: unknown) => void
  readonly removeOverwrite: (channel: StoredChannel, userId: string, id: string) => void
}

const creatableKinds = [ChannelKind.text, ChannelKind.announcement, ChannelKind.forum, ChannelKind.category] as const
const maxChannels = 500

export const makeChannels = (store: Store): Channels => ({
  create: (userId, body) => createChannel(store, userId, body),
  modify: (channel, userId, body) => modifyChannel(store, channel, userId, body),
  delete: (channel, userId) => deleteChannel(store, channel, userId),
  setPositions: (userId, body) => setPositions(store, userId, body),
  setOverwrite: (channel, userId, id, body) => setOverwrite(store, channel, userId, id, body),
  removeOverwrite: (channel, userId, id) => removeOverwrite(store, channel, userId, id)
})

const createChannel = (store: Store, userId: string, body: unknown): StoredChannel => {
  requirePermissions(store, userId, Permission.manageChannels)
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  form.text(fields, "name", [], { required: true, max: 100 })
  const type = form.choice(fields, "type", [], creatableKinds) ?? ChannelKind.text
  form.throwIfInvalid()
  const position = guildChannels(store).length
  if (position >= maxChannels) throw apiErrors.tooMany(30_013, "guild channels", maxChannels)
  const blank: StoredChannel = {
    id: store.ids.next(),
    type,
    name: "",
    guildId: store.guild.guildId,
    parentId: null,
    position,
    topic: null,
    slowmode: 0,
    ...(type === ChannelKind.forum ? { availableTags: [] } : {})
  }
  const created = readChannelBody(store, blank, userId, fields, form)
  const inherits = fields["permission_overwrites"] === undefined && created.parentId !== null
  const value = inherits ? withParentOverwrites(store, created) : created
  store.commit({ kind: "channel", value })
  return value
}

const withParentOverwrites = (store: Store, channel: StoredChannel): StoredChannel => ({
  ...channel,
  overwrites: store.channels.get(channel.parentId ?? "")?.overwrites ?? []
})

const modifyChannel = (store: Store, channel: StoredChannel, userId: string, body: unknown): StoredChannel => {
  requirePermissions(store, userId, Permission.manageChannels, channel)
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  if ("archived" in fields || "locked" in fields) throw apiErrors.notInChannelType()
  if (fields["permission_overwrites"] !== undefined) requirePermissions(store, userId, Permission.manageRoles, channel)
  const value = readChannelBody(store, channel, userId, fields, form)
  store.commit({ kind: "channel", value })
  return value
}

const deleteChannel = (store: Store, channel: StoredChannel, userId: string): void => {
  // A direct channel is only closed: opening it again shows its messages.
  if (channel.recipientId !== undefined) return requirePermissions(store, userId, Permission.viewChannel, channel)
  const needed = channel.thread === undefined ? Permission.manageChannels : Permission.manageThreads
  requirePermissions(store, userId, needed, channel)
  for (const child of store.channels.values()) {
    if (child.parentId !== channel.id) continue
    if (child.thread === undefined) store.commit({ kind: "channel", value: { ...child, parentId: null } })
    else store.commit({ kind: "channel_gone", id: child.id })
  }
  for (const webhook of store.webhooks.values())
    if (webhook.channelId === channel.id) store.commit({ kind: "webhook_gone", id: webhook.id })
  store.commit({ kind: "channel_gone", id: channel.id })
}

const setPositions = (store: Store, userId: string, body: unknown): void => {
  requirePermissions(store, userId, Permission.manageChannels)
  const entries = (Array.isArray(body) ? body : []).filter(isJsonObject)
  if (entries.filter((entry) => "parent_id" in entry).length > 1)
    throw new DiscordError(400, 40_009, "Only one channel can have a parent_id modified at a time")
  const form = new Form()
  for (const [index, entry] of entries.entries()) {
    const channelId = form.id(entry, "id", [index])
    form.throwIfInvalid()
    const channel = store.channels.get(channelId ?? "")
    if (channel === undefined) throw apiErrors.unknownChannel()
    const { id: _, lock_permissions: lockPermissions, ...fields } = entry
    const modified = readChannelBody(store, channel, userId, fields, new Form())
    const inherits = lockPermissions === true && store.channels.has(modified.parentId ?? "")
    const value = inherits ? withParentOverwrites(store, modified) : modified
    if (JSON.stringify(value) !== JSON.stringify(channel)) store.commit({ kind: "channel", value })
  }
}
