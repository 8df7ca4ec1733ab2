import type { Context } from "../../context/Context.ts"
import type { StoredRole } from "../../model/Records.ts"
import { type Call, inGuild, noContent, ok, param, type Route } from "../routing/Router.ts"

const path = "/guilds/:guild/roles"

/** The roles of the guild. */
export const roleRoutes = (context: Context): ReadonlyArray<Route> => {
  const { render, roles, store } = context
  const found = (call: Call): StoredRole => roles.find(param(call, "role"))
  const all = () => [...store.roles.values()].map(render.role)
  return inGuild(context, [
    { method: "GET", path, handle: () => ok(all()) },
    { method: "POST", path, handle: (call) => ok(render.role(roles.create(call.by, call.json))) },
    {
      method: "PATCH",
      path,
      handle: (call) => {
        roles.setPositions(call.by, call.json)
        return ok(all())
      }
    },
    {
      method: "GET",
      path: `${path}/member-counts`,
      handle: () => {
        const count = (id: string) => [...store.members.values()].filter(({ roleIds }) => roleIds.includes(id)).length
        const counted = [...store.roles.keys()].filter((id) => id !== store.realm.everyoneRoleId)
        return ok(Object.fromEntries(counted.map((id) => [id, count(id)])))
      }
    },
    { method: "GET", path: `${path}/:role`, handle: (call) => ok(render.role(found(call))) },
    {
      method: "PATCH",
      path: `${path}/:role`,
      handle: (call) => ok(render.role(roles.modify(found(call), call.by, call.json)))
    },
    {
      method: "DELETE",
      path: `${path}/:role`,
      handle: (call) => {
        roles.delete(found(call), call.by)
        return noContent
      }
    }
  ])
}
