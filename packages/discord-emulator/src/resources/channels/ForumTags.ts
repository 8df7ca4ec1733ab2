import type { APIGuildForumTag } from "discord-api-types/v10"
import { apiErrors } from "../../model/DiscordError.ts"
import { type Form, isJsonObject, type Path } from "../../validate/Form.ts"
import { ChannelFlag, ChannelKind, Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { can } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"

/** Checks the tags of a forum (at most 20, names of 1 to 20 characters, each once); new ones get an id. */
export const readForumTags = (
  form: Form,
  list: ReadonlyArray<unknown> | undefined,
  storedTags: ReadonlyArray<APIGuildForumTag>,
  newId: () => string
): ReadonlyArray<APIGuildForumTag> | undefined => {
  const tags = list?.map((value, index): APIGuildForumTag => {
    const path: Path = ["available_tags", index]
    const tag = isJsonObject(value) ? value : (form.object(value, path) ?? {})
    const name = form.text(tag, "name", path, { min: 1, max: 20, required: true }) ?? ""
    const stored = storedTags.find((storedTag) => storedTag.id === tag["id"])
    return {
      id: stored?.id ?? newId(),
      name,
      moderated: tag["moderated"] === true,
      emoji_id: typeof tag["emoji_id"] === "string" ? tag["emoji_id"] : null,
      emoji_name: typeof tag["emoji_name"] === "string" ? tag["emoji_name"] : null
    }
  })
  const names = tags?.map(({ name }) => name.toLowerCase()) ?? []
  if (new Set(names).size < names.length) throw apiErrors.duplicateTag()
  return tags
}

/** Throws for unknown tags, for a missing required tag, and for moderated tags without Manage Threads. */
export const requireForumTags = (
  store: Store,
  forum: StoredChannel,
  userId: string,
  tagIds: ReadonlyArray<string>,
  previousTagIds: ReadonlyArray<string>
): void => {
  if (forum.type !== ChannelKind.forum) return
  const available = forum.availableTags ?? []
  if (tagIds.length === 0 && ((forum.flags ?? 0) & ChannelFlag.requireTag) !== 0) throw apiErrors.tagRequired()
  if (tagIds.some((id) => !available.some((tag) => tag.id === id))) throw apiErrors.unknownTag()
  const changedTags = available.filter(({ id }) => tagIds.includes(id) !== previousTagIds.includes(id))
  if (changedTags.some((tag) => tag.moderated) && !can(store, userId, Permission.manageThreads, forum))
    throw apiErrors.missingPermissions()
}
