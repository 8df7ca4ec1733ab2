import { refuse } from "../../model/DiscordError.ts"
import { type Fields, Form, shown } from "../../validate/Form.ts"
import { Permission } from "../../model/Constants.ts"
import type { StoredMember } from "../../model/Records.ts"
import { can, demand, demandAbove, highestRole } from "../../state/Permissions.ts"
import type { Roles } from "./Roles.ts"
import type { World } from "../../state/World.ts"

/** The rules of the guild's members. */
export interface Members {
  readonly find: (userId: string) => StoredMember
  readonly change: (member: StoredMember, byId: string, body: unknown) => StoredMember
  readonly setRole: (member: StoredMember, byId: string, roleId: string, has: boolean) => void
  /** Puts somebody out; oneself without asking. */
  readonly remove: (member: StoredMember, byId: string) => void
  /** Brings a user who left into the guild again. */
  readonly join: (userId: string) => void
}

/** The longest timeout. */
const mostTimeoutMs = 28 * 86_400_000

export const makeMembers = (world: World, roles: Roles): Members => {
  const save = (value: StoredMember): StoredMember => {
    world.commit({ kind: "member", value })
    return value
  }
  /** Moderation reaches only those below. */
  const demandBelow = (byId: string, { id }: StoredMember): void => {
    if (highestRole(world, byId) <= highestRole(world, id)) throw refuse.missingPermissions()
  }

  const readTimeout = (member: StoredMember, byId: string, form: Form, fields: Fields): string | null => {
    demand(world, byId, Permission.moderateMembers)
    if (can(world, member.id, Permission.administrator)) throw refuse.missingPermissions()
    demandBelow(byId, member)
    const value = fields["communication_disabled_until"]
    if (value === null) return null
    const until = typeof value === "string" ? Date.parse(value) : Number.NaN
    const path = ["communication_disabled_until"]
    if (Number.isNaN(until))
      form.add(path, "DATE_TIME_TYPE_PARSE", `Could not parse ${shown(value)}. Should be ISO8601.`)
    else if (until - world.clock.now() > mostTimeoutMs)
      form.add(path, "DATE_TIME_TYPE_MAX", "The timeout may end at most 28 days from now.")
    else return new Date(until).toISOString()
    return null
  }

  return {
    find: (userId) => {
      const found = world.members.get(userId)
      if (found === undefined) throw refuse.unknownMember()
      return found
    },
    change: (member, byId, body) => {
      const form = new Form()
      const fields = form.object(body ?? {}, []) ?? {}
      if ("nick" in fields) {
        if (byId === member.id) demand(world, byId, Permission.changeNickname)
        else {
          demand(world, byId, Permission.manageNicknames)
          demandBelow(byId, member)
        }
      }
      const nick = form.text(fields, "nick", [], { max: 32 })
      // The role that everybody has may stand in the list.
      const list = form.ids(fields, "roles", [], { max: 250 })?.filter((id) => id !== world.realm.everyoneRoleId)
      const timeout =
        "communication_disabled_until" in fields ? readTimeout(member, byId, form, fields) : member.timeoutUntil
      form.check()
      if (list !== undefined) {
        demand(world, byId, Permission.manageRoles)
        const changed = [...new Set([...list, ...member.roleIds])].filter(
          (id) => list.includes(id) !== member.roleIds.includes(id)
        )
        for (const id of changed) demandGivable(id, byId)
      }
      return save({
        ...member,
        timeoutUntil: timeout,
        ...("nick" in fields ? { nick: nick === undefined || nick === "" ? null : nick } : {}),
        ...(list === undefined ? {} : { roleIds: [...new Set(list)] })
      })
    },
    setRole: (member, byId, roleId, has) => {
      demand(world, byId, Permission.manageRoles)
      demandGivable(roleId, byId)
      if (member.roleIds.includes(roleId) === has) return
      const roleIds = has ? [...member.roleIds, roleId] : member.roleIds.filter((id) => id !== roleId)
      save({ ...member, roleIds })
    },
    remove: (member, byId) => {
      if (member.id === world.realm.ownerId) throw refuse.missingPermissions()
      if (member.id !== byId) {
        demand(world, byId, Permission.kickMembers)
        demandBelow(byId, member)
      }
      world.commit({ kind: "member_gone", id: member.id })
    },
    join: (userId) => {
      if (world.members.has(userId)) return
      save({ id: userId, nick: null, roleIds: [], joinedAt: world.timestamp(), timeoutUntil: null })
    }
  }

  /** Roles of bots belong to them alone, and others only to whom is above. */
  function demandGivable(id: string, byId: string): void {
    const role = roles.find(id)
    if (role.managed || id === world.realm.everyoneRoleId) throw refuse.invalidRole()
    demandAbove(world, byId, role)
  }
}
