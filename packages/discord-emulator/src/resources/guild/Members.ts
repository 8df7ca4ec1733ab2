import { Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMember } from "../../model/Records.ts"
import { can, highestRole, requireHigherRole, requirePermissions } from "../../state/Permissions.ts"
import { dayMs } from "../../settings/Clock.ts"
import type { Store } from "../../state/Store.ts"
import { Form, formatValue, type JsonObject } from "../../validate/Form.ts"
import { findRole } from "./Roles.ts"

/** What bots and people do with guild members. Every method throws `DiscordError` when Discord would refuse. */
export interface Members {
  readonly find: (userId: string) => StoredMember
  readonly modify: (member: StoredMember, actorId: string, body: unknown) => StoredMember
  readonly setRole: (member: StoredMember, actorId: string, roleId: string, hasRole: boolean) => void
  /** Kicks a member; members may remove themselves. */
  readonly remove: (member: StoredMember, actorId: string) => void
  /** Adds a user again who had left the guild. */
  readonly join: (userId: string) => void
}

const maxTimeoutMs = 28 * dayMs

export const makeMembers = (store: Store): Members => ({
  find: (userId) => {
    const member = store.members.get(userId)
    if (member === undefined) throw apiErrors.unknownMember()
    return member
  },
  modify: (member, actorId, body) => modifyMember(store, member, actorId, body),
  setRole: (member, actorId, roleId, hasRole) => {
    requirePermissions(store, actorId, Permission.manageRoles)
    requireAssignable(store, roleId, actorId)
    if (member.roleIds.includes(roleId) === hasRole) return
    const roleIds = hasRole ? [...member.roleIds, roleId] : member.roleIds.filter((id) => id !== roleId)
    commitMember(store, { ...member, roleIds })
  },
  remove: (member, actorId) => {
    if (member.id === store.guild.ownerId) throw apiErrors.missingPermissions()
    if (member.id !== actorId) {
      requirePermissions(store, actorId, Permission.kickMembers)
      requireLowerMember(store, actorId, member)
    }
    store.commit({ kind: "member_gone", id: member.id })
  },
  join: (userId) => {
    if (store.members.has(userId)) return
    commitMember(store, { id: userId, nick: null, roleIds: [], joinedAt: store.timestamp(), timeoutUntil: null })
  }
})

const commitMember = (store: Store, value: StoredMember): StoredMember => {
  store.commit({ kind: "member", value })
  return value
}

const modifyMember = (store: Store, member: StoredMember, actorId: string, body: unknown): StoredMember => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  if ("nick" in fields) requireMayRename(store, member, actorId)
  const nick = form.text(fields, "nick", [], { max: 32 })
  // Clients may send the @everyone role with the others.
  const roleIds = form.ids(fields, "roles", [], { max: 250 })?.filter((id) => id !== store.guild.everyoneRoleId)
  const timeoutUntil =
    "communication_disabled_until" in fields ? readTimeout(store, member, actorId, form, fields) : member.timeoutUntil
  form.throwIfInvalid()
  if (roleIds !== undefined) requireMayAssign(store, member, actorId, roleIds)
  return commitMember(store, {
    ...member,
    timeoutUntil,
    ...("nick" in fields ? { nick: nick === undefined || nick === "" ? null : nick } : {}),
    ...(roleIds === undefined ? {} : { roleIds: [...new Set(roleIds)] })
  })
}

const requireMayRename = (store: Store, member: StoredMember, actorId: string): void => {
  if (actorId === member.id) return requirePermissions(store, actorId, Permission.changeNickname)
  requirePermissions(store, actorId, Permission.manageNicknames)
  requireLowerMember(store, actorId, member)
}

const requireMayAssign = (
  store: Store,
  member: StoredMember,
  actorId: string,
  roleIds: ReadonlyArray<string>
): void => {
  requirePermissions(store, actorId, Permission.manageRoles)
  const all = new Set([...roleIds, ...member.roleIds])
  for (const id of all) if (roleIds.includes(id) !== member.roleIds.includes(id)) requireAssignable(store, id, actorId)
}

/** Throws 50028 for managed roles and @everyone, and 50013 for roles that are not below the user's highest one. */
const requireAssignable = (store: Store, roleId: string, actorId: string): void => {
  const role = findRole(store, roleId)
  if (role.managed || roleId === store.guild.everyoneRoleId) throw apiErrors.invalidRole()
  requireHigherRole(store, actorId, role)
}

/** Throws 50013 unless the member's highest role is below the user's. */
const requireLowerMember = (store: Store, actorId: string, { id }: StoredMember): void => {
  if (highestRole(store, actorId) <= highestRole(store, id)) throw apiErrors.missingPermissions()
}

const readTimeout = (
  store: Store,
  member: StoredMember,
  actorId: string,
  form: Form,
  fields: JsonObject
): string | null => {
  requirePermissions(store, actorId, Permission.moderateMembers)
  if (can(store, member.id, Permission.administrator)) throw apiErrors.missingPermissions()
  requireLowerMember(store, actorId, member)
  const value = fields["communication_disabled_until"]
  if (value === null) return null
  const until = typeof value === "string" ? Date.parse(value) : Number.NaN
  const path = ["communication_disabled_until"]
  if (Number.isNaN(until))
    form.addError(path, "DATE_TIME_TYPE_PARSE", `Could not parse ${formatValue(value)}. Should be ISO8601.`)
  else if (until - store.clock.now() > maxTimeoutMs)
    form.addError(path, "DATE_TIME_TYPE_MAX", "The timeout may end at most 28 days from now.")
  else return new Date(until).toISOString()
  return null
}
