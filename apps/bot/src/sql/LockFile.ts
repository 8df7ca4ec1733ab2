import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { BotStartError } from "../BotStartError.ts"

/**
 * Makes this process the only bot on a data folder for as long as the scope lives.
 * The lock of a process that is no longer alive is taken over.
 */
export const acquire = Effect.fn("LockFile.acquire")(function* (
  folder: string
): Effect.fn.Return<void, BotStartError, FileSystem.FileSystem | Path.Path | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(folder, "bot.lock")
  const unusable = (error: { readonly message: string }) =>
    new BotStartError({
      setting: "HEDDLE_DATA",
      problem: `the folder ${folder} cannot be written (${error.message})`,
      fix: "Give a folder that this user may write to."
    })
  yield* Effect.mapError(makeFolder(folder), unusable)
  const take = fs.writeFileString(file, String(process.pid), { flag: "wx", mode: 0o600 })
  yield* Effect.acquireRelease(
    take.pipe(
      Effect.catchAll((error) =>
        error._tag === "SystemError" && error.reason === "AlreadyExists"
          ? fs.readFileString(file).pipe(
              Effect.mapError(unusable),
              Effect.flatMap((pid) =>
                isAlive(Number(pid))
                  ? Effect.fail(
                      new BotStartError({
                        setting: "HEDDLE_DATA",
                        problem: `the folder ${folder} is in use by the bot with process id ${pid.trim()}`,
                        fix: "Stop that bot first, or give another folder."
                      })
                    )
                  : Effect.zipRight(fs.remove(file), take).pipe(Effect.mapError(unusable))
              )
            )
          : Effect.fail(unusable(error))
      )
    ),
    // A lock that cannot be removed is found stale by the next start.
    () => Effect.ignore(fs.remove(file))
  )
})

/** The process id of the bot that runs on a data folder, if one does. */
export const holder = (
  folder: string
): Effect.Effect<Option.Option<number>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const pid = Number(yield* fs.readFileString(path.join(folder, "bot.lock")))
    return isAlive(pid) ? Option.some(pid) : Option.none()
    // A folder that is not there, or cannot be read, is nobody's.
  }).pipe(Effect.catchAll(() => Effect.succeedNone))

/** Makes a folder and what is missing above it. Node's own way of doing so never ends below a folder like /proc. */
const makeFolder = (folder: string): Effect.Effect<void, PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    if (yield* fs.exists(folder)) return
    const path = yield* Path.Path
    const parent = path.dirname(folder)
    if (parent !== folder) yield* makeFolder(parent)
    yield* fs.makeDirectory(folder, { mode: 0o700 })
  })

const isAlive = (pid: number): boolean => {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Not ours to signal, but alive.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
