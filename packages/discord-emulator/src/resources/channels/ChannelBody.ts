import { ChannelFlag, ChannelKind } from "../../model/Constants.ts"
import type { DefaultReaction, StoredChannel } from "../../model/Records.ts"
import type { Store } from "../../state/Store.ts"
import { type Form, isJsonObject, type JsonObject } from "../../validate/Form.ts"
import { readForumTags } from "./ForumTags.ts"
import { parseOverwriteList } from "./Overwrites.ts"
import { autoArchiveDurations } from "./ThreadBody.ts"

const maxChildren = 50

/** All channels of the guild without threads. */
export const guildChannels = (store: Store): ReadonlyArray<StoredChannel> =>
  [...store.channels.values()].filter((channel) => channel.guildId !== undefined && channel.thread === undefined)

/** The channel `before` with the checked fields of a body; `form` throws 50035 with every error in them. */
export const readChannelBody = (
  store: Store,
  before: StoredChannel,
  userId: string,
  fields: JsonObject,
  form: Form
): StoredChannel => {
  const isForum = before.type === ChannelKind.forum
  const basics = readBasics(form, before, fields)
  const forum = readForumFields(store, form, before, fields)
  const parentId = "parent_id" in fields ? readParentId(store, form, before, fields) : before.parentId
  const readOverwrites = parseOverwriteList(store, form, before, userId, fields)
  const type = readType(form, before, fields)
  form.throwIfInvalid()
  const overwrites = readOverwrites?.()
  return {
    ...before,
    ...basics,
    type,
    parentId,
    ...(overwrites === undefined ? {} : { overwrites }),
    ...(isForum ? forum : {})
  }
}

const readBasics = (form: Form, before: StoredChannel, fields: JsonObject): Partial<StoredChannel> => {
  const name = form.text(fields, "name", [], { min: 1, max: 100 })
  const topic = form.text(fields, "topic", [], { max: before.type === ChannelKind.forum ? 4096 : 1024 })
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const position = form.integer(fields, "position", [], { min: 0, max: 2 ** 31 - 1 })
  const duration = form.choice(fields, "default_auto_archive_duration", [], autoArchiveDurations)
  const threadSlowmode = form.integer(fields, "default_thread_rate_limit_per_user", [], { min: 0, max: 21_600 })
  return {
    ...(name === undefined ? {} : { name: normalizeName(before.type, name) }),
    ...("topic" in fields ? { topic: topic ?? null } : {}),
    ...(slowmode === undefined ? {} : { slowmode }),
    ...(position === undefined ? {} : { position }),
    ...(typeof fields["nsfw"] === "boolean" ? { nsfw: fields["nsfw"] } : {}),
    ...("default_auto_archive_duration" in fields ? { defaultAutoArchiveDuration: duration ?? null } : {}),
    ...(threadSlowmode === undefined ? {} : { defaultThreadSlowmode: threadSlowmode })
  }
}

const readForumFields = (
  store: Store,
  form: Form,
  before: StoredChannel,
  fields: JsonObject
): Partial<StoredChannel> => {
  const flags = form.integer(fields, "flags", [], { min: 0, max: 2 ** 31 - 1 })
  const sortOrder = form.choice(fields, "default_sort_order", [], [0, 1])
  const layout = form.choice(fields, "default_forum_layout", [], [0, 1, 2])
  const tagList = form.list(fields, "available_tags", [], { max: 20 })
  const tags = readForumTags(form, tagList, before.availableTags ?? [], () => store.ids.next())
  const reaction = fields["default_reaction_emoji"]
  return {
    ...(flags === undefined ? {} : { flags: flags & ChannelFlag.requireTag }),
    ...(tags === undefined ? {} : { availableTags: tags }),
    ...(reaction === undefined ? {} : { defaultReaction: readDefaultReaction(reaction) }),
    ...("default_sort_order" in fields ? { defaultSortOrder: sortOrder ?? null } : {}),
    ...(layout === undefined ? {} : { defaultLayout: layout })
  }
}

/** Text channels have names like `some-name`; categories keep the name as it is. */
const normalizeName = (type: number, name: string): string =>
  type === ChannelKind.category ? name : name.toLowerCase().replaceAll(/\s+/g, "-")

/** Only text and announcement channels convert, into each other. */
const readType = (form: Form, { type }: StoredChannel, fields: JsonObject): number => {
  const convertible: ReadonlyArray<number> = [ChannelKind.text, ChannelKind.announcement]
  return form.choice(fields, "type", [], convertible.includes(type) ? convertible : [type]) ?? type
}

const readParentId = (store: Store, form: Form, channel: StoredChannel, fields: JsonObject): string | null => {
  const id = form.id(fields, "parent_id", [])
  if (id === undefined) return null
  const parent = store.channels.get(id)
  const siblings = guildChannels(store).filter((sibling) => sibling.parentId === id && sibling.id !== channel.id).length
  if (parent?.type !== ChannelKind.category || channel.type === ChannelKind.category)
    form.addError(["parent_id"], "CHANNEL_PARENT_INVALID_TYPE", "Not a category")
  else if (siblings >= maxChildren)
    form.addError(
      ["parent_id"],
      "CHANNEL_PARENT_MAX_CHANNELS",
      `Maximum number of channels in category reached (${maxChildren})`
    )
  return id
}

const readDefaultReaction = (value: unknown): DefaultReaction | null => {
  if (!isJsonObject(value)) return null
  const text = (key: string): string | null => (typeof value[key] === "string" ? value[key] : null)
  return { emoji_id: text("emoji_id"), emoji_name: text("emoji_name") }
}
