import type { Context } from "../../context/Context.ts"
import type { StoredMember } from "../../model/Records.ts"
import { compareIds } from "../../model/Snowflake.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { type Call, inGuild, noContent, ok, param, type Route } from "../routing/Router.ts"
import { Form } from "../../validate/Form.ts"

const membersPath = "/guilds/:guild/members"
/** The privileged intent that listing members needs. */
const membersIntent = 1 << 1

/** The members of the guild. */
export const memberRoutes = (context: Context): ReadonlyArray<Route> => {
  const { members, render, settings, store } = context
  const findRequestedMember = (call: Call): StoredMember => {
    const id = param(call, "user")
    return members.find(id === "@me" ? call.actorId : id)
  }
  const readLimit = (call: Call): number => {
    const form = new Form()
    const limit = form.integer(Object.fromEntries(call.query), "limit", [], { min: 1, max: 1000 }) ?? 1
    form.throwIfInvalid()
    return limit
  }
  const makeSetRole = (hasRole: boolean) => (call: Call) => {
    members.setRole(findRequestedMember(call), call.actorId, param(call, "role"), hasRole)
    return noContent
  }
  return inGuild(context, [
    {
      method: "GET",
      path: membersPath,
      handle: (call) => {
        if ((settings.refusedIntents & membersIntent) !== 0) throw apiErrors.missingAccess()
        const form = new Form()
        const after = form.id(Object.fromEntries(call.query), "after", []) ?? "0"
        form.throwIfInvalid()
        const ids = [...store.members.keys()].filter((id) => compareIds(id, after) > 0).toSorted(compareIds)
        return ok(ids.slice(0, readLimit(call)).map(render.member))
      }
    },
    {
      method: "GET",
      path: `${membersPath}/search`,
      handle: (call) => {
        const form = new Form()
        const query = form.text(Object.fromEntries(call.query), "query", [], { min: 1, max: 100, required: true }) ?? ""
        form.throwIfInvalid()
        const startsWithQuery = (text: string | null): boolean =>
          text?.toLowerCase().startsWith(query.toLowerCase()) === true
        const matches = [...store.members.values()].filter(
          ({ id, nick }) => startsWithQuery(nick) || startsWithQuery(store.users.get(id)?.username ?? null)
        )
        return ok(matches.slice(0, readLimit(call)).map(({ id }) => render.member(id)))
      }
    },
    { method: "GET", path: `${membersPath}/:user`, handle: (call) => ok(render.member(findRequestedMember(call).id)) },
    {
      method: "PATCH",
      path: `${membersPath}/:user`,
      handle: (call) => ok(render.member(members.modify(findRequestedMember(call), call.actorId, call.json).id))
    },
    {
      method: "DELETE",
      path: `${membersPath}/:user`,
      handle: (call) => {
        members.remove(findRequestedMember(call), call.actorId)
        return noContent
      }
    },
    { method: "PUT", path: `${membersPath}/:user/roles/:role`, handle: makeSetRole(true) },
    { method: "DELETE", path: `${membersPath}/:user/roles/:role`, handle: makeSetRole(false) }
  ])
}
