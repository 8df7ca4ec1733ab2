import Sqlite from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Turn from "./Turn.ts"
import * as Database from "./Database.ts"

/** A number that changes with every commit to the database, of any process; undefined where it is unknown. */
export class DataVersion extends Context.Reference<DataVersion>()("@heddle/server/sql/DataVersion", {
  defaultValue: (): (() => number | undefined) => () => undefined
}) {}

/**
 * Watches `<data>/server.sqlite` over a connection of its own: SQLite tells a connection about the commits of all others,
 * the service's own connection and the administration commands among them. Asking takes some microseconds, so
 * the requests of one turn ask once ({@link Turn}): all of them came in before that.
 */
export const layer = (dataDir: string): Layer.Layer<DataVersion> =>
  Layer.scoped(DataVersion, watch(Database.path(dataDir)))

const watch = (path: string): Effect.Effect<() => number | undefined, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Sqlite(path, { readonly: true, fileMustExist: true })),
      (connection) => Effect.sync(() => connection.close())
    ),
    (connection) => {
      const statement = connection.prepare("PRAGMA data_version").raw()
      return Turn.once(() => {
        try {
          const row = statement.get()
          return Array.isArray(row) ? Number(row[0]) : undefined
        } catch {
          // The database is busy with itself for a moment: not knowing only costs the caller a query.
          return undefined
        }
      })
    }
  )
