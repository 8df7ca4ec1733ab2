import type { AllowedMentions } from "../../validate/MessageBody.ts"
import { isJsonObject } from "../../validate/Form.ts"
import { Component, Permission } from "../../model/Constants.ts"
import type { StoredChannel, StoredMessage } from "../../model/Records.ts"
import { can } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"

/** The parts of a message that decide its mentions. */
interface MentionSource {
  readonly channel: StoredChannel
  readonly authorId: string
  readonly content: string
  readonly components: ReadonlyArray<unknown>
  readonly reference: StoredMessage["reference"]
  /** Interaction responses and webhooks mention only users by default. */
  readonly usersOnly: boolean
}

/** The mentions of a message that its sender allows and may use. */
export const mentionsIn = (
  store: Store,
  { authorId, channel, components, content, reference, usersOnly }: MentionSource,
  allowed: AllowedMentions | undefined
): Pick<StoredMessage, "mentionIds" | "mentionEveryone" | "mentionRoleIds"> => {
  const text = [content, ...textsOf(components)].join("\n")
  const parse = allowed?.parse ?? (usersOnly ? ["users"] : ["users", "roles", "everyone"])
  const idsMatching = (pattern: RegExp): ReadonlyArray<string> =>
    [...text.matchAll(pattern)].flatMap(([, id]) => id ?? [])
  const allowedIds = (
    ids: ReadonlyArray<string>,
    kind: string,
    explicitIds: ReadonlyArray<string>
  ): ReadonlyArray<string> => (parse.includes(kind) ? ids : ids.filter((id) => explicitIds.includes(id)))

  const users = allowedIds(idsMatching(/<@!?(\d{17,19})>/g), "users", allowed?.users ?? [])
  const roles = allowedIds(idsMatching(/<@&(\d{17,19})>/g), "roles", allowed?.roles ?? [])
  const repliedMessage =
    reference?.messageId === undefined ? undefined : store.messages.get(reference.channelId, reference.messageId)
  const repliedAuthorIds =
    repliedMessage !== undefined && (allowed === undefined || allowed.repliedUser) ? [repliedMessage.authorId] : []
  const mayPingAll = usersOnly || can(store, authorId, Permission.mentionEveryone, channel)
  return {
    mentionIds: [...new Set([...repliedAuthorIds, ...users])].filter((id) => store.users.has(id)),
    mentionRoleIds: [...new Set(roles)].filter((id) => store.roles.get(id)?.mentionable === true || mayPingAll),
    mentionEveryone: /@(everyone|here)\b/.test(text) && parse.includes("everyone") && mayPingAll
  }
}

/** The texts that components show. */
function* textsOf(components: ReadonlyArray<unknown>): Iterable<string> {
  for (const component of components) {
    if (!isJsonObject(component)) continue
    if (component["type"] === Component.textDisplay) yield String(component["content"])
    if (Array.isArray(component["components"])) yield* textsOf(component["components"])
  }
}
