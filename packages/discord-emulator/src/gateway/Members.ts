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
  readonly withPresences: boolean
  readonly nonce: string | undefined
}

const maxChunkMembers = 1000
/** The most members for a list of ids or for a name prefix. */
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
    withPresences: data["presences"] === true,
    nonce: typeof nonce === "string" && Buffer.byteLength(nonce) <= 32 ? nonce : undefined
  }
}

/** The state that answers a request. */
interface MembersContext {
  readonly context: Context
  readonly sessions: Sessions
}

/**
 * Answers a request with GUILD_MEMBERS_CHUNK events, or with RATE_LIMITED above the limit for all members. Discord
 * leaves a request unanswered that the client may not make.
 */
export const replyWithMembers = (
  { context, sessions }: MembersContext,
  windows: FixedWindows,
  session: Session,
  request: MembersRequest
): void => {
  const { clock, limits } = context.settings
  const { intents } = session.record
  if (request.guildId !== context.store.guild.guildId || !handlesGuild(session.record, request.guildId)) return
  if (requestsAllMembers(request)) {
    if ((intents & Intent.guildMembers) === 0) return
    const window = limits.allMembers === undefined ? undefined : windows.count("all members", limits.allMembers)
    if (window !== undefined && window.used > (limits.allMembers?.limit ?? 0))
      return session.send("RATE_LIMITED", rateLimitData(request, (window.resetAt - clock.now()) / 1000))
  }
  for (const chunk of memberChunks(context, request, { intents, presence: session.presence }))
    sessions.reply(session, "GUILD_MEMBERS_CHUNK", chunk)
}

const rateLimitData = ({ guildId, nonce }: MembersRequest, retryAfterSeconds: number): object => ({
  opcode: Op.requestGuildMembers,
  retry_after: retryAfterSeconds,
  meta: { guild_id: guildId, ...(nonce === undefined ? {} : { nonce }) }
})

/** Whether a request is for all members, which needs the members intent and has a limit. */
const requestsAllMembers = ({ filter }: MembersRequest): boolean =>
  "query" in filter && filter.query === "" && filter.limit === 0

/** The GUILD_MEMBERS_CHUNK events that answer a request. */
const memberChunks = (
  { render, store }: Context,
  { guildId, nonce, withPresences, filter }: MembersRequest,
  client: { readonly intents: number; readonly presence: Presence }
): ReadonlyArray<object> => {
  const matchingIds =
    "ids" in filter
      ? filter.ids.filter((id) => store.members.has(id))
      : findByName(
          [...store.users.values()].filter(({ id }) => store.members.has(id)),
          filter
        )
  const count = Math.max(1, Math.ceil(matchingIds.length / maxChunkMembers))
  return Array.from({ length: count }, (_, index) => {
    const ids = matchingIds.slice(index * maxChunkMembers, (index + 1) * maxChunkMembers)
    return {
      guild_id: guildId,
      members: ids.map(render.member),
      chunk_index: index,
      chunk_count: count,
      ...("ids" in filter ? { not_found: filter.ids.filter((id) => !store.members.has(id)) } : {}),
      ...(withPresences && (client.intents & Intent.guildPresences) !== 0
        ? {
            presences: ids
              .filter((id) => id === store.guild.botId)
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
    const userIds = list.map(String)
    return userIds.every(isSnowflake) ? { ids: [...new Set(userIds)].slice(0, maxMatches) } : undefined
  }
  const { limit, query } = data
  if (typeof query !== "string" || typeof limit !== "number" || !Number.isInteger(limit) || limit < 0) return undefined
  return { query, limit }
}

const findByName = (
  users: Iterable<{ readonly id: string; readonly username: string }>,
  { limit, query }: { readonly query: string; readonly limit: number }
): ReadonlyArray<string> => {
  const prefix = query.toLowerCase()
  const ids = [...users].filter(({ username }) => username.toLowerCase().startsWith(prefix)).map(({ id }) => id)
  if (query === "") return limit === 0 ? ids : ids.slice(0, limit)
  return ids.slice(0, limit === 0 ? maxMatches : Math.min(limit, maxMatches))
}
