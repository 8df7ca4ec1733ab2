import * as Reactivity from "@effect/experimental/Reactivity"
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { BotStartError } from "../../model/BotStartError.ts"

/**
 * Makes this process the only bot of a data folder until the scope closes. The lock is a SQLite lock of the operating
 * system, so it ends with the process.
 */
export const acquire = Effect.fn("LockFile.acquire")(function* (
  folder: string
): Effect.fn.Return<void, BotStartError, FileSystem.FileSystem | Path.Path | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const unusable = (error: { readonly message: string }) =>
    new BotStartError({
      setting: "HEDDLE_DATA",
      problem: `the folder ${folder} cannot be written (${error.message})`,
      fix: "Give a folder that this user may write to."
    })
  const refusal = (error: SqlError) => (isDamaged(error) ? damaged(path.join(folder, lockFile)) : unusable(error))
  const inUse = Effect.flatMap(pidIn(folder), (pid) =>
    Effect.fail(
      new BotStartError({
        setting: "HEDDLE_DATA",
        problem: `the folder ${folder} is in use by the bot with process id ${pid}`,
        fix: "Stop that bot first, or give another folder."
      })
    )
  )
  yield* Effect.mapError(makeFolder(folder), unusable)
  // A process that only checks the lock holds it for a moment.
  const sql = yield* Effect.mapError(open(folder), refusal)
  yield* Effect.acquireRelease(
    sql`PRAGMA busy_timeout=500`.pipe(
      Effect.zipRight(sql`BEGIN EXCLUSIVE`),
      Effect.catchAll((error) => (isBusy(error) ? inUse : Effect.fail(refusal(error))))
    ),
    // Closing a file does not end its transaction at once; an ended one needs no rollback.
    () => Effect.ignore(sql`ROLLBACK`)
  )
  yield* Effect.mapError(fs.writeFileString(path.join(folder, pidFile), String(process.pid), { mode: 0o600 }), unusable)
})

/** The process id of the bot that uses a data folder, if any. */
export const holder = (
  folder: string
): Effect.Effect<Option.Option<number>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // A missing or unreadable folder has no owner.
    const there = yield* Effect.orElseSucceed(fs.exists(path.join(folder, lockFile)), () => false)
    if (!there) return Option.none()
    const free = yield* open(folder).pipe(
      Effect.flatMap((sql) => Effect.zipRight(sql`PRAGMA busy_timeout=0`, sql`SELECT * FROM sqlite_master`)),
      Effect.scoped,
      Effect.either
    )
    return free._tag === "Left" && isBusy(free.left) ? Option.some(yield* pidIn(folder)) : Option.none()
  })

const lockFile = "lock.sqlite"

/** Contains only the owner's process id. */
const pidFile = "bot.pid"

const open = (folder: string) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    return yield* SqliteClient.make({ filename: path.join(folder, lockFile), disableWAL: true }).pipe(
      Effect.catchAllDefect((cause) => Effect.fail(new SqlError({ cause, message: String(cause) })))
    )
  }).pipe(Effect.provide(Reactivity.layer))

const damaged = (file: string) =>
  new BotStartError({
    setting: "HEDDLE_DATA",
    problem: `the lock ${file} is damaged`,
    fix: "It holds no data. Make sure that no bot uses this folder, and delete the file."
  })

const isBusy = (error: SqlError): boolean => codeOf(error).startsWith("SQLITE_BUSY")

const isDamaged = (error: SqlError): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

const codeOf = ({ cause }: SqlError): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "")

/** 0 when unknown. */
const pidIn = (folder: string): Effect.Effect<number, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    return Number(yield* fs.readFileString(path.join(folder, pidFile)))
  }).pipe(Effect.orElseSucceed(() => 0))

/** Creates a folder with its parents. Node's recursive mkdir never ends below a folder such as /proc. */
const makeFolder = (folder: string): Effect.Effect<void, PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (yield* fs.exists(folder)) return
    const path = yield* Path.Path
    const parent = path.dirname(folder)
    if (parent !== folder) yield* makeFolder(parent)
    yield* fs.makeDirectory(folder, { mode: 0o700 })
  })
