import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isNewer } from "../discord/Snowflake.ts"

/** How far the messages outside of task threads were handled. */
export class HandledMessages extends Context.Tag("@heddle/bot/HandledMessages")<
  HandledMessages,
  {
    /**
     * Registers a new message; the returned effect marks it as handled. The stored position is that before the oldest
     * unhandled message. It is written soon after; handling the same message twice has no effect.
     */
    readonly register: (messageId: string) => Effect.Effect<Effect.Effect<void>>
    /**
     * Begins a backfill up to a message and returns the stored position, or an earlier one; none before the first
     * message. The position stays until the backfill is `done`, also over a restart.
     */
    readonly beginBackfill: (
      upTo: string
    ) => Effect.Effect<{ readonly since: Option.Option<string>; readonly done: Effect.Effect<void> }>
  }
>() {}

export const layer: Layer.Layer<HandledMessages, never, SqlClient.SqlClient> = Layer.scoped(
  HandledMessages,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changed = yield* Effect.makeLatch(false)
    let newest: string | undefined
    const unhandled = new Set<string>()
    let runningBackfills = 0
    /** All messages up to this one were handled. */
    const handledUpTo = (): string | undefined => {
      const [oldest] = [...unhandled].sort((a, b) => (isNewer(a, b) ? 1 : -1))
      if (newest === undefined || oldest === undefined || isNewer(oldest, newest)) return newest
      return String(BigInt(oldest) - 1n)
    }
    const store = Effect.suspend(() => {
      const upTo = handledUpTo()
      return upTo === undefined || runningBackfills > 0
        ? Effect.void
        : Effect.orDie(sql`INSERT INTO channels_seen ${sql.insert({ id: 1, message_id: upTo })}
            ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id`)
    })
    // The next start does not read messages before a stored position.
    yield* Effect.addFinalizer(() =>
      Effect.catchAllCause(store, (cause) => Effect.logWarning("What was read in channels is read again", cause))
    )
    const markHandled = (messageId: string) =>
      Effect.suspend(() => {
        if (newest === undefined || isNewer(messageId, newest)) newest = messageId
        return changed.open
      })
    yield* changed.await.pipe(
      Effect.zipRight(changed.close),
      Effect.zipRight(store),
      // A busy server has many messages, and few of them concern the bot.
      Effect.zipRight(Effect.sleep("1 second")),
      Effect.forever,
      Effect.forkScoped
    )
    return HandledMessages.of({
      register: (messageId) =>
        Effect.sync(() => {
          unhandled.add(messageId)
          return Effect.suspend(() => {
            unhandled.delete(messageId)
            return markHandled(messageId)
          })
        }),
      beginBackfill: (upTo) =>
        sql<{ message_id: string }>`SELECT message_id FROM channels_seen`.pipe(
          Effect.orDie,
          Effect.map((rows) => {
            runningBackfills++
            return {
              since: Option.fromNullable(rows[0]?.message_id),
              done: Effect.suspend(() => {
                runningBackfills--
                return markHandled(upTo)
              })
            }
          })
        )
    })
  })
)
