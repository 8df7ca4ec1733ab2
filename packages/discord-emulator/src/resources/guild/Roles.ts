import { Permission } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredRole } from "../../model/Records.ts"
import { readBits, requireHigherRole, requirePermissions, requirePermissionsHeld } from "../../state/Permissions.ts"
import type { Store } from "../../state/Store.ts"
import { Form, isJsonObject, type JsonObject } from "../../validate/Form.ts"

/** What bots and people do with roles. Every method throws `DiscordError` when Discord would refuse. */
export interface Roles {
  readonly find: (id: string) => StoredRole
  readonly create: (userId: string, body: unknown) => StoredRole
  readonly modify: (role: StoredRole, userId: string, body: unknown) => StoredRole
  readonly setPositions: (userId: string, body: unknown) => void
  readonly delete: (role: StoredRole, userId: string) => void
}

const maxRoles = 250

export const makeRoles = (store: Store): Roles => ({
  find: (id) => findRole(store, id),
  create: (userId, body) => createRole(store, userId, body),
  modify: (role, userId, body) => {
    requirePermissions(store, userId, Permission.manageRoles)
    requireHigherRole(store, userId, role)
    return commitRole(store, readRole(store, role, userId, body))
  },
  setPositions: (userId, body) => setPositions(store, userId, body),
  delete: (role, userId) => deleteRole(store, role, userId)
})

/** The role; throws 10011 when there is none. */
export const findRole = (store: Store, id: string): StoredRole => {
  const role = store.roles.get(id)
  if (role === undefined) throw apiErrors.unknownRole()
  return role
}

const commitRole = (store: Store, value: StoredRole): StoredRole => {
  store.commit({ kind: "role", value })
  return value
}

const createRole = (store: Store, userId: string, body: unknown): StoredRole => {
  requirePermissions(store, userId, Permission.manageRoles)
  if (store.roles.size >= maxRoles) throw apiErrors.tooMany(30_005, "guild roles", maxRoles)
  const everyone = findRole(store, store.guild.everyoneRoleId)
  // A new role starts at the bottom and moves the others up.
  const blank = { ...everyone, id: store.ids.next(), name: "new role", position: 1, managed: false }
  const role = readRole(store, blank, userId, body)
  for (const other of store.roles.values())
    if (other.position >= 1) commitRole(store, { ...other, position: other.position + 1 })
  return commitRole(store, role)
}

const setPositions = (store: Store, userId: string, body: unknown): void => {
  requirePermissions(store, userId, Permission.manageRoles)
  const { everyoneRoleId } = store.guild
  const requested = new Map<StoredRole, number>()
  const form = new Form()
  for (const [index, entry] of (Array.isArray(body) ? body.filter(isJsonObject) : []).entries()) {
    const id = form.id(entry, "id", [index])
    form.throwIfInvalid()
    const role = findRole(store, id ?? "")
    requireHigherRole(store, userId, role)
    if (role.id === everyoneRoleId) throw apiErrors.invalidRole()
    if (typeof entry["position"] === "number") requested.set(role, entry["position"])
  }
  const positionOf = (role: StoredRole): number => requested.get(role) ?? role.position
  const moveRank = (role: StoredRole): number => (requested.has(role) ? 1 : 0)
  ;[...store.roles.values()]
    .filter(({ id }) => id !== everyoneRoleId)
    .toSorted((a, b) => positionOf(a) - positionOf(b) || moveRank(a) - moveRank(b))
    .forEach((role, index) => {
      if (role.position !== index + 1) commitRole(store, { ...role, position: index + 1 })
    })
}

const deleteRole = (store: Store, role: StoredRole, userId: string): void => {
  requirePermissions(store, userId, Permission.manageRoles)
  if (role.managed || role.id === store.guild.everyoneRoleId) throw apiErrors.invalidRole()
  requireHigherRole(store, userId, role)
  for (const member of store.members.values()) {
    if (!member.roleIds.includes(role.id)) continue
    const roleIds = member.roleIds.filter((id) => id !== role.id)
    store.commit({ kind: "member", value: { ...member, roleIds } })
  }
  for (const channel of store.channels.values()) {
    const { overwrites = [] } = channel
    const remaining = overwrites.filter(({ id }) => id !== role.id)
    if (remaining.length < overwrites.length)
      store.commit({ kind: "channel", value: { ...channel, overwrites: remaining } })
  }
  store.commit({ kind: "role_gone", id: role.id })
}

const readRole = (store: Store, before: StoredRole, userId: string, body: unknown): StoredRole => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { max: 100 })
  const color = form.integer(colorsOf(fields), "primary_color", [], { min: 0, max: 0xffffff })
  form.throwIfInvalid()
  const bits = fields["permissions"] ?? undefined
  const permissions = bits === undefined ? undefined : readBits(bits, "permissions")
  if (permissions !== undefined) requirePermissionsHeld(store, userId, permissions & ~BigInt(before.permissions))
  const flag = (key: "hoist" | "mentionable"): object =>
    typeof fields[key] === "boolean" ? { [key]: fields[key] } : {}
  return {
    ...before,
    ...(name === undefined || name === "" ? {} : { name }),
    ...(color === undefined ? {} : { color }),
    ...(permissions === undefined ? {} : { permissions: String(permissions) }),
    ...flag("hoist"),
    ...flag("mentionable")
  }
}

/** The color in `colors`, or in the older field `color`. */
const colorsOf = (fields: JsonObject): JsonObject =>
  isJsonObject(fields["colors"]) ? fields["colors"] : { primary_color: fields["color"] }
