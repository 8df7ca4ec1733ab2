import { assert, describe, it } from "@effect/vitest"
import * as PlanFile from "@heddle/server/sandbox/artifacts/PlanFile"
import * as PlanReader from "@heddle/server/sandbox/artifacts/PlanReader"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { temporary } from "../support/service.ts"

describe("PlanFile", () => {
  it("reads a short text of the task's folder, and no longer one", async () => {
    const folder = Fs.realpathSync(temporary())
    const file = Path.join(folder, "p.md")
    for (const [text, read] of [
      ["# Plan", "# Plan"],
      ["x".repeat(256 * 1024), "x".repeat(256 * 1024)],
      ["x".repeat(256 * 1024 + 1), undefined]
    ] as const) {
      Fs.writeFileSync(file, text)
      assert.strictEqual(await PlanFile.read(folder, file), read)
    }
    Fs.rmSync(folder, { recursive: true })
  })

  // Their reported size is 0.
  const folder = `/proc/${process.pid}`
  const large = Fs.existsSync(folder) && Fs.readFileSync(`${folder}/smaps`).length > 256 * 1024
  it.runIf(large)("reads no more than the limit of a file that is larger than its stated size", async () => {
    assert.isUndefined(await PlanFile.read(folder, `${folder}/smaps`))
    assert.isDefined(await PlanFile.read(folder, `${folder}/status`))
  })
})

describe("PlanReader", () => {
  it("reads one file at a time, each by its latest request", async () => {
    const seen: Array<string> = []
    let open = 0
    let most = 0
    let ends: () => void = () => {}
    const done = new Promise<void>((resolve) => (ends = resolve))
    const reads = PlanReader.make(
      (effect) => void Effect.runFork(effect),
      async (file) => {
        most = Math.max(most, (open += 1))
        await new Promise((resolve) => setImmediate(resolve))
        open -= 1
        if (file === "broken") throw new Error("broken")
        return file === "nothing" ? undefined : file
      },
      (uri, text) => {
        seen.push(`${uri} ${text}`)
        if (uri === "last") ends()
      }
    )
    reads.request("first", "a")
    for (let n = 0; n < 500; n++) {
      reads.request("b", `b${n}`)
      reads.request("c", n === 499 ? "broken" : "c")
      reads.request("d", "nothing")
    }
    reads.request("last", "z")
    reads.request("longName", "x".repeat(1_000_000))
    await done
    assert.deepStrictEqual([seen, most], [["first a", "b b499", "last z"], 1])
  })
})
