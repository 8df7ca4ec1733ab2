import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Client } from "../support/client.ts"
import { temporary, type Task } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

const write = (...path: ReadonlyArray<string>) => {
  const file = Path.join(...path)
  Fs.mkdirSync(Path.dirname(file), { recursive: true })
  Fs.writeFileSync(file, "x")
}

const has = ({ folder }: Task, path: string) => Fs.existsSync(Path.join(folder, path))

describe("what an agent leaves in its HOME", () => {
  const start = serviceOfTest()

  it("is without caches and temporary files after it ended; its other files stay", async () => {
    const service = await start({})
    const client = await Client.loaded(await service.task())
    const { task } = client
    const caches = [".cache/opencode/bin", ".npm/_cacache/index", ".bun/install/cache/a", ".tmp/a.so"]
    const own = [".npm/config", ".config/opencode/a.json", ".local/share/opencode/db", "report.md", "src/.cache/a"]
    await client.prompt([...caches, ...own].map((path) => `write ${path} x`).join("\n"))
    for (const path of [...caches, ...own]) assert.isTrue(has(task, path), path)
    const { error } = await client.prompt("die")
    assert.match(error.message, /ended unexpectedly/)
    const { result } = await client.prompt(`write .tmp/next x\necho again`)
    assert.strictEqual(result.stopReason, "end_turn")
    for (const path of caches) assert.isFalse(has(task, path), path)
    for (const path of [...own, ".tmp/next"]) assert.isTrue(has(task, path), path)
  })

  it("is removed without following links", async () => {
    const service = await start({})
    const client = await Client.loaded(await service.task())
    const outside = temporary()
    write(outside, "_cacache", "precious")
    await client.prompt(`link ${outside} .cache\nlink ${outside} .npm`)
    await client.prompt("die")
    await client.prompt("echo again")
    assert.isFalse(Fs.existsSync(Path.join(client.task.folder, ".cache")))
    assert.isTrue(Fs.existsSync(Path.join(outside, "_cacache", "precious")))
  })
})
