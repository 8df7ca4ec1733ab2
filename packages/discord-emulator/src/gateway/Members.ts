import type { Context } from "../context/Context.ts"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { isSnowflake } from "../model/Snowflake.ts"
import type { FixedWindows } from "../limits/FixedWindows.ts"
import { Intent, Op } from "./Codes.ts"
import { type Presence, renderPresence } from "./Presence.ts"
import type { Session } from "./Session.ts"
import { handlesGuild } from "./SessionFilter.ts"
import type { Sessions } from "./Sessions.ts"

/** A request for members of a guild (op 8). */
export interface MembersRequest {
  readonly guildId: string
  readonly filter: { readonly ids: ReadonlyArray<string> } | { readonly query: string; readonly limit: number }
  readonly presences: boolean
  readonly nonce: string | undefined
}

const chunkSize = 1000
/** The most that is given of ids and of names that begin with something. */
const maxMatches = 100

/** Reads a request; `undefined` for an invalid one, which Discord treats as an unknown operation. */
export const readMembersRequest = (data: unknown): MembersRequest | undefined => {
  if (!isJsonObject(data) || typeof data["guild_id"] !== "string") return undefined
  const filter = readFilter(data)
  if (filter === undefined) return undefined
  const { nonce } = data
  return {
    guildId: data["guild_id"],
    filter,
    presences: data["presences"] === true,
    nonce: typeof nonce === "string" && Buffer.byteLength(nonce) <= 32 ? nonce : undefined
  }
}

/** What answering a request depends on. */
interface MembersContext {
  readonly context: Context
  readonly sessions: Sessions
}

/**
 * Answers a request with GUILD_MEMBERS_CHUNK events, or with RATE_LIMITED above the limit for all members. Discord leaves
 * a request that the client may not make unanswered.
 */
export const replyWithMembers = (
  { context, sessions }: MembersContext,
  windows: FixedWindows,
  session: Session,
  request: MembersRequest
): void => {
  const { clock, limits } = context.settings
  const { intents } = session.record
  if (request.guildId !== context.store.realm.guildId || !handlesGuild(session.record, request.guildId)) return
  if (requestsAllMembers(request)) {
    if ((intents & Intent.members) === 0) return
    const window = limits.allMembers === undefined ? undefined : windows.count("all members", limits.allMembers)
    if (window !== undefined && window.used > (limits.allMembers?.limit ?? 0))
      return session.send("RATE_LIMITED", rateLimited(request, (window.resetAt - clock.now()) / 1000))
  }
  for (const chunk of memberChunks(context, request, { intents, presence: session.presence }))
    sessions.reply(session, "GUILD_MEMBERS_CHUNK", chunk)
}

const rateLimited = ({ guildId, nonce }: MembersRequest, retryAfter: number): object => ({
  opcode: Op.members,
  retry_after: retryAfter,
  meta: { guild_id: guildId, ...(nonce === undefined ? {} : { nonce }) }
})

/** Whether a request is for all members, which needs the members intent and has a limit. */
const requestsAllMembers = ({ filter }: MembersRequest): boolean =>
  "query" in filter && filter.query === "" && filter.limit === 0

/** The GUILD_MEMBERS_CHUNK events that answer a request. */
const memberChunks = (
  { render, store }: Context,
  { guildId, nonce, presences, filter }: MembersRequest,
  client: { readonly intents: number; readonly presence: Presence }
): ReadonlyArray<object> => {
  const found =
    "ids" in filter
      ? filter.ids.filter((id) => store.members.has(id))
      : findByName(
          [...store.users.values()].filter(({ id }) => store.members.has(id)),
          filter
        )
  const count = Math.max(1, Math.ceil(found.length / chunkSize))
  return Array.from({ length: count }, (_, index) => {
    const ids = found.slice(index * chunkSize, (index + 1) * chunkSize)
    return {
      guild_id: guildId,
      members: ids.map(render.member),
      chunk_index: index,
      chunk_count: count,
      ...("ids" in filter ? { not_found: filter.ids.filter((id) => !store.members.has(id)) } : {}),
      ...(presences && (client.intents & Intent.presences) !== 0
        ? {
            presences: ids
              .filter((id) => id === store.realm.botId)
              .map((id) => renderPresence(id, guildId, client.presence))
          }
        : {}),
      ...(nonce === undefined ? {} : { nonce })
    }
  })
}

const readFilter = (data: JsonObject): MembersRequest["filter"] | undefined => {
  const ids = data["user_ids"]
  if (ids !== undefined) {
    const list: ReadonlyArray<unknown> = Array.isArray(ids) ? ids : [ids]
    const texts = list.map(String)
    return texts.every(isSnowflake) ? { ids: [...new Set(texts)].slice(0, maxMatches) } : undefined
  }
  const { limit, query } = data
  if (typeof query !== "string" || typeof limit !== "number" || !Number.isInteger(limit) || limit < 0) return undefined
  return { query, limit }
}

const findByName = (
  users: Iterable<{ readonly id: string; readonly username: string }>,
  { limit, query }: { readonly query: string; readonly limit: number }
): ReadonlyArray<string> => {
  const start = query.toLowerCase()
  const ids = [...users].filter(({ username }) => username.toLowerCase().startsWith(start)).map(({ id }) => id)
  if (query === "") return limit === 0 ? ids : ids.slice(0, limit)
  return ids.slice(0, limit === 0 ? maxMatches : Math.min(limit, maxMatches))
}
