import { type Client, Events, GatewayOpcodes } from "discord.js"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

/**
 * Asks the gateway for the roles of a member, undefined when they are not in the guild; none when it does not tell. Who
 * is asked about at about the same moment is asked about at once, and none of it counts as a call of the REST API.
 */
export type RequestMember = (
  guildId: string,
  userId: string
) => Effect.Effect<Option.Option<ReadonlyArray<string> | undefined>>

/** What the gateway told, by user. */
type MemberRoles = ReadonlyMap<string, ReadonlyArray<string> | undefined>

/** `connected` tells whether the gateway is there to be asked. */
export const make = Effect.fnUntraced(function* (
  client: Client,
  connected: () => boolean
): Effect.fn.Return<RequestMember, never, Scope.Scope> {
  const scope = yield* Effect.scope
  /** Who is asked about next, by guild. */
  const groups = new Map<string, Group>()
  /** Those who wait to be told, by the nonce of what was asked. */
  const asked = new Map<string, (told: MemberRoles) => void>()
  const sentAt: Array<number> = []
  let count = 0
  let silentUntil = 0
  client.on(Events.GuildMembersChunk, (members, _guild, { nonce, notFound }) => {
    const told = new Map<string, ReadonlyArray<string> | undefined>()
    // Left out by Discord when everybody was found.
    for (const userId of (notFound as ReadonlyArray<unknown> | undefined) ?? []) told.set(String(userId), undefined)
    for (const [userId, { roles }] of members) told.set(userId, [...roles.cache.keys()])
    asked.get(nonce ?? "")?.(told)
  })

  /** How often was asked within the last minute. */
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
    // Nobody waits again and again for a gateway that does not answer.
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

/** As many people as Discord tells of at a time. */
const most = 100

/** So long others may join who is asked about, in milliseconds: longer when Discord is asked often. */
const aMomentMs = 5
const aSecondMs = 1000

/** So many times within a minute nobody has to wait for others. */
const atOnce = 50

/** So often within a minute the gateway is asked at most; it takes 120 words of a client, heartbeats too. */
const aMinute = 110

/** So long the gateway has to answer. */
const patienceMs = 2000

/** So long it is not asked when it did not. */
const silentMs = 30_000
