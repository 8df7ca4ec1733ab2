import { refuse } from "../../model/DiscordError.ts"
import { type Fields, Form, isFields } from "../../validate/Form.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredRole } from "../../model/Records.ts"
import { demand, demandAbove, demandHeld, readBits } from "../../state/Permissions.ts"
import type { World } from "../../state/World.ts"

/** The rules of roles. */
export interface Roles {
  readonly find: (id: string) => StoredRole
  readonly create: (userId: string, body: unknown) => StoredRole
  readonly change: (role: StoredRole, userId: string, body: unknown) => StoredRole
  readonly move: (userId: string, body: unknown) => void
  readonly remove: (role: StoredRole, userId: string) => void
}

const most = 250

export const makeRoles = (world: World): Roles => {
  const save = (value: StoredRole): StoredRole => {
    world.commit({ kind: "role", value })
    return value
  }
  const find: Roles["find"] = (id) => {
    const found = world.roles.get(id)
    if (found === undefined) throw refuse.unknownRole()
    return found
  }
  const everyone = (): StoredRole => find(world.realm.everyoneRoleId)

  const read = (before: StoredRole, userId: string, body: unknown): StoredRole => {
    const form = new Form()
    const fields = form.object(body ?? {}, []) ?? {}
    const name = form.text(fields, "name", [], { max: 100 })
    const color = form.integer(colorsOf(fields), "primary_color", [], { min: 0, max: 0xffffff })
    form.check()
    const permissions =
      fields["permissions"] === undefined || fields["permissions"] === null
        ? undefined
        : readBits(fields["permissions"], "permissions")
    if (permissions !== undefined) demandHeld(world, userId, permissions & ~BigInt(before.permissions))
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

  return {
    find,
    create: (userId, body) => {
      demand(world, userId, Permission.manageRoles)
      if (world.roles.size >= most) throw refuse.tooMany(30_005, "guild roles", most)
      // New roles come in at the bottom and push the others up.
      const blank = { ...everyone(), id: world.ids.next(), name: "new role", position: 1, managed: false }
      const role = read(blank, userId, body)
      for (const other of world.roles.values())
        if (other.position >= 1) save({ ...other, position: other.position + 1 })
      return save(role)
    },
    change: (role, userId, body) => {
      demand(world, userId, Permission.manageRoles)
      demandAbove(world, userId, role)
      return save(read(role, userId, body))
    },
    move: (userId, body) => {
      demand(world, userId, Permission.manageRoles)
      const wanted = new Map<StoredRole, number>()
      const form = new Form()
      for (const [index, entry] of (Array.isArray(body) ? body.filter(isFields) : []).entries()) {
        const id = form.id(entry, "id", [index])
        form.check()
        const role = find(id ?? "")
        demandAbove(world, userId, role)
        if (role.id === world.realm.everyoneRoleId) throw refuse.invalidRole()
        if (typeof entry["position"] === "number") wanted.set(role, entry["position"])
      }
      const place = (role: StoredRole): number => wanted.get(role) ?? role.position
      const others = [...world.roles.values()].filter(({ id }) => id !== world.realm.everyoneRoleId)
      others
        .toSorted((a, b) => place(a) - place(b) || (wanted.has(a) ? 1 : 0) - (wanted.has(b) ? 1 : 0))
        .forEach((role, index) => {
          if (role.position !== index + 1) save({ ...role, position: index + 1 })
        })
    },
    remove: (role, userId) => {
      demand(world, userId, Permission.manageRoles)
      if (role.managed || role.id === world.realm.everyoneRoleId) throw refuse.invalidRole()
      demandAbove(world, userId, role)
      for (const member of world.members.values())
        if (member.roleIds.includes(role.id))
          world.commit({
            kind: "member",
            value: { ...member, roleIds: member.roleIds.filter((id) => id !== role.id) }
          })
      for (const channel of world.channels.values())
        if (channel.overwrites?.some(({ id }) => id === role.id) === true)
          world.commit({
            kind: "channel",
            value: { ...channel, overwrites: channel.overwrites.filter(({ id }) => id !== role.id) }
          })
      world.commit({ kind: "role_gone", id: role.id })
    }
  }
}

/** The colour by its new name or its old one. */
const colorsOf = (fields: Fields): Fields =>
  isFields(fields["colors"]) ? fields["colors"] : { primary_color: fields["color"] }
