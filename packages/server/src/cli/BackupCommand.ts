import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Output from "@heddle/command-line/Output"
import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as MasterKey from "../config/MasterKey.ts"
import * as FolderCopy from "../sandbox/files/FolderCopy.ts"
import * as Database from "../sql/Database.ts"
import * as DatabaseCopy from "../sql/DatabaseCopy.ts"
import * as Storage from "../sql/Storage.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

/** `backup DIR`: a copy of everything, which a service can start on. */
export const command = Command.make(
  "backup",
  {
    target: Args.text({ name: "DIR" }),
    data: DataCommand.data,
    json: Setting.flag("json", "Print JSON, one object per line")
  },
  Effect.fnUntraced(function* ({ data, json, target }) {
    const output = Output.make(json)
    const folder = yield* checkTarget(data, Path.resolve(target))
    const copied = yield* Effect.acquireUseRelease(
      attempt(() => Fs.mkdtempSync(`${folder}.partial-`)),
      (partial) =>
        Effect.zipLeft(
          copy(data, partial),
          // A copy has its name once it is whole.
          attempt(() => Fs.renameSync(partial, folder))
        ),
      (partial) => Effect.sync(() => Fs.rmSync(partial, { recursive: true, force: true }))
    )
    yield* output.print({ backup: folder, ...copied })
    yield* output.hint(
      "To restore it, stop the service, put a copy of this folder in the place of its --data folder, and start again. It holds secrets: keep it as safe as the original."
    )
  })
).pipe(Command.withDescription("Copy everything to a new folder, also while the service runs"))

/** Refuses a target with something in it, and one that a later backup would copy into itself. */
const checkTarget = Effect.fnUntraced(function* (data: string, target: string) {
  if (Database.isEmpty(data)) {
    return yield* new Failure({
      message: `--data: the folder ${data} holds no service. Nothing was copied. Choose the one that heddle-server serve has.`
    })
  }
  const parent = yield* attempt(() => Fs.realpathSync(Path.dirname(target)))
  const folder = Path.join(parent, Path.basename(target))
  const isEmpty = yield* attempt(() => !Fs.existsSync(folder) || Fs.readdirSync(folder).length === 0)
  if (!isEmpty) {
    return yield* new Failure({ message: `${folder} is not empty. Nothing was copied. Name a new folder.` })
  }
  const source = yield* attempt(() => Fs.realpathSync(data))
  if (folder === source || folder.startsWith(source + Path.sep)) {
    return yield* new Failure({
      message: `${folder} is in the folder of --data. Nothing was copied. Name one elsewhere.`
    })
  }
  return folder
})

/**
 * The key, then the database, then the files: an agent's file exists before the database names it, so the copy has each
 * file that its database knows, but for those that were deleted meanwhile.
 */
const copy = Effect.fnUntraced(function* (data: string, to: string) {
  const key = yield* Effect.provide(MasterKey.MasterKey, MasterKey.layer(data))
  yield* attempt(() => writePrivately(MasterKey.path(to), Fs.readFileSync(MasterKey.path(data))))
  yield* DatabaseCopy.write(data, Database.path(to))
  yield* Effect.provideService(Storage.refuseOtherKeyOfCopy(data, Database.path(to)), MasterKey.MasterKey, key)
  const size = yield* attempt(() => makePrivate(Database.path(to)))
  const tasks = Path.join(data, "sandboxes")
  const { bytes, files, leftOut } = Fs.existsSync(tasks)
    ? yield* Effect.tryPromise({ try: () => FolderCopy.copy(tasks, Path.join(to, "sandboxes")), catch: failure })
    : { files: 0, bytes: 0, leftOut: 0 }
  return { database_bytes: size, task_files: files, task_bytes: bytes, left_out: leftOut }
})

const writePrivately = (file: string, content: Buffer): void =>
  Fs.writeFileSync(file, content, { mode: 0o600, flag: "wx", flush: true })

/** Leaves a written file to its owner, on the disk; returns its size. */
const makePrivate = (file: string): number => {
  const handle = Fs.openSync(file, "r+", 0o600)
  try {
    Fs.fchmodSync(handle, 0o600)
    Fs.fsyncSync(handle)
    return Fs.fstatSync(handle).size
  } finally {
    Fs.closeSync(handle)
  }
}

const attempt = <A>(run: () => A): Effect.Effect<A, Failure> => Effect.try({ try: run, catch: failure })

const failure = (error: unknown): Failure =>
  new Failure({
    message: `The backup failed: ${error instanceof Error ? error.message : String(error)}. No copy was left, and the data is as it was.`
  })
