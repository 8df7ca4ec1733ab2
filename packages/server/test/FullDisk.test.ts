import { assert, describe, it } from "@effect/vitest"
import * as Administration from "@heddle/server/Administration"
import { Accounts } from "@heddle/server/accounts/Accounts"
import { Applications } from "@heddle/server/oauth/Applications"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { program } from "./support/Commands.ts"
import * as TestServer from "./support/TestServer.ts"

const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0

describe("a disk that takes no more", { timeout: 60_000 }, () => {
  it.scopedLive("makes the service unready and refuses what it cannot store, until there is room again", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const { call, create, pid, readiness } = yield* startService(dataDir)
      /** The largest file that the service may write. */
      const limit = (size: string) => execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`])
      assert.strictEqual((yield* create).status, 201)
      yield* readiness(200)

      limit("4096")
      assert.include((yield* readiness(503)).text, "takes no writes")
      const refused = yield* create
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "temporarily_unavailable")
      assert.include(refused.text, "cannot store anything at the moment")
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((yield* call("/healthz")).status, 200)
      assert.strictEqual((yield* call("/openapi/v2/tasks")).status, 200)

      limit("unlimited")
      yield* readiness(200)
      assert.strictEqual((yield* create).status, 201)
      assert.include((yield* call("/openapi/v2/tasks")).text, '"total":2')
    })
  )

  it.scopedLive.skipIf(!canMount)("is noticed where the log of the database still has space (as root)", () =>
    Effect.gen(function* () {
      const dataDir = yield* smallDisk
      const { call, create, readiness } = yield* startService(dataDir)
      assert.strictEqual((yield* create).status, 201)
      // The log keeps its size, and is written from its beginning again.
      const text = "x".repeat(30_000)
      for (let n = 0; n < 170; n++)
        assert.strictEqual((yield* call("/openapi/v2/tasks", { prompt: text, initial_prompt: "hold" })).status, 201)
      const fill = Path.join(dataDir, "fill")
      execFileSync("sh", ["-c", 'cat /dev/zero > "$0" 2> /dev/null || true', fill])

      yield* readiness(503)
      const refused = yield* create
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "cannot store anything at the moment")

      Fs.rmSync(fill)
      yield* readiness(200)
      assert.strictEqual((yield* create).status, 201)
    })
  )
})

/** A folder that is a disk of 24 MiB. */
const smallDisk = Effect.gen(function* () {
  const folder = yield* TestServer.dataDir
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", folder])
  yield* Effect.addFinalizer(() => Effect.sync(() => execFileSync("umount", ["--lazy", folder])))
  return folder
})

/** A service with a user and an application. */
const startService = Effect.fnUntraced(function* (dataDir: string) {
  const agent = `${process.execPath} ${scriptedAgent}`
  const args = ["serve", "--port", "0", "--data", dataDir, "--agent", agent]
  const { pid, ready } = yield* Programs.start(program, args)
  const { url } = yield* ready
  const token = yield* Effect.gen(function* () {
    const { clientId } = yield* (yield* Applications).create({ name: "Loom", redirectUris: [TestServer.redirectUri] })
    const { userId } = yield* (yield* Accounts).create({ name: "Ada" })
    return yield* TestServer.grant(dataDir, clientId, userId)
  }).pipe(Effect.provide(Administration.layer(dataDir)))
  const call = (path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  const create = call("/openapi/v2/tasks", { prompt: "hello", initial_prompt: "hold" })
  const readiness = (status: number) =>
    call("/readyz").pipe(Effect.delay("50 millis"), Effect.repeat({ until: (answer) => answer.status === status }))
  return { call, create, pid, readiness }
})
