import * as SqlClient from "@effect/sql/SqlClient"
import { AuthorizationRequest } from "@heddle/oauth/AuthorizationRequest"
import { EncryptionKey } from "@heddle/oauth/EncryptionKey"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The connection links that were given out: who got which, good for one use. */
export class Links extends Context.Tag("@heddle/bot/Links")<
  Links,
  {
    readonly add: (userId: string, pending: AuthorizationRequest) => Effect.Effect<void>
    /** Takes a link out of use; none when it is unknown or was used before. */
    readonly take: (
      state: string,
      now: number
    ) => Effect.Effect<Option.Option<{ readonly userId: string; readonly pending: AuthorizationRequest }>>
  }
>() {}

export const layer: Layer.Layer<Links, never, SqlClient.SqlClient | EncryptionKey> = Layer.effect(
  Links,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = yield* EncryptionKey
    return Links.of({
      add: Effect.fn("Links.add")(function* (userId, pending) {
        const sealed = yield* key.seal(Redacted.make(write(pending)), place(pending.state))
        yield* sql`DELETE FROM links WHERE expires_at < ${pending.expiresAt - week}`.pipe(Effect.orDie)
        yield* sql`INSERT INTO links ${sql.insert({
          state: pending.state,
          user_id: userId,
          pending: sealed,
          expires_at: pending.expiresAt
        })}`.pipe(Effect.orDie)
      }),
      take: Effect.fn("Links.take")(function* (state, now) {
        const [row] = yield* sql<{ user_id: string; pending: string }>`UPDATE links SET used_at = ${now}
          WHERE state = ${state} AND used_at IS NULL RETURNING user_id, pending`.pipe(Effect.orDie)
        if (row === undefined) return Option.none()
        const opened = yield* Effect.option(key.open(row.pending, place(state)))
        // Sealed with a key that is not configured any more: the person asks for a new link.
        return Option.map(opened, (text) => ({ userId: row.user_id, pending: read(Redacted.value(text)) }))
      })
    })
  })
)

const json = Schema.parseJson(AuthorizationRequest)
const write = Schema.encodeSync(json)
const read = Schema.decodeSync(json)

const place = (state: string): string => `links/${state}`

const week = 7 * 24 * 3_600_000
