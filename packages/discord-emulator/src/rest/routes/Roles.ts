import type { Context } from "../../context/Context.ts"
import type { StoredRole } from "../../model/Records.ts"
import { type Call, inGuild, noContent, ok, param, type Route } from "../routing/Router.ts"

const rolesPath = "/guilds/:guild/roles"

/** The roles of the guild. */
export const roleRoutes = (context: Context): ReadonlyArray<Route> => {
  const { render, roles, store } = context
  const findRole = (call: Call): StoredRole => roles.find(param(call, "role"))
  const renderAll = () => [...store.roles.values()].map(render.role)
  return inGuild(context, [
    { method: "GET", path: rolesPath, handle: () => ok(renderAll()) },
    { method: "POST", path: rolesPath, handle: (call) => ok(render.role(roles.create(call.actorId, call.json))) },
    {
      method: "PATCH",
      path: rolesPath,
      handle: (call) => {
        roles.setPositions(call.actorId, call.json)
        return ok(renderAll())
      }
    },
    {
      method: "GET",
      path: `${rolesPath}/member-counts`,
      handle: () => {
        const countMembers = (id: string) =>
          [...store.members.values()].filter(({ roleIds }) => roleIds.includes(id)).length
        const countedIds = [...store.roles.keys()].filter((id) => id !== store.guild.everyoneRoleId)
        return ok(Object.fromEntries(countedIds.map((id) => [id, countMembers(id)])))
      }
    },
    { method: "GET", path: `${rolesPath}/:role`, handle: (call) => ok(render.role(findRole(call))) },
    {
      method: "PATCH",
      path: `${rolesPath}/:role`,
      handle: (call) => ok(render.role(roles.modify(findRole(call), call.actorId, call.json)))
    },
    {
      method: "DELETE",
      path: `${rolesPath}/:role`,
      handle: (call) => {
        roles.delete(findRole(call), call.actorId)
        return noContent
      }
    }
  ])
}
