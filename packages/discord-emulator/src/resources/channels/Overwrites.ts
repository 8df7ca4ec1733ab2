import { Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { Overwrite, StoredChannel } from "../../model/Records.ts"
import { can, guildPermissions, readBits, requirePermissions, requirePermissionsHeld } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { Form, isJsonObject, type JsonObject } from "../../validate/Form.ts"

/**
 * Checks the form of `permission_overwrites`. The returned function reads the overwrites, and throws when the actor
 * may not set them; call it after `form.throwIfInvalid()`.
 */
export const parseOverwriteList = (
  store: Store,
  form: Form,
  channel: StoredChannel,
  actorId: string,
  fields: JsonObject
): (() => ReadonlyArray<Overwrite>) | undefined => {
  const list = form.list(fields, "permission_overwrites", [], { max: 1000 })
  list?.forEach((value, index) => {
    const at = ["permission_overwrites", index]
    const overwrite = form.object(value, at) ?? {}
    form.id(overwrite, "id", at)
    form.choice(overwrite, "type", at, [0, 1])
  })
  if (list === undefined) return undefined
  return () => list.map((value) => parseOverwrite(store, channel, actorId, isJsonObject(value) ? value : {}))
}

/** Adds or replaces the overwrite of a role or member. */
export const setOverwrite = (
  store: Store,
  channel: StoredChannel,
  actorId: string,
  id: string,
  body: unknown
): void => {
  if (channel.guildId === undefined) throw apiErrors.notInDirectChannel()
  if (channel.thread !== undefined) throw apiErrors.notInChannelType()
  requirePermissions(store, actorId, Permission.manageRoles, channel)
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  form.choice(fields, "type", [], [0, 1])
  if (fields["type"] === undefined) form.addRequiredError(["type"])
  form.throwIfInvalid()
  const overwrite = parseOverwrite(store, channel, actorId, { ...fields, id })
  const others = (channel.overwrites ?? []).filter((overwrite) => overwrite.id !== id)
  store.commit({ kind: "channel", value: { ...channel, overwrites: [...others, overwrite] } })
}

/** Removes the overwrite of a role or member. */
export const removeOverwrite = (store: Store, channel: StoredChannel, actorId: string, id: string): void => {
  if (channel.guildId === undefined) throw apiErrors.notInDirectChannel()
  requirePermissions(store, actorId, Permission.manageRoles, channel)
  // A thread has no overwrites, so removing one fails below as unknown.
  const { overwrites = [] } = channel
  if (!overwrites.some((overwrite) => overwrite.id === id)) throw apiErrors.unknownOverwrite()
  store.commit({
    kind: "channel",
    value: { ...channel, overwrites: overwrites.filter((overwrite) => overwrite.id !== id) }
  })
}

const parseOverwrite = (store: Store, channel: StoredChannel, actorId: string, fields: JsonObject): Overwrite => {
  const form = new Form()
  const id = form.id(fields, "id", []) ?? ""
  form.throwIfInvalid()
  const type = fields["type"] === 1 || (fields["type"] === undefined && store.users.has(id)) ? 1 : 0
  if (!(type === 1 ? store.users : store.roles).has(id)) throw apiErrors.unknownOverwrite()
  const allow = readBits(fields["allow"] ?? "0", "allow")
  const deny = readBits(fields["deny"] ?? "0", "deny")
  const current = channel.overwrites?.find((overwrite) => overwrite.id === id)
  const changed = (allow ^ BigInt(current?.allow ?? 0)) | (deny ^ BigInt(current?.deny ?? 0))
  // A user who got Manage Roles from an overwrite of this channel may set every permission in it.
  const grantedHere =
    can(store, actorId, Permission.manageRoles, channel) &&
    (guildPermissions(store, actorId) & Permission.manageRoles) === 0n
  if (!grantedHere) requirePermissionsHeld(store, actorId, changed)
  return { id, type, allow: String(allow), deny: String(deny) }
}
