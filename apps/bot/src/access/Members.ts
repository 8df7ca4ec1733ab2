import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isPassing } from "../discord/DiscordError.ts"
import type { Roles } from "../model/Access.ts"

/** A person's membership in a server: their roles, absent, or unknown. */
export type Membership =
  | { readonly _tag: "Here"; readonly roleIds: ReadonlyArray<string> }
  | { readonly _tag: "NotMember" }
  | { readonly _tag: "NotKnown" }

/** Looks up members of a server. Discord does not tell the bot when a member leaves. */
export class Members extends Context.Tag("@heddle/bot/Members")<
  Members,
  {
    /** Looks a member up, or returns an answer that is at most `maxAge` milliseconds old. */
    readonly find: (guildId: string, userId: string, maxAge: number) => Effect.Effect<Membership>
    /** Remembers for a moment the roles that came with a person's event. */
    readonly observe: (guildId: string, userId: string, roleIds: Roles | undefined) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Members, never, DiscordApi> = Layer.scoped(
  Members,
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const scope = yield* Effect.scope
    const remembered = new Map<string, { readonly at: number; readonly membership: Membership }>()
    /** Lookups in flight; concurrent callers share one. */
    const lookupsInFlight = new Map<string, Fiber.Fiber<Membership>>()
    const remember = (key: string, at: number, membership: Membership) => {
      // Drop the oldest entries that are too old for every caller.
      remembered.delete(key)
      remembered.set(key, { at, membership })
      for (const [each, { at: rememberedAt }] of remembered) {
        if (at - rememberedAt <= maxAgeMs) break
        remembered.delete(each)
      }
    }
    const lookUp = Effect.fnUntraced(function* (guildId: string, userId: string, now: number) {
      const key = keyOf(guildId, userId)
      const membership = yield* api.member(guildId, userId).pipe(
        Effect.timeout("5 seconds"),
        RetryPolicy.retryIf((error) => error._tag === "DiscordError" && isPassing(error), RetrySchedules.memberLookup),
        Effect.map((roleIds): Membership =>
          roleIds === undefined ? { _tag: "NotMember" } : { _tag: "Here", roleIds }
        ),
        Effect.catchAll((error) =>
          Effect.as(Effect.logWarning("Who a member is could not be read", error.message), {
            _tag: "NotKnown"
          } satisfies Membership)
        ),
        Effect.ensuring(Effect.sync(() => lookupsInFlight.delete(key)))
      )
      // A person who is absent may come back at any moment.
      if (membership._tag === "Here") remember(key, now, membership)
      else remembered.delete(key)
      return membership
    })
    return Members.of({
      find: Effect.fn("Members.find")(function* (guildId, userId, maxAge) {
        const now = yield* MonotonicClock.now
        const key = keyOf(guildId, userId)
        const cached = remembered.get(key)
        if (cached !== undefined && now - cached.at < Math.min(maxAge, maxAgeMs)) return cached.membership
        const lookupFiber = lookupsInFlight.get(key) ?? (yield* Effect.forkIn(lookUp(guildId, userId, now), scope))
        lookupsInFlight.set(key, lookupFiber)
        return yield* Fiber.join(lookupFiber)
      }),
      observe: (guildId, userId, roleIds) =>
        typeof roleIds === "object"
          ? Effect.map(MonotonicClock.now, (now) => remember(keyOf(guildId, userId), now, { _tag: "Here", roleIds }))
          : Effect.void
    })
  })
)

const keyOf = (guildId: string, userId: string): string => `${guildId}:${userId}`

/** The time for which a lookup is remembered, in milliseconds. */
const maxAgeMs = 5000
