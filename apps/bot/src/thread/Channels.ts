import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isNewer } from "../discord/Snowflake.ts"

/** How far the messages outside of the threads of tasks were taken. */
export class Channels extends Context.Tag("@heddle/bot/Channels")<
  Channels,
  {
    /** The newest message up to which everything was taken, or a little less; none before the first. */
    readonly seen: Effect.Effect<Option.Option<string>>
    /** Remembers the newest message taken. It is stored soon: what comes twice is taken once all the same. */
    readonly saw: (messageId: string) => Effect.Effect<void>
    /** Reads what was missed; until that is done, nothing newer counts as taken. */
    readonly catchUp: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {}

export const layer: Layer.Layer<Channels, never, SqlClient.SqlClient> = Layer.scoped(
  Channels,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changed = yield* Effect.makeLatch(false)
    let newest: string | undefined
    let behind = 0
    const store = Effect.suspend(() =>
      newest === undefined || behind > 0
        ? Effect.void
        : Effect.orDie(sql`INSERT INTO channels_seen ${sql.insert({ id: 1, message_id: newest })}
            ON CONFLICT (id) DO UPDATE SET message_id = excluded.message_id`)
    )
    yield* changed.await.pipe(
      Effect.zipRight(changed.close),
      Effect.zipRight(store),
      // Messages come often in a busy server, and few of them matter.
      Effect.zipRight(Effect.sleep("1 second")),
      Effect.forever,
      Effect.forkScoped
    )
    return Channels.of({
      seen: sql<{ message_id: string }>`SELECT message_id FROM channels_seen`.pipe(
        Effect.orDie,
        Effect.map((rows) => Option.fromNullable(rows[0]?.message_id))
      ),
      saw: (messageId) =>
        Effect.suspend(() => {
          if (newest !== undefined && !isNewer(messageId, newest)) return Effect.void
          newest = messageId
          return changed.open
        }),
      catchUp: (read) =>
        Effect.acquireUseRelease(
          Effect.sync(() => behind++),
          () => read,
          () =>
            Effect.suspend(() => {
              behind--
              return changed.open
            })
        )
    })
  })
)
