import { type Client, Events, GatewayOpcodes } from "discord.js"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

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
  const groups = new Map<string, Group>()
  /** The waiting requests, by nonce. */
  const asked = new Map<string, (told: MemberRoles) => void>()
  const sentAt: Array<number> = []
  let count = 0
  let silentUntil = 0
  client.on(Events.GuildMembersChunk, (members, _guild, { nonce, notFound }) => {
    const told = new Map<string, ReadonlyArray<string> | undefined>()
    // Discord leaves the list out when it found everybody.
    for (const userId of (notFound as ReadonlyArray<unknown> | undefined) ?? []) told.set(String(userId), undefined)
    for (const [userId, { roles }] of members) told.set(userId, [...roles.cache.keys()])
    asked.get(nonce ?? "")?.(told)
  })

  /** The number of requests in the last minute. */
  const sent = (now: number): number => {
    while (sentAt[0] !== undefined && sentAt[0] <= now - 60_000) sentAt.shift()
    return sentAt.length
  }

  const ask = Effect.fnUntraced(function* (guildId: string, userIds: ReadonlyArray<string>) {
    const guild = client.guilds.cache.get(guildId)
    if (guild === undefined || !connected()) return none
    const nonce = String(++count)
    sentAt.push(yield* Clock.currentTimeMillis)
    const told = yield* Effect.async<MemberRoles>((resume) => {
      asked.set(nonce, (told) => resume(Effect.succeed(told)))
      guild.shard.send({
        op: GatewayOpcodes.RequestGuildMembers,
        d: { guild_id: guildId, user_ids: userIds, limit: 0, nonce }
      })
    }).pipe(Effect.timeoutOption(patienceMs), Effect.ensuring(Effect.sync(() => asked.delete(nonce))))
    // Do not repeat long waits for a gateway that does not answer.
    if (Option.isNone(told)) silentUntil = (yield* Clock.currentTimeMillis) + silentMs
    return Option.getOrElse(told, () => none)
  })

  return Effect.fnUntraced(function* (guildId, userId) {
    const now = yield* Clock.currentTimeMillis
    if (!connected() || now < silentUntil) return Option.none()
    const open = groups.get(guildId)
    if (open === undefined && sent(now) >= aMinute) return Option.none()
    const group = open ?? { userIds: new Set(), told: yield* Deferred.make<MemberRoles>() }
    group.userIds.add(userId)
    if (open === undefined) groups.set(guildId, group)
    if (group.userIds.size === most) groups.delete(guildId)
    if (open === undefined) {
      yield* Effect.sleep(sent(now) < atOnce ? aMomentMs : aSecondMs).pipe(
        Effect.zipRight(
          Effect.suspend(() => {
            if (groups.get(guildId) === group) groups.delete(guildId)
            return Effect.onExit(ask(guildId, [...group.userIds]), (exit) => Deferred.done(group.told, exit))
          })
        ),
        Effect.forkIn(scope)
      )
    }
    const told = yield* Deferred.await(group.told)
    return told.has(userId) ? Option.some(told.get(userId)) : Option.none()
  })
})

interface Group {
  readonly userIds: Set<string>
  readonly told: Deferred.Deferred<MemberRoles>
}

const none: MemberRoles = new Map()

/** Discord's limit of members per request. */
const most = 100

/** How long a batch stays open, in milliseconds; the longer time applies when requests are frequent. */
const aMomentMs = 5
const aSecondMs = 1000

/** Up to this many requests a minute, a batch stays open for the shorter time. */
const atOnce = 50

/** The request limit per minute; Discord allows 120 gateway messages, heartbeats included. */
const aMinute = 110

/** How long to wait for a response, in milliseconds. */
const patienceMs = 2000

/** How long to stop requesting after a missing response, in milliseconds. */
const silentMs = 30_000
