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

/** Where the grant is from now on, or with how many fibers to request its token. */
export type Command = { readonly database: string; readonly url: string } | { readonly fibers: number }

const sqlOf = (database: string): Layer.Layer<SqlClient.SqlClient, unknown> =>
  database.startsWith("postgres:")
    ? PgClient.layer({ url: Redacted.make(database) })
    : // By default the client caches for ten minutes that a statement could not be prepared, as while its table is away.
      SqliteFile.layer(database, { prepareCacheTTL: "1 millis" })

const runtimeOf = (database: string, url: string) =>
  ManagedRuntime.make(
    Grants.layer.pipe(
      Layer.provide(TokenStore.layerSql),
      Layer.provide(
        TokenEndpoint.layer({ baseUrl: url, clientId: "app", clientSecret: Redacted.make("s") }).pipe(
          Layer.provide(NodeHttpClient.layerUndici)
        )
      ),
      Layer.provide(Layer.effectDiscard(TokenStore.migrate)),
      Layer.provide(sqlOf(database)),
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

let runtime: ReturnType<typeof runtimeOf> | undefined

const run = async (command: Command): Promise<ReadonlyArray<string>> => {
  if ("fibers" in command)
    return runtime === undefined ? ["failed: nothing is open"] : runtime.runPromise(ask(command.fibers))
  await runtime?.dispose()
  runtime = runtimeOf(command.database, command.url)
  await runtime.runPromise(Effect.void)
  return []
}

process.on("message", (command: Command) => void run(command).then((answers) => process.send?.(answers)))
process.send?.("ready")
