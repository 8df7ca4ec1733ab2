import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as PrivateFile from "../config/PrivateFile.ts"
import { ServerStartError } from "../config/ServerStartError.ts"
import * as SqliteClient from "./SqliteClient.ts"
import * as SqliteError from "./SqliteError.ts"

/**
 * Locks the data folder for one serving process until the scope closes. It is SQLite's lock on `server.lock`, which the
 * operating system releases when the process dies. `server.pid` tells people which process has it.
 */
export const acquire = (dataDir: string): Effect.Effect<void, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const pidFile = Path.join(dataDir, "server.pid")
    const lockFile = Path.join(dataDir, "server.lock")
    yield* Effect.sync(() => PrivateFile.ensure(lockFile))
    const sql = yield* SqliteClient.make({ filename: lockFile, disableWAL: true }).pipe(
      Effect.provide(Reactivity.layer)
    )
    // Roll back, because a closed connection keeps the lock until its statements are garbage-collected.
    yield* Effect.acquireRelease(
      sql`BEGIN EXCLUSIVE`.pipe(
        Effect.mapError((error) =>
          SqliteError.codeOf(error).startsWith("SQLITE_BUSY")
            ? lockedError(dataDir, pidFile)
            : unusableError(lockFile, error)
        )
      ),
      () => Effect.orDie(sql`ROLLBACK`)
    )
    yield* Effect.try(() => Fs.writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })).pipe(Effect.orDie)
  })

const lockedError = (dataDir: string, pidFile: string) => {
  const pid = Fs.existsSync(pidFile) ? Fs.readFileSync(pidFile, "utf8").trim() : "unknown"
  return new ServerStartError({
    setting: "--data",
    problem: `the folder ${dataDir} is in use by another heddle-server (process ${pid})`,
    fix: "Stop that process, or choose another folder with --data."
  })
}

const unusableError = (lockFile: string, error: unknown) =>
  new ServerStartError({
    setting: "--data",
    problem: `the lock ${lockFile} cannot be used (${String(SqliteError.rootOf(error))})`,
    fix: "It holds no data. Make sure that no heddle-server uses this folder, and delete the file."
  })
