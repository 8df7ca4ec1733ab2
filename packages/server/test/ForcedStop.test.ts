import { assert, describe, it } from "@effect/vitest"
import * as Programs from "@heddle/test-support/Programs"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as TestServer from "./support/TestServer.ts"

const program = fileURLToPath(new URL("../bin/heddle-server.js", import.meta.url))

/** A request without its end, for which a stop waits a moment. */
const holdOpen = async (port: number) => {
  const socket = Net.connect(port, "127.0.0.1")
  socket.on("error", () => undefined)
  socket.write("POST /openapi/v2/token HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n")
  socket.write("Content-Type: application/x-www-form-urlencoded\r\n\r\na")
  await once(socket, "connect")
}

const isOpen = async (port: number) => {
  const socket = Net.connect(port, "127.0.0.1")
  const opened = once(socket, "connect").then(
    () => true,
    () => false
  )
  return opened.finally(() => socket.destroy())
}

describe("a stop that a second signal forces", { timeout: 60_000 }, () => {
  it.scopedLive("leaves a database that is whole without the files beside it", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const agent = ["--agent", process.execPath]
      const { ended, pid, ready } = yield* Programs.start(program, [
        "serve",
        "--port",
        "0",
        "--data",
        dataDir,
        ...agent
      ])
      const port = Number(new URL(String((yield* ready)["url"])).port)
      const created = yield* Programs.run(program, [
        "user",
        "create",
        "--name",
        "Ada",
        "--password",
        "p",
        "--data",
        dataDir
      ])
      assert.strictEqual(created.status, 0, created.err)
      yield* Effect.promise(() => holdOpen(port))
      process.kill(pid!, "SIGTERM")
      yield* Effect.promise(async () => {
        while (await isOpen(port));
      })
      process.kill(pid!, "SIGINT")
      assert.strictEqual((yield* ended).status, 130)

      const file = Path.join(dataDir, "server.sqlite")
      assert.strictEqual(Fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
      const copy = Path.join(yield* TestServer.dataDir, "copy.sqlite")
      Fs.copyFileSync(file, copy)
      const database = new Sqlite(copy)
      assert.deepStrictEqual(database.prepare("SELECT COUNT(*) AS count FROM accounts").all(), [{ count: 1 }])
      database.close()
    })
  )
})
