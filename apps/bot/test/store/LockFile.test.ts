import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as StorageCheck from "@heddle/bot/operate/StorageCheck"
import * as LockFile from "@heddle/bot/store/database/LockFile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Starts a process that takes the lock on a signal, and keeps it. */
const contender = Effect.fnUntraced(function* (folder: string) {
  const program = `
    import * as NodeContext from "@effect/platform-node/NodeContext"
    import * as LockFile from "@heddle/bot/store/database/LockFile"
    import * as Effect from "effect/Effect"
    console.log("here")
    process.stdin.once("data", () =>
      Effect.runPromise(
        Effect.scoped(
          LockFile.acquire(process.argv[1]).pipe(
            Effect.match({ onFailure: () => console.log("refused"), onSuccess: () => console.log("taken") }),
            Effect.zipRight(Effect.never)
          )
        ).pipe(Effect.provide(NodeContext.layer))
      )
    )`
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "--eval", program, folder], {
        cwd: new URL("../..", import.meta.url),
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.promise(() => killed(child))
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = Effect.promise(async () => String((await lines.next()).value))
  yield* said
  return { child, take: Effect.sync(() => void child.stdin.write("go")), said }
})

const killed = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "close")
  child.kill("SIGKILL")
  await ended
}

describe("the lock of a data folder", () => {
  it.scopedLive("belongs to one process among many, and is free after a kill", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "heddle-lock-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      // What a process leaves whose id is another's now.
      writeFileSync(join(folder, "bot.pid"), String(process.ppid))
      assert.isTrue(Option.isNone(yield* LockFile.holder(folder)))

      const all = yield* Effect.all(
        [1, 2, 3].map(() => contender(folder)),
        { concurrency: "unbounded" }
      )
      yield* Effect.all(all.map(({ take }) => take))
      const said = yield* Effect.all(
        all.map(({ said }) => said),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(said.toSorted(), ["refused", "refused", "taken"])

      const owner = all[said.indexOf("taken")]
      assert.strictEqual(Option.getOrUndefined(yield* LockFile.holder(folder)), owner?.child.pid)
      const refused = yield* Effect.either(Effect.scoped(LockFile.acquire(folder)))
      assert.include(String(refused), `in use by the bot with process id ${owner?.child.pid}`)
      if (owner !== undefined) yield* Effect.promise(() => killed(owner.child))
      yield* Effect.scoped(LockFile.acquire(folder))
      assert.isTrue(Option.isNone(yield* LockFile.holder(folder)))
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("is told as damaged where its file is, and can be deleted then", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "heddle-lock-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const file = join(folder, "lock.sqlite")
      writeFileSync(file, "x".repeat(4096))
      const { fix, problem, setting } = yield* Effect.flip(Effect.scoped(LockFile.acquire(folder)))
      assert.strictEqual(setting, "HEDDLE_DATA")
      assert.strictEqual(problem, `the lock ${file} is damaged`)
      assert.match(fix, /It holds no data\. Make sure that no bot uses this folder, and delete the file\./)
      const finding = yield* StorageCheck.folder(folder)
      assert.include(JSON.stringify(finding), problem)
      rmSync(file)
      yield* Effect.scoped(LockFile.acquire(folder))
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
