import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as PrivateFile from "./PrivateFile.ts"
import { ServerStartError } from "./ServerStartError.ts"

/** Creates the data folder where it is missing, readable by its owner only, and makes sure that it can be written. */
export const prepare = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.try({
    try: () => {
      make(dataDir)
      Fs.accessSync(dataDir, Fs.constants.R_OK | Fs.constants.W_OK | Fs.constants.X_OK)
    },
    catch: (cause) =>
      new ServerStartError({
        setting: "--data",
        problem: `the folder ${dataDir} cannot be written (${errorCode(cause)})`,
        fix: "Make it writable for this user, or choose another folder with --data."
      })
  })

/**
 * Refuses a folder for administering that holds other things but no service: a command would silently begin a second
 * one there. A new folder is taken.
 */
export const demandOurs = (dataDir: string): Effect.Effect<void, ServerStartError> =>
  Effect.suspend(() => {
    const names = Fs.existsSync(dataDir) ? Fs.readdirSync(dataDir) : []
    if (names.length === 0 || names.some((name) => /^(server\.(sqlite|lock|pid)|master\.key)/.test(name)))
      return Effect.void
    const inside = Path.join(dataDir, "server")
    return new ServerStartError({
      setting: "--data",
      problem: `the folder ${dataDir} holds no service, and nothing was made there`,
      fix: Fs.existsSync(Path.join(inside, "server.sqlite"))
        ? `The service is in --data ${inside}.`
        : "Choose the folder that heddle-server serve has as --data; the local stack keeps its service in the folder server of its own."
    })
  })

/** `mkdir -p`. Node's own recursive mkdir never ends where a parent cannot be made, such as below /proc. */
const make = (folder: string): void => {
  if (Fs.existsSync(folder)) return
  if (Path.dirname(folder) !== folder) make(Path.dirname(folder))
  try {
    Fs.mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    // Another command may have made it in this moment.
    if (!Fs.existsSync(folder)) throw cause
  }
}

/**
 * Holds the data folder for one serving process until the scope closes.
 * The lock is SQLite's own on `server.lock`, so the operating system frees it however the holder dies;
 * `server.pid` beside it only tells people who the holder is.
 */
export const lock = (dataDir: string): Effect.Effect<void, ServerStartError, Scope.Scope> =>
  Effect.gen(function* () {
    const pidFile = Path.join(dataDir, "server.pid")
    const lockFile = Path.join(dataDir, "server.lock")
    yield* Effect.sync(() => PrivateFile.ensure(lockFile))
    const sql = yield* SqliteClient.make({ filename: lockFile, disableWAL: true }).pipe(
      Effect.provide(Reactivity.layer)
    )
    // Closing the connection alone would keep the lock until its statements are collected.
    yield* Effect.acquireRelease(sql`BEGIN EXCLUSIVE`.pipe(Effect.mapError(() => locked(dataDir, pidFile))), () =>
      Effect.orDie(sql`ROLLBACK`)
    )
    yield* Effect.try(() => Fs.writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })).pipe(Effect.orDie)
  })

const locked = (dataDir: string, pidFile: string) => {
  const pid = Fs.existsSync(pidFile) ? Fs.readFileSync(pidFile, "utf8").trim() : "unknown"
  return new ServerStartError({
    setting: "--data",
    problem: `the folder ${dataDir} is in use by another heddle-server (process ${pid})`,
    fix: "Stop that process, or choose another folder with --data."
  })
}

const errorCode = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)
