import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { assert, describe, it } from "@effect/vitest"
import * as LockFile from "@heddle/bot/sql/LockFile"
import * as Effect from "effect/Effect"

describe("the lock of a data folder", () => {
  it.effect("is taken over from a dead bot whose process id is another process's now", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "heddle-lock-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const lock = join(folder, "bot.lock")
      const content = Effect.sync(() => readFileSync(lock, "utf8"))
      const acquired = Effect.either(Effect.scoped(Effect.zipRight(LockFile.acquire(folder), content)))
      const own = yield* acquired
      assert.match(String(own), new RegExp(`${process.pid} \\d*`))
      writeFileSync(lock, `${process.ppid} 1`)
      assert.strictEqual((yield* acquired)._tag, process.platform === "linux" ? "Right" : "Left")
      writeFileSync(lock, String(process.ppid))
      assert.include(String(yield* acquired), `process id ${process.ppid}`)
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )
})
