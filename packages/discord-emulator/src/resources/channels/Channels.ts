import { DiscordError, refuse } from "../../model/DiscordError.ts"
import { type Fields, Form, isFields } from "../../validate/Form.ts"
import { ChannelFlag, ChannelKind, Permission } from "../../model/Constants.ts"
import { readTags } from "./ForumTags.ts"
import type { DefaultReaction, Overwrite, StoredChannel } from "../../model/Records.ts"
import { can, demand, demandHeld, guildPermissions, readBits } from "../../state/Permissions.ts"
import { durations } from "./Threads.ts"
import type { World } from "../../state/World.ts"

/** The rules of guild channels; threads have their own. */
export interface Channels {
  readonly create: (userId: string, body: unknown) => StoredChannel
  readonly change: (channel: StoredChannel, userId: string, body: unknown) => StoredChannel
  /** Also ends threads; the children of a category stay without it. */
  readonly remove: (channel: StoredChannel, userId: string) => void
  readonly setPositions: (userId: string, body: unknown) => void
  readonly setOverwrite: (channel: StoredChannel, userId: string, id: string, body: unknown) => void
  readonly removeOverwrite: (channel: StoredChannel, userId: string, id: string) => void
}

const kinds = [ChannelKind.text, ChannelKind.announcement, ChannelKind.forum, ChannelKind.category] as const
const mostChannels = 500
const mostChildren = 50

export const makeChannels = (world: World): Channels => {
  const guildChannels = (): ReadonlyArray<StoredChannel> =>
    [...world.channels.values()].filter((one) => one.guildId !== undefined && one.thread === undefined)

  /** Everything of a body that channels share; `before` is what it stands at now. */
  const read = (before: StoredChannel, userId: string, fields: Fields, form: Form): StoredChannel => {
    const forum = before.type === ChannelKind.forum
    const name = form.text(fields, "name", [], { min: 1, max: 100 })
    const topic = form.text(fields, "topic", [], { max: forum ? 4096 : 1024 })
    const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
    const position = form.integer(fields, "position", [], { min: 0, max: 2 ** 31 - 1 })
    const duration = form.choice(fields, "default_auto_archive_duration", [], durations)
    const threadSlowmode = form.integer(fields, "default_thread_rate_limit_per_user", [], { min: 0, max: 21_600 })
    const flags = form.integer(fields, "flags", [], { min: 0, max: 2 ** 31 - 1 })
    const sortOrder = form.choice(fields, "default_sort_order", [], [0, 1])
    const layout = form.choice(fields, "default_forum_layout", [], [0, 1, 2])
    const tagList = form.list(fields, "available_tags", [], { max: 20 })
    const tags = readTags(form, tagList, before.availableTags ?? [], () => world.ids.next())
    const overwriteList = form.list(fields, "permission_overwrites", [], { max: 1000 })
    const parentId = "parent_id" in fields ? readParent(form, before, fields) : before.parentId
    overwriteList?.forEach((value, index) => {
      const at = ["permission_overwrites", index]
      const overwrite = form.object(value, at) ?? {}
      form.id(overwrite, "id", at)
      form.choice(overwrite, "type", at, [0, 1])
    })
    const type = readType(form, before, fields)
    const reaction = fields["default_reaction_emoji"]
    form.check()
    return {
      ...before,
      type,
      ...(name === undefined ? {} : { name: named(before.type, name) }),
      ...("topic" in fields ? { topic: topic ?? null } : {}),
      ...(slowmode === undefined ? {} : { slowmode }),
      ...(position === undefined ? {} : { position }),
      parentId,
      ...(typeof fields["nsfw"] === "boolean" ? { nsfw: fields["nsfw"] } : {}),
      ...("default_auto_archive_duration" in fields ? { defaultAutoArchiveDuration: duration ?? null } : {}),
      ...(threadSlowmode === undefined ? {} : { defaultThreadSlowmode: threadSlowmode }),
      ...(overwriteList === undefined
        ? {}
        : {
            overwrites: overwriteList.map((value) => readOverwrite(world, before, userId, isFields(value) ? value : {}))
          }),
      ...(forum
        ? {
            ...(flags === undefined ? {} : { flags: flags & ChannelFlag.requireTag }),
            ...(tags === undefined ? {} : { availableTags: tags }),
            ...(reaction === undefined ? {} : { defaultReaction: readReaction(reaction) }),
            ...("default_sort_order" in fields ? { defaultSortOrder: sortOrder ?? null } : {}),
            ...(layout === undefined ? {} : { defaultLayout: layout })
          }
        : {})
    }
  }

  const readParent = (form: Form, channel: StoredChannel, fields: Fields): string | null => {
    const id = form.id(fields, "parent_id", [])
    if (id === undefined) return null
    const parent = world.channels.get(id)
    if (parent?.type !== ChannelKind.category || channel.type === ChannelKind.category)
      form.add(["parent_id"], "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
    else if (
      guildChannels().filter((one) => one.parentId === parent.id && one.id !== channel.id).length >= mostChildren
    )
      form.add(
        ["parent_id"],
        "CHANNEL_PARENT_MAX_CHANNELS",
        `Maximum number of channels in category reached (${mostChildren})`
      )
    return id
  }

  const saveOverwrites = (channel: StoredChannel, overwrites: ReadonlyArray<Overwrite>): void =>
    world.commit({ kind: "channel", value: { ...channel, overwrites } })

  return {
    create: (userId, body) => {
      demand(world, userId, Permission.manageChannels)
      const form = new Form()
      const fields = form.object(body ?? {}, []) ?? {}
      form.text(fields, "name", [], { required: true, max: 100 })
      const type = form.choice(fields, "type", [], kinds) ?? ChannelKind.text
      form.check()
      if (guildChannels().length >= mostChannels) throw refuse.tooMany(30_013, "guild channels", mostChannels)
      const blank: StoredChannel = {
        id: world.ids.next(),
        type,
        name: "",
        guildId: world.realm.guildId,
        parentId: null,
        position: guildChannels().length,
        topic: null,
        slowmode: 0,
        ...(type === ChannelKind.forum ? { availableTags: [] } : {})
      }
      const filled = read(blank, userId, fields, form)
      const inherited = fields["permission_overwrites"] === undefined && filled.parentId !== null
      const value = inherited
        ? { ...filled, overwrites: world.channels.get(filled.parentId ?? "")?.overwrites ?? [] }
        : filled
      world.commit({ kind: "channel", value })
      return value
    },

    change: (channel, userId, body) => {
      demand(world, userId, Permission.manageChannels, channel)
      const form = new Form()
      const fields = form.object(body ?? {}, []) ?? {}
      if ("archived" in fields || "locked" in fields) throw refuse.notInChannelType()
      if (fields["permission_overwrites"] !== undefined) demand(world, userId, Permission.manageRoles, channel)
      const next = read(channel, userId, fields, form)
      world.commit({ kind: "channel", value: next })
      return next
    },

    remove: (channel, userId) => {
      // A direct channel is only closed; opening it again shows everything.
      if (channel.recipientId !== undefined) return demand(world, userId, Permission.viewChannel, channel)
      demand(
        world,
        userId,
        channel.thread === undefined ? Permission.manageChannels : Permission.manageThreads,
        channel
      )
      for (const child of world.channels.values()) {
        if (child.parentId !== channel.id) continue
        if (child.thread === undefined) world.commit({ kind: "channel", value: { ...child, parentId: null } })
        else world.commit({ kind: "channel_gone", id: child.id })
      }
      for (const webhook of world.webhooks.values())
        if (webhook.channelId === channel.id) world.commit({ kind: "webhook_gone", id: webhook.id })
      world.commit({ kind: "channel_gone", id: channel.id })
    },

    setPositions: (userId, body) => {
      demand(world, userId, Permission.manageChannels)
      const entries = (Array.isArray(body) ? body : []).filter(isFields)
      if (entries.filter((entry) => "parent_id" in entry).length > 1)
        throw new DiscordError(400, 40_009, "Only one channel can have a parent_id modified at a time")
      const form = new Form()
      for (const [index, entry] of entries.entries()) {
        const channelId = form.id(entry, "id", [index])
        form.check()
        const channel = world.channels.get(channelId ?? "")
        if (channel === undefined) throw refuse.unknownChannel()
        const { id: _, lock_permissions: lock, ...fields } = entry
        const next = read(channel, userId, fields, new Form())
        const parent = world.channels.get(next.parentId ?? "")
        const synced = lock === true && parent !== undefined ? { ...next, overwrites: parent.overwrites ?? [] } : next
        if (JSON.stringify(synced) !== JSON.stringify(channel)) world.commit({ kind: "channel", value: synced })
      }
    },

    setOverwrite: (channel, userId, id, body) => {
      if (channel.guildId === undefined) throw refuse.noDirect()
      if (channel.thread !== undefined) throw refuse.notInChannelType()
      demand(world, userId, Permission.manageRoles, channel)
      const form = new Form()
      const fields = form.object(body ?? {}, []) ?? {}
      form.choice(fields, "type", [], [0, 1])
      if (fields["type"] === undefined) form.required(["type"])
      form.check()
      const overwrite = readOverwrite(world, channel, userId, { ...fields, id })
      saveOverwrites(channel, [...(channel.overwrites ?? []).filter((one) => one.id !== id), overwrite])
    },

    removeOverwrite: (channel, userId, id) => {
      if (channel.guildId === undefined) throw refuse.noDirect()
      demand(world, userId, Permission.manageRoles, channel)
      const { overwrites = [] } = channel
      if (!overwrites.some((one) => one.id === id)) throw refuse.unknownOverwrite()
      saveOverwrites(
        channel,
        overwrites.filter((one) => one.id !== id)
      )
    }
  }
}

/** Channels of text have names like `some-name`; categories keep theirs. */
const named = (type: number, name: string): string =>
  type === ChannelKind.category ? name : name.toLowerCase().replaceAll(/\s+/g, "-")

/** Text channels and announcements turn into each other, and nothing else into anything. */
const readType = (form: Form, before: StoredChannel, fields: Fields): number => {
  const { type } = before
  const convertible: ReadonlyArray<number> = [ChannelKind.text, ChannelKind.announcement]
  return form.choice(fields, "type", [], convertible.includes(type) ? convertible : [type]) ?? type
}

const readOverwrite = (world: World, channel: StoredChannel, userId: string, fields: Fields): Overwrite => {
  const form = new Form()
  const id = form.id(fields, "id", []) ?? ""
  form.check()
  const type = fields["type"] === 1 || (fields["type"] === undefined && world.users.has(id)) ? 1 : 0
  if (!(type === 1 ? world.users : world.roles).has(id)) throw refuse.unknownOverwrite()
  const allow = readBits(fields["allow"] ?? "0", "allow")
  const deny = readBits(fields["deny"] ?? "0", "deny")
  const before = channel.overwrites?.find((one) => one.id === id)
  const changed = (allow ^ BigInt(before?.allow ?? 0)) | (deny ^ BigInt(before?.deny ?? 0))
  // Who got the right to manage roles by an overwrite of this very channel may set everything in it.
  const granted =
    can(world, userId, Permission.manageRoles, channel) &&
    (guildPermissions(world, userId) & Permission.manageRoles) === 0n
  if (!granted) demandHeld(world, userId, changed)
  return { id, type, allow: String(allow), deny: String(deny) }
}

const readReaction = (value: unknown): DefaultReaction | null => {
  if (!isFields(value)) return null
  const text = (key: string): string | null => (typeof value[key] === "string" ? value[key] : null)
  return { emoji_id: text("emoji_id"), emoji_name: text("emoji_name") }
}
