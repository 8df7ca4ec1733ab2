import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import * as Secret from "../internal/Secret.ts"

/** The identity of a local assistant: one computer of one user. */
export interface Identity {
  readonly assistantId: string
  readonly userId: string
}

/** The credential of a computer; times are epoch milliseconds. */
export interface Credential extends Identity {
  readonly name: string
  readonly createdAt: number
  readonly revokedAt: number | null
}

/** The credentials of local assistants. Each opens the assistant channel of its user and nothing else. */
export class AssistantCredentials extends Context.Tag("@heddle/server/assistant/AssistantCredentials")<
  AssistantCredentials,
  {
    /** Makes a credential for one computer of an existing user; stores only the hash of its token. */
    readonly create: (
      userId: string,
      name: string
    ) => Effect.Effect<Credential & { readonly assistantToken: Redacted.Redacted }>
    /** All credentials of a user, including revoked ones, oldest first. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<Credential>>
    /** Revokes a credential; false if there is none with this id. */
    readonly revoke: (assistantId: string) => Effect.Effect<boolean>
    /** The identity of a token; none if it is unknown or revoked. */
    readonly verify: (assistantToken: Redacted.Redacted) => Effect.Effect<Option.Option<Identity>>
    /** The credentials among these that are revoked. */
    readonly revoked: (assistantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  }
>() {}

export const layer: Layer.Layer<AssistantCredentials, never, SqlClient.SqlClient> = Layer.effect(
  AssistantCredentials,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql`assistant_id AS "assistantId", user_id AS "userId", name,
      created_at AS "createdAt", revoked_at AS "revokedAt"`

    return {
      create: Effect.fn("AssistantCredentials.create")(function* (userId, name) {
        const token = Secret.generate("oa_as_")
        const assistantId = `pc_${Crypto.randomBytes(9).toString("hex")}`
        const createdAt = yield* Clock.currentTimeMillis
        yield* sql`INSERT INTO assistant_credentials (assistant_id, user_id, token_hash, name, created_at)
          VALUES (${assistantId}, ${userId}, ${Secret.hash(token)}, ${name}, ${createdAt})`
        return { assistantId, userId, name, createdAt, revokedAt: null, assistantToken: Redacted.make(token) }
      }, Effect.orDie),

      list: Effect.fn("AssistantCredentials.list")((userId) =>
        sql<Credential>`SELECT ${columns} FROM assistant_credentials WHERE user_id = ${userId}
          ORDER BY created_at, assistant_id`.pipe(Effect.orDie)
      ),

      revoke: Effect.fn("AssistantCredentials.revoke")(function* (assistantId) {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sql`UPDATE assistant_credentials SET revoked_at = COALESCE(revoked_at, ${now})
          WHERE assistant_id = ${assistantId} RETURNING assistant_id`
        return rows.length > 0
      }, Effect.orDie),

      verify: Effect.fn("AssistantCredentials.verify")((token) =>
        sql<Identity>`SELECT assistant_id AS "assistantId", user_id AS "userId" FROM assistant_credentials
          WHERE token_hash = ${Secret.hash(Redacted.value(token))} AND revoked_at IS NULL`.pipe(
          Effect.map((rows) => Option.fromNullable(rows[0])),
          Effect.orDie
        )
      ),

      revoked: Effect.fn("AssistantCredentials.revoked")((assistantIds) =>
        assistantIds.length === 0
          ? Effect.succeed(new Set<string>())
          : sql<{ assistantId: string }>`SELECT assistant_id AS "assistantId" FROM assistant_credentials
              WHERE ${sql.in("assistant_id", assistantIds)} AND revoked_at IS NOT NULL`.pipe(
              Effect.map((rows) => new Set(rows.map(({ assistantId }) => assistantId))),
              Effect.orDie
            )
      )
    }
  })
)
