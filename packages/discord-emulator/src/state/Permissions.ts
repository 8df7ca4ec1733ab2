import { apiErrors } from "../model/DiscordError.ts"
import { Form } from "../validate/Form.ts"
import { ChannelKind, Permission } from "../model/Constants.ts"
import type { StoredChannel, StoredRole } from "../model/Records.ts"
import type { Store } from "./Store.ts"

const all = BigInt(Permission.all)
const timedOutPermissions = Permission.viewChannel | Permission.readHistory
/** Permissions that need the permission to send. */
const needsSending = Permission.mentionEveryone | Permission.attachFiles | Permission.embedLinks

/** The permissions of a member in the guild, without overwrites; none for other users. */
export const guildPermissions = (store: Store, userId: string): bigint => {
  const member = store.members.get(userId)
  if (member === undefined) return 0n
  if (userId === store.guild.ownerId) return all
  let held = 0n
  for (const id of [store.guild.everyoneRoleId, ...member.roleIds])
    held |= BigInt(store.roles.get(id)?.permissions ?? 0)
  if ((held & Permission.administrator) !== 0n) return all
  return isTimedOut(store, userId) ? held & timedOutPermissions : held
}

/** The permissions of a user in a channel or thread, without those that need another missing permission. */
export const permissionsIn = (store: Store, userId: string, channel: StoredChannel): bigint => {
  if (channel.recipientId !== undefined)
    return userId === channel.recipientId || userId === store.guild.botId ? directPermissions : 0n
  const parent = channel.thread === undefined ? channel : store.channels.get(channel.parentId ?? "")
  if (parent === undefined) return 0n
  const held = withOverwrites(store, userId, parent)
  if (held === all) return all
  if ((held & Permission.viewChannel) === 0n) return 0n
  if (
    channel.type === ChannelKind.privateThread &&
    channel.thread?.memberIds.includes(userId) !== true &&
    (held & Permission.manageThreads) === 0n
  )
    return 0n
  const sending = channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads
  return (held & sending) === 0n ? held & ~needsSending : held
}

/** Whether a user has all of these permissions, in a channel or in the guild. */
export const can = (store: Store, userId: string, permissions: bigint, channel?: StoredChannel): boolean =>
  ((channel === undefined ? guildPermissions(store, userId) : permissionsIn(store, userId, channel)) & permissions) ===
  permissions

/** Throws 50001 when the user cannot see the channel, 50013 when a permission is missing there or in the guild. */
export const requirePermissions = (
  store: Store,
  userId: string,
  permissions: bigint,
  channel?: StoredChannel
): void => {
  if (channel !== undefined && !can(store, userId, Permission.viewChannel, channel)) throw apiErrors.missingAccess()
  if (!can(store, userId, permissions, channel)) throw apiErrors.missingPermissions()
}

/** Whether a user sees a channel. */
export const canView = (store: Store, userId: string, channel: StoredChannel): boolean =>
  can(store, userId, Permission.viewChannel, channel)

/** The position of a member's highest role; infinite for the owner. */
export const highestRole = (store: Store, userId: string): number => {
  if (userId === store.guild.ownerId) return Number.POSITIVE_INFINITY
  const positions = (store.members.get(userId)?.roleIds ?? []).map((id) => store.roles.get(id)?.position ?? 0)
  return Math.max(0, ...positions)
}

/** Throws 50013 unless a role is below the user's own highest one. */
export const requireHigherRole = (store: Store, userId: string, role: StoredRole): void => {
  if (highestRole(store, userId) <= role.position) throw apiErrors.missingPermissions()
}

/** Throws 50013 unless the user has all of these permissions. */
export const requirePermissionsHeld = (
  store: Store,
  userId: string,
  permissions: bigint,
  channel?: StoredChannel
): void => {
  const held = channel === undefined ? guildPermissions(store, userId) : permissionsIn(store, userId, channel)
  if ((permissions & ~held) !== 0n) throw apiErrors.missingPermissions()
}

/** Reads permission bits; throws 50035 for an invalid value. */
export const readBits = (value: unknown, key: string): bigint => {
  const form = new Form()
  const bits = form.bits({ [key]: value }, key, [])
  form.throwIfInvalid()
  return bits ?? 0n
}

/** In a direct channel both users may do everything but moderate. */
const directPermissions =
  BigInt(Permission.everyone) |
  Permission.viewChannel |
  Permission.sendMessages |
  Permission.pinMessages |
  Permission.bypassSlowmode

const withOverwrites = (store: Store, userId: string, channel: StoredChannel): bigint => {
  const guildBits = guildPermissions(store, userId)
  const { overwrites = [] } = channel
  if (guildBits === all || overwrites.length === 0) return guildBits
  const roleIds = store.members.get(userId)?.roleIds ?? []
  const { everyoneRoleId } = store.guild
  const bitsOf = (of: "allow" | "deny", ids: ReadonlyArray<string>): bigint =>
    overwrites.reduce((bits, overwrite) => (ids.includes(overwrite.id) ? bits | BigInt(overwrite[of]) : bits), 0n)
  let held = guildBits
  for (const ids of [[everyoneRoleId], roleIds, [userId]]) held = (held & ~bitsOf("deny", ids)) | bitsOf("allow", ids)
  return isTimedOut(store, userId) ? held & timedOutPermissions : held
}

const isTimedOut = (store: Store, userId: string): boolean => {
  const until = store.members.get(userId)?.timeoutUntil ?? null
  return until !== null && Date.parse(until) > store.clock.now()
}
