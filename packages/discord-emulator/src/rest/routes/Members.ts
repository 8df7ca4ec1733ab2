import type { Context } from "../../context/Context.ts"
import type { StoredMember } from "../../model/Records.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { type Call, inGuild, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const path = "/guilds/:guild/members"
/** The privileged intent that listing members needs. */
const membersIntent = 1 << 1

/** The members of the guild. */
export const memberRoutes = (context: Context): ReadonlyArray<Route> => {
  const { members, render, settings, store } = context
  const found = (call: Call): StoredMember => {
    const id = param(call, "user")
    return members.find(id === "@me" ? call.by : id)
  }
  const limitOf = (call: Call): number => {
    const form = new Form()
    const limit = form.integer(Object.fromEntries(call.query), "limit", [], { min: 1, max: 1000 }) ?? 1
    form.check()
    return limit
  }
  const setRole = (has: boolean) => (call: Call) => {
    members.setRole(found(call), call.by, param(call, "role"), has)
    return noContent
  }
  return inGuild(context, [
    {
      method: "GET",
      path,
      handle: (call) => {
        if ((settings.refusedIntents & membersIntent) !== 0) throw apiErrors.missingAccess()
        const form = new Form()
        const after = form.id(Object.fromEntries(call.query), "after", []) ?? "0"
        form.check()
        const ids = [...store.members.keys()].filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
        return ok(ids.slice(0, limitOf(call)).map(render.member))
      }
    },
    {
      method: "GET",
      path: `${path}/search`,
      handle: (call) => {
        const form = new Form()
        const query = form.text(Object.fromEntries(call.query), "query", [], { min: 1, max: 100, required: true }) ?? ""
        form.check()
        const starts = (text: string | null): boolean => text?.toLowerCase().startsWith(query.toLowerCase()) === true
        const matching = [...store.members.values()].filter(
          ({ id, nick }) => starts(nick) || starts(store.users.get(id)?.username ?? null)
        )
        return ok(matching.slice(0, limitOf(call)).map(({ id }) => render.member(id)))
      }
    },
    { method: "GET", path: `${path}/:user`, handle: (call) => ok(render.member(found(call).id)) },
    {
      method: "PATCH",
      path: `${path}/:user`,
      handle: (call) => ok(render.member(members.modify(found(call), call.by, call.json).id))
    },
    {
      method: "DELETE",
      path: `${path}/:user`,
      handle: (call) => {
        members.remove(found(call), call.by)
        return noContent
      }
    },
    { method: "PUT", path: `${path}/:user/roles/:role`, handle: setRole(true) },
    { method: "DELETE", path: `${path}/:user/roles/:role`, handle: setRole(false) }
  ])
}
