import { type Client, Events, GatewayOpcodes } from "discord.js"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"

/**
 * Requests a member's roles from the gateway: undefined when they are not in the guild, none without an answer. Batches
 * requests of the same moment. They do not count as REST calls.
 */
export type RequestMember = (
  guildId: string,
  userId: string
) => Effect.Effect<Option.Option<ReadonlyArray<string> | undefined>>

/** The roles in a gateway response, by user. */
type MemberRoles = ReadonlyMap<string, ReadonlyArray<string> | undefined>

/** `connected` returns whether the gateway can be used. */
export const make = Effect.fnUntraced(function* (
  client: Client,
  connected: () => boolean
): Effect.fn.Return<RequestMember, never, Scope.Scope> {
  const scope = yield* Effect.scope
  /** The next batch of each guild. */
  const openGroups = new Map<string, Group>()
  /** The waiting requests, by nonce. */
  const pending = new Map<string, (roles: MemberRoles) => void>()
  const sentAt: Array<number> = []
  let count = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  client.on(Events.GuildMembersChunk, (members, _guild, { nonce, notFound }) => {
    const found: Map<string, ReadonlyArray<string> | undefined> = new Map()
    // Discord leaves the list out when it found everybody.
    for (const userId of (notFound as ReadonlyArray<unknown> | undefined) ?? []) found.set(String(userId), undefined)
    for (const [userId, { roles }] of members) found.set(userId, [...roles.cache.keys()])
    pending.get(nonce ?? "")?.(found)
  })

  /** The number of requests in the last minute. */
  const requestsInLastMinute = (now: number): number => {
    while (sentAt[0] !== undefined && sentAt[0] <= now - 60_000) sentAt.shift()
    return sentAt.length
  }

  const requestMembers = Effect.fnUntraced(function* (guildId: string, userIds: ReadonlyArray<string>) {
    const guild = client.guilds.cache.get(guildId)
    if (guild === undefined || !connected()) return noRoles
    const nonce = String(++count)
    sentAt.push(yield* MonotonicClock.now)
    const roles = yield* Effect.async<MemberRoles>((resume) => {
      pending.set(nonce, (roles) => resume(Effect.succeed(roles)))
      guild.shard.send({
        op: GatewayOpcodes.RequestGuildMembers,
        d: { guild_id: guildId, user_ids: userIds, limit: 0, nonce }
      })
    }).pipe(Effect.timeoutOption(responseTimeoutMs), Effect.ensuring(Effect.sync(() => pending.delete(nonce))))
    // Do not repeat long waits for a gateway that does not answer.
    if (Option.isNone(roles)) pausedUntil = (yield* MonotonicClock.now) + pauseMs
    return Option.getOrElse(roles, () => noRoles)
  })

  return Effect.fnUntraced(function* (guildId, userId) {
    const now = yield* MonotonicClock.now
    if (!connected() || now < pausedUntil) return Option.none()
    const openGroup = openGroups.get(guildId)
    if (openGroup === undefined && requestsInLastMinute(now) >= maxRequestsPerMinute) return Option.none()
    const group = openGroup ?? { userIds: new Set(), roles: yield* Deferred.make<MemberRoles>() }
    group.userIds.add(userId)
    if (openGroup === undefined) openGroups.set(guildId, group)
    if (group.userIds.size === batchSize) openGroups.delete(guildId)
    if (openGroup === undefined) {
      yield* Effect.sleep(requestsInLastMinute(now) < maxQuickRequestsPerMinute ? batchMs : busyBatchMs).pipe(
        Effect.zipRight(
          Effect.suspend(() => {
            if (openGroups.get(guildId) === group) openGroups.delete(guildId)
            return Effect.onExit(requestMembers(guildId, [...group.userIds]), (exit) =>
              Deferred.done(group.roles, exit)
            )
          })
        ),
        Effect.forkIn(scope)
      )
    }
    const roles = yield* Deferred.await(group.roles)
    return roles.has(userId) ? Option.some(roles.get(userId)) : Option.none()
  })
})

interface Group {
  readonly userIds: Set<string>
  readonly roles: Deferred.Deferred<MemberRoles>
}

const noRoles: MemberRoles = new Map()

/** Discord's limit of members per request. */
const batchSize = 100

/** How long a batch stays open, in milliseconds; the longer time applies when requests are frequent. */
const batchMs = 5
const busyBatchMs = 1000

/** Up to this many requests a minute, a batch stays open for the shorter time. */
const maxQuickRequestsPerMinute = 50

/** The request limit per minute; Discord allows 120 gateway messages, heartbeats included. */
const maxRequestsPerMinute = 110

/** How long to wait for a response, in milliseconds. */
const responseTimeoutMs = 2000

/** How long to stop requesting after a missing response, in milliseconds. */
const pauseMs = 30_000
