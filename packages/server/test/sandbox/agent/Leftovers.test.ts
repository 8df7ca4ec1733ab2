import { assert, describe, it } from "@effect/vitest"
import * as FolderRemoval from "@heddle/server/sandbox/files/FolderRemoval"
import * as OwnFolder from "@heddle/server/sandbox/artifacts/OwnFolder"
import * as Fs from "node:fs"
import fsPromises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
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

/** Runs something with the path of each call of a function of the file system, before the call. */
const before = (name: "open" | "opendir", run: (path: string) => void) => {
  const original = fsPromises[name]
  const replace = (value: unknown) => {
    Object.assign(fsPromises, { [name]: value })
    syncBuiltinESMExports()
  }
  replace((path: string, ...rest: ReadonlyArray<never>) => {
    run(path)
    return Reflect.apply(original, fsPromises, [path, ...rest])
  })
  return () => replace(original)
}

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

  it("is removed also where it is nested deeply or write-protected", async () => {
    const service = await start({})
    const client = await Client.loaded(await service.task())
    await client.prompt(`write ${[".cache", ...Array.from({ length: 300 }, () => "d"), "file"].join("/")} x`)
    await client.prompt("write .cache/go/mod/file x")
    Fs.chmodSync(Path.join(client.task.folder, ".cache/go/mod"), 0o500)
    await client.prompt("die")
    await client.prompt("echo again")
    assert.isFalse(has(client.task, ".cache"))
  })

  it("is left to the next time when it takes too long", async () => {
    const home = temporary()
    for (const name of ["a", "b"]) write(home, "cache", name)
    const folder = await OwnFolder.open(home, [], { create: false })
    assert(folder !== undefined)
    const error = await FolderRemoval.remove(folder, "cache", AbortSignal.abort()).catch((thrown: unknown) => thrown)
    assert.strictEqual((error as Error).name, "AbortError")
    assert.isTrue(Fs.existsSync(Path.join(home, "cache/a")))
    await FolderRemoval.remove(folder, "cache", AbortSignal.timeout(5000))
    assert.isFalse(Fs.existsSync(Path.join(home, "cache")))
    await folder.close()
  })

  for (const step of ["open", "opendir"] as const) {
    it(`never reaches through a folder that a link replaces right before ${step}`, async () => {
      const outside = temporary()
      write(outside, "precious")
      const home = temporary()
      write(home, "cache", "inner", "file")
      const folder = await OwnFolder.open(home, [], { create: false })
      assert(folder !== undefined)
      const inner = Path.join(home, "cache/inner")
      const restore = before(step, (path) => {
        if (!Fs.existsSync(inner) || Fs.realpathSync(path) !== Fs.realpathSync(inner)) return
        Fs.renameSync(inner, Path.join(home, "moved"))
        Fs.symlinkSync(outside, inner)
      })
      await FolderRemoval.remove(folder, "cache", AbortSignal.timeout(5000)).finally(restore)
      assert.isTrue(Fs.existsSync(Path.join(home, "moved")))
      assert.isTrue(Fs.existsSync(Path.join(outside, "precious")))
      await FolderRemoval.remove(folder, "cache", AbortSignal.timeout(5000))
      assert.isFalse(Fs.existsSync(Path.join(home, "cache")))
      await folder.close()
    })
  }

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
