import * as SqlClient from "@effect/sql/SqlClient"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotStartError } from "../../model/BotStartError.ts"

/** Refuses a start whose key decrypts none of the stored tokens and codes. */
export const layer = (folder: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const key = yield* EncryptionKey.EncryptionKey
      const rows = yield* Effect.orDie(sql<{ readonly sealed: string }>`SELECT sealed FROM (
          SELECT access_token_enc AS sealed FROM oauth_grants
          UNION ALL SELECT refresh_token_enc FROM oauth_grants
          UNION ALL SELECT secret_enc FROM redemptions)
        WHERE sealed IS NOT NULL GROUP BY substr(sealed, 1, ${keyIdEnd})`)
      const isKnown = yield* Effect.exists(rows, ({ sealed }) =>
        key.open(sealed, "").pipe(
          Effect.as(true),
          // Without its place, a value of a known key counts as damaged.
          Effect.catchAll(({ reason }) => Effect.succeed(reason === "damaged"))
        )
      )
      if (rows.length === 0 || isKnown) return
      return yield* new BotStartError({
        setting: "HEDDLE_ENCRYPTION_KEY",
        problem: `the database in ${folder} was encrypted with another key`,
        fix: "Nothing was changed: give the key that this bot had before."
      })
    })
  )

/** An encrypted value begins with its version and the id of its key, as in `v1.0123abcd`. */
const keyIdEnd = 11
