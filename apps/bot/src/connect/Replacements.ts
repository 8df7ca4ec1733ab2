import { randomUUID } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import { Grants } from "@heddle/oauth/Grants"
import type { TokenSet } from "@heddle/oauth/TokenSet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"

/**
 * One account in place of another: what the new one granted is kept aside until its person has said that it replaces
 * the one that they have. Whatever is not wanted any more is revoked, where the service offers that, and forgotten, also
 * after a restart.
 */
export class Replacements extends Context.Tag("@heddle/bot/Replacements")<
  Replacements,
  {
    /** Keeps a grant of another account aside for a quarter of an hour, in place of one that was kept before. */
    readonly offer: (userId: string, tokens: TokenSet) => Effect.Effect<void>
    /** Puts the offered account in place of the connected one, whose grant ends; false when none is offered. */
    readonly accept: (userId: string) => Effect.Effect<boolean>
    /** Ends the grant of the offered account; the connected one stays. */
    readonly refuse: (userId: string) => Effect.Effect<void>
  }
>() {}

/** The name of the grant of the account that is offered to a person. */
export const offeredTo = (userId: string): string => `offered ${userId}`

export const layer: Layer.Layer<Replacements, never, Grants | SqlClient.SqlClient> = Layer.scoped(
  Replacements,
  Effect.gen(function* () {
    const grants = yield* Grants
    const sql = yield* SqlClient.SqlClient
    const ending = yield* FiberMap.make<string>()
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const note = (grantId: string, dueAt: number) =>
      sql`INSERT INTO grants_to_end ${sql.insert({ grant_id: grantId, due_at: dueAt })}
        ON CONFLICT (grant_id) DO UPDATE SET due_at = excluded.due_at`.pipe(Effect.orDie)
    const drop = (grantId: string) =>
      Effect.zipRight(
        FiberMap.remove(ending, grantId),
        Effect.orDie(sql`DELETE FROM grants_to_end WHERE grant_id = ${grantId}`)
      )
    const end = (grantId: string) =>
      Effect.zipRight(
        grants.disconnect(grantId),
        Effect.orDie(sql`DELETE FROM grants_to_end WHERE grant_id = ${grantId}`)
      )
    const endAt = (grantId: string, dueAt: number) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        FiberMap.run(
          ending,
          grantId,
          Effect.delay(end(grantId), Math.max(0, dueAt - now)).pipe(
            // Its row is found again at the next start.
            Effect.catchAllCause((cause) => Effect.logWarning("A grant could not be ended", cause))
          )
        )
      )

    for (const { due_at, grant_id } of yield* Effect.orDie(sql<Row>`SELECT * FROM grants_to_end`)) {
      yield* endAt(grant_id, Number(due_at))
    }

    return Replacements.of({
      offer: Effect.fn("Replacements.offer")(function* (userId, tokens) {
        const offered = offeredTo(userId)
        const dueAt = (yield* Clock.currentTimeMillis) + patience
        yield* FiberMap.remove(ending, offered)
        yield* grants.disconnect(offered)
        yield* note(offered, dueAt)
        yield* grants.save(offered, tokens)
        yield* endAt(offered, dueAt)
      }, oneAtATime.withPermits(1)),
      accept: Effect.fn("Replacements.accept")(
        function* (userId) {
          const offered = offeredTo(userId)
          const isOffered = yield* grants.describe(offered)
          if (isOffered._tag === "None") return false
          const before = `replaced ${randomUUID()}`
          const now = yield* Clock.currentTimeMillis
          yield* note(before, now)
          yield* grants.move(userId, before)
          const accepted = yield* grants.move(offered, userId)
          yield* drop(offered)
          yield* endAt(before, now)
          return accepted
        },
        Effect.uninterruptible,
        oneAtATime.withPermits(1)
      ),
      refuse: Effect.fn("Replacements.refuse")((userId) =>
        Effect.zipRight(FiberMap.remove(ending, offeredTo(userId)), end(offeredTo(userId))).pipe(
          oneAtATime.withPermits(1)
        )
      )
    })
  })
)

interface Row {
  readonly grant_id: string
  readonly due_at: number
}

/** As long as the private question can be answered, in milliseconds. */
const patience = 15 * 60_000
