import { assert, describe, it } from "@effect/vitest"
import * as Publication from "@heddle/server/sandbox/files/Publication"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { temporary } from "../support/service.ts"

const mebibyte = 1024 * 1024

/** The folder of a task with files of this size, which take no room on the disk. */
const taskWith = (count: number, size: number) => {
  const folder = Path.join(Fs.realpathSync(temporary()), "task")
  Fs.mkdirSync(Path.join(folder, "artifacts"), { recursive: true })
  const names = Array.from({ length: count }, (_, n) => `file${n}`)
  for (const name of names) {
    Fs.writeFileSync(Path.join(folder, name), "")
    Fs.truncateSync(Path.join(folder, name), size)
  }
  return { folder, names }
}

/** How many copies are being written. */
const unfinished = (folders: ReadonlyArray<string>) =>
  folders
    .map((folder) => Path.join(folder, "artifacts/files"))
    .flatMap((path) => (Fs.existsSync(path) ? Fs.readdirSync(path) : []))
    .filter((name) => name.endsWith(".part")).length

describe("the publication of files", () => {
  it("copies 512 MiB in one request at most; the others are told to be too large", { timeout: 60_000 }, async () => {
    const { folder, names } = taskWith(4, 200 * mebibyte)
    const small = "small.txt"
    Fs.writeFileSync(Path.join(folder, small), "small")
    const published = await Effect.runPromise(Publication.publish(folder, [...names, small]))
    assert.deepStrictEqual(
      published.map((each) => ("uri" in each ? "published" : each.problem)),
      ["published", "published", "too large", "too large", "published"]
    )
    Fs.rmSync(folder, { recursive: true })
  })

  it("copies no file above 256 MiB", async () => {
    const { folder, names } = taskWith(1, 256 * mebibyte + 1)
    const [refused] = await Effect.runPromise(Publication.publish(folder, names))
    assert.propertyVal(refused, "problem", "too large")
    Fs.rmSync(folder, { recursive: true })
  })

  it("copies two files of all tasks at once", { timeout: 60_000 }, async () => {
    const tasks = Array.from({ length: 6 }, () => taskWith(1, 24 * mebibyte))
    const folders = tasks.map(({ folder }) => folder)
    let most = 0
    const watch = Effect.sync(() => (most = Math.max(most, unfinished(folders)))).pipe(
      Effect.zipRight(Effect.yieldNow()),
      Effect.zipRight(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
      Effect.forever
    )
    await Effect.runPromise(
      Effect.gen(function* () {
        const watching = yield* Effect.fork(watch)
        yield* Effect.forEach(tasks, ({ folder, names }) => Publication.publish(folder, names), {
          concurrency: "unbounded"
        })
        yield* Fiber.interrupt(watching)
      })
    )
    assert.strictEqual(most, 2)
    for (const folder of folders) {
      assert.strictEqual(Fs.statSync(Path.join(folder, "artifacts/files/file0")).size, 24 * mebibyte)
      Fs.rmSync(folder, { recursive: true })
    }
  })
})
