import { join } from "node:path"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Connect from "@heddle/bot/account/Connect"
import * as Database from "@heddle/bot/store/database/Database"
import { knownScopes } from "@heddle/core/domain/Scope"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as TokenSet from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The key of the bots that tests start. */
export const encryptionKey = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

/** What `/connect` asks for. */
export const firstScopes = knownScopes.filter((scope) => Connect.scopes.includes(scope))

/** Stores a person's tokens before the bot starts, as `/connect` does: it takes longer, and most tests are about something else. */
export const storeGrant = (dataDir: string, userId: string, response: unknown): Promise<void> =>
  Effect.gen(function* () {
    const granted = yield* Schema.decodeUnknown(TokenResponse)(response)
    const tokens = TokenSet.fromResponse(granted, { sentAt: Date.now(), requested: new Set(Connect.scopes) })
    yield* (yield* TokenStore.TokenStore).put(userId, tokens)
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO locales ${sql.insert({ user_id: userId, locale: "en-US" })}`
  }).pipe(
    Effect.provide(
      TokenStore.layerSql.pipe(
        Layer.provideMerge(SqliteClient.layer({ filename: join(dataDir, Database.fileName) })),
        Layer.provide(EncryptionKey.layer([encryptionKey]))
      )
    ),
    Effect.runPromise
  )
