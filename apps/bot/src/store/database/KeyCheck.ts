import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotStartError } from "../../model/BotStartError.ts"
import { fileName } from "./Database.ts"
import * as ReadOnly from "./ReadOnly.ts"

/** Refuses a start whose keys decrypt none of the stored tokens and codes. */
export const layer = (folder: string) =>
  Layer.effectDiscard(
    Effect.filterOrFail(
      Effect.orDie(fits),
      (isFitting) => isFitting,
      () => new BotStartError({ setting: "HEDDLE_ENCRYPTION_KEY", problem: problem(folder), fix })
    )
  )

/** Whether the keys fit the database of a folder, if it has one; reads it by {@link ReadOnly.use}. */
export const fitsFolder = Effect.fn("KeyCheck.fitsFolder")(function* (folder: string) {
  const path = (yield* Path.Path).join(folder, fileName)
  if (!(yield* (yield* FileSystem.FileSystem).exists(path))) return true
  return yield* ReadOnly.use(path, fits)
})

/** What is wrong with keys that do not fit the database of a folder. */
export const problem = (folder: string): string => `the database in ${folder} was encrypted with another key`

export const fix =
  "Nothing was changed: give the key that this bot had before, behind the new one and a comma if there is a new one."

/** Whether the keys decrypt any of the stored tokens and codes, if there are some. */
const fits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* EncryptionKey.EncryptionKey
  const rows = yield* sql<{ readonly sealed: string }>`SELECT sealed FROM (
      SELECT access_token_enc AS sealed FROM oauth_grants
      UNION ALL SELECT refresh_token_enc FROM oauth_grants
      UNION ALL SELECT secret_enc FROM redemptions)
    WHERE sealed IS NOT NULL GROUP BY substr(sealed, 1, ${keyIdEnd})`
  const isKnown = yield* Effect.exists(rows, ({ sealed }) =>
    key.open(sealed, "").pipe(
      Effect.as(true),
      // Without its place, a value of a known key counts as damaged.
      Effect.catchAll(({ reason }) => Effect.succeed(reason === "damaged"))
    )
  )
  return rows.length === 0 || isKnown
})

/** An encrypted value begins with its version and the id of its key, as in `v1.0123abcd`. */
const keyIdEnd = 11
