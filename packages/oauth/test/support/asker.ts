// One process of a fleet that shares a grant: requests its access token with the given number of fibers, on each command.
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Grants from "@heddle/oauth/Grants"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as SqliteFile from "./SqliteFile.ts"

const [database = "", url = ""] = process.argv.slice(2)

const sql: Layer.Layer<SqlClient.SqlClient, unknown> = database.startsWith("postgres:")
  ? PgClient.layer({ url: Redacted.make(database) })
  : // By default the client caches for ten minutes that a statement could not be prepared, as while its table is away.
    SqliteFile.layer(database, { prepareCacheTTL: "1 millis" })

const runtime = ManagedRuntime.make(
  Grants.layer.pipe(
    Layer.provide(TokenStore.layerSql),
    Layer.provide(
      TokenEndpoint.layer({ baseUrl: url, clientId: "app", clientSecret: Redacted.make("s") }).pipe(
        Layer.provide(NodeHttpClient.layerUndici)
      )
    ),
    Layer.provide(Layer.effectDiscard(TokenStore.migrate)),
    Layer.provide(sql),
    Layer.provide(EncryptionKey.layer([Redacted.make("0".repeat(64))])),
    Layer.merge(Logger.remove(Logger.defaultLogger))
  )
)

const ask = (fibers: number) =>
  Effect.flatMap(Grants.Grants, (grants) =>
    Effect.forEach(
      Array.from({ length: fibers }),
      () => Effect.map(Effect.either(grants.accessToken("g").current), Either.map(Redacted.value)),
      { concurrency: "unbounded" }
    )
  ).pipe(Effect.map((all) => all.map(Either.match({ onLeft: (error) => `failed: ${error.message}`, onRight: String }))))

process.on("message", (fibers: number) => {
  void runtime.runPromise(ask(fibers)).then((answers) => process.send?.(answers))
})
await runtime.runPromise(Effect.void)
process.send?.("ready")
