import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Output from "@heddle/command-line/Output"
import * as Effect from "effect/Effect"
import { BotStartError } from "../model/BotStartError.ts"
import { fileName, refusal, WrittenByAnotherVersion } from "../store/database/Database.ts"
import * as DatabaseCopy from "../store/database/DatabaseCopy.ts"

/** Copies the database of a data folder to a new folder, prints what was copied, and says how it is restored. */
export const run = Effect.fn("Backup.run")(function* (options: {
  readonly dataDir: string
  readonly target: string
  readonly json: boolean
}): Effect.fn.Return<void, BotStartError, FileSystem.FileSystem | Path.Path> {
  const { dataDir, json, target } = options
  const path = yield* Path.Path
  const output = Output.make(json)
  const database = path.join(dataDir, fileName)
  const folder = path.resolve(target)
  yield* checkSource(dataDir, database)
  yield* makeTarget(folder)
  const backup = path.join(folder, fileName)
  const bytes = yield* copy(dataDir, database, backup)
  yield* output.print({ backup, bytes })
  yield* output.hint(
    `To restore it, stop the bot, put a copy of this file as ${fileName} into an empty folder, and start the bot with that folder as --data.`
  )
  yield* output.hint(
    "The HEDDLE_ENCRYPTION_KEY is not in the copy, and a start needs it: keep it in another place. The copy holds messages of people: keep it as safe as the original."
  )
})

const checkSource = Effect.fnUntraced(function* (dataDir: string, database: string) {
  const fs = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(fs.exists(database), () => false)) return
  return yield* new BotStartError({
    setting: "HEDDLE_DATA",
    problem: `there is no ${fileName} in ${dataDir}`,
    fix: "Nothing was copied: give the folder of the bot."
  })
})

/** Makes the folder, or takes an empty one. */
const makeTarget = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const isFree = yield* fs.makeDirectory(folder, { mode: 0o700 }).pipe(
    Effect.as(true),
    Effect.catchIf(
      (error) => error._tag === "SystemError" && error.reason === "AlreadyExists",
      () => Effect.map(fs.readDirectory(folder), ({ length }) => length === 0)
    ),
    Effect.mapError(({ message }) => unwritable(folder, message))
  )
  if (isFree) return
  return yield* new BotStartError({
    setting: "DIR",
    problem: `${folder} is not empty`,
    fix: "Nothing was copied: name a new folder."
  })
})

/** Writes the copy beside its place, so that a file with its name is whole. */
const copy = (dataDir: string, database: string, backup: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const partial = `${backup}.partial`
    return yield* DatabaseCopy.write(database, partial).pipe(
      Effect.zipLeft(fs.rename(partial, backup)),
      Effect.tapError(() => Effect.ignore(fs.remove(partial, { force: true })))
    )
  }).pipe(
    Effect.mapError((error) =>
      error instanceof WrittenByAnotherVersion
        ? refusal(dataDir, error)
        : new BotStartError({
            setting: "HEDDLE_DATA",
            problem: `${database} cannot be copied to ${backup} (${error.message})`,
            fix: "No copy was left, and the data is as it was."
          })
    )
  )

const unwritable = (place: string, reason: string) =>
  new BotStartError({
    setting: "DIR",
    problem: `${place} cannot be written (${reason})`,
    fix: "Nothing was copied: name a new folder where this user may write."
  })
