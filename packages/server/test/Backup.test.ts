import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Administration from "@heddle/server/Administration"
import { Accounts } from "@heddle/server/accounts/Accounts"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import { knownScopes } from "@heddle/core/domain/Scope"
import * as Database from "@heddle/server/sql/Database"
import * as Storage from "@heddle/server/sql/Storage"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { program, run, runHere } from "./support/Commands.ts"
import * as TestServer from "./support/TestServer.ts"

const json = ({ err, out }: Programs.Ended) => {
  assert.strictEqual(err, "")
  return JSON.parse(out) as Record<string, string>
}

const serve = (dataDir: string) =>
  Effect.gen(function* () {
    const agent = `${process.execPath} ${scriptedAgent}`
    const { ready, stop } = yield* Programs.start(program, [
      "serve",
      "--port",
      "0",
      "--data",
      dataDir,
      "--agent",
      agent
    ])
    return { url: String((yield* ready)["url"]), stop }
  })

/** A running service with an application, an account of seven credits, and the calls of a client. */
const used = Effect.gen(function* () {
  const dataDir = yield* TestServer.dataDir
  const service = yield* serve(dataDir)
  const { app, grant } = yield* Effect.gen(function* () {
    const app = yield* (yield* Applications).create({ name: "Loom", redirectUris: [TestServer.redirectUri] })
    const { userId } = yield* (yield* Accounts).create({ name: "Ada", credits: 7 })
    const grant = yield* (yield* Grants).issue({ clientId: app.clientId, userId, scopes: new Set(knownScopes) })
    return { app, grant }
  }).pipe(Effect.provide(Administration.layer(dataDir)))
  const call = (url: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/openapi/v2${path}`, {
        headers: { authorization: `Bearer ${Redacted.value(grant.accessToken)}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    })
  const create = (url: string, name: string) => call(url, "/tasks", { prompt: "hello", name, initial_prompt: "hold" })
  const names = (url: string) =>
    Effect.map(call(url, "/tasks"), ({ json }) =>
      (json["tasks"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)
    )
  /** A task once it has a credential. */
  const ready = (url: string, taskId: unknown) =>
    call(url, `/tasks/${String(taskId)}`).pipe(
      Effect.map(({ json }) => json),
      Effect.repeat({ until: ({ token }) => token !== undefined })
    )
  /** One more access token, which is recorded in the audit log. */
  const refresh = (url: string) =>
    Effect.promise(() =>
      fetch(`${url}/openapi/v2/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: Redacted.value(grant.refreshToken!),
          client_id: app.clientId,
          client_secret: Redacted.value(app.clientSecret)
        })
      })
    )
  return { dataDir, service, call, create, names, ready, refresh }
})

/** A name for a copy that does not exist yet, in a folder of its own. */
const target = Effect.map(TestServer.dataDir, (folder) => Path.join(folder, "copy"))

/** All paths below a folder that are no links. */
const pathsOf = (folder: string): ReadonlyArray<string> =>
  Fs.readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => Path.join(folder, name))
    .filter((path) => !Fs.lstatSync(path).isSymbolicLink())

describe.concurrent("heddle-server backup", { timeout: 60_000 }, () => {
  it.scopedLive("copies one state of a service that writes meanwhile, and a service goes on working on the copy", () =>
    Effect.gen(function* () {
      const { call, create, dataDir, names, ready, refresh, service } = yield* used
      const created = yield* create(service.url, "before")
      const task = yield* ready(service.url, created.json["task_id"])
      const folder = Path.join(dataDir, "sandboxes", String(task["task_id"]))
      Fs.writeFileSync(Path.join(folder, "run.sh"), "echo 1", { mode: 0o755 })
      Fs.symlinkSync(Path.join(dataDir, "master.key"), Path.join(folder, "link"))
      execFileSync("mkfifo", [Path.join(folder, "pipe")])

      yield* refresh(service.url)
      const writing = yield* Effect.fork(Effect.forever(refresh(service.url)))
      const copy = yield* target
      const printed = json(yield* run(["backup", copy, "--data", dataDir, "--json"]))
      yield* Fiber.interrupt(writing)
      assert.strictEqual(printed["backup"], Fs.realpathSync(copy))
      assert.strictEqual(Number(printed["left_out"]), 1)
      yield* create(service.url, "after")
      yield* service.stop("SIGTERM")

      for (const path of pathsOf(copy)) assert.strictEqual(Fs.lstatSync(path).mode & 0o077, 0, path)
      assert.deepStrictEqual(Fs.readdirSync(copy).sort(), ["master.key", "sandboxes", "server.sqlite"])
      assert.deepStrictEqual(Fs.readdirSync(Path.dirname(copy)), ["copy"], "nothing half done stays")
      const copied = Path.join(copy, "sandboxes", String(task["task_id"]))
      assert.strictEqual(Fs.statSync(Path.join(copied, "run.sh")).mode & 0o777, 0o700)
      assert.strictEqual(Fs.readlinkSync(Path.join(copied, "link")), Path.join(dataDir, "master.key"))

      const counts = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ tokens: number; refreshes: number }>`
          SELECT (SELECT COUNT(*) FROM access_tokens) AS tokens,
            (SELECT COUNT(*) FROM audit_events WHERE action = 'refreshed') AS refreshes`
        return row
      }).pipe(Effect.provide(Storage.layer(copy, { serving: true })))
      assert.isAtLeast(counts?.refreshes ?? 0, 1)
      assert.strictEqual(counts?.tokens, 1 + (counts?.refreshes ?? 0), "each token has its event")

      const { url } = yield* serve(copy)
      assert.deepStrictEqual(yield* names(url), ["before"])
      assert.strictEqual((yield* call(url, "/credit")).json["total_capacity_size"], 7)
      assert.strictEqual((yield* create(url, "on the copy")).status, 201)
      const again = yield* ready(url, task["task_id"])
      assert.strictEqual(again["token"], task["token"], "the key opens what it closed")
    })
  )

  it.scopedLive("copies what a killed service has stored, and leaves it as it is", () =>
    Effect.gen(function* () {
      const { create, dataDir, names, service } = yield* used
      yield* create(service.url, "the last one")
      yield* service.stop("SIGKILL")
      const copy = yield* target
      json(yield* run(["backup", copy, "--data", dataDir, "--json"]))
      // The copy first: it must have what was still in the log of the killed one.
      for (const folder of [copy, dataDir]) {
        assert.deepStrictEqual(yield* names((yield* serve(folder)).url), ["the last one"])
      }
    })
  )
})

// One after the other: a command that runs here takes the output of the process.
describe("heddle-server backup", { timeout: 60_000 }, () => {
  const backup = (dataDir: string, to: string) => runHere(["backup", to, "--data", dataDir])

  it.scopedLive("overwrites nothing, and copies no folder into itself", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      yield* Effect.scoped(TestServer.make({ dataDir }))
      const copy = yield* target
      Fs.mkdirSync(copy)
      assert.strictEqual((yield* backup(dataDir, copy)).status, 0)
      const before = Fs.statSync(Path.join(copy, "server.sqlite"))
      const refused = yield* Effect.forEach([copy, Path.join(dataDir, "copy"), dataDir], (to) => backup(dataDir, to))
      assert.deepStrictEqual(
        refused.map(({ status }) => status),
        [2, 2, 2]
      )
      assert.match(refused[0]?.err ?? "", /is not empty\. Nothing was copied\./)
      assert.match(refused[1]?.err ?? "", /is in the folder of --data\. Nothing was copied\./)
      assert.strictEqual(Fs.statSync(Path.join(copy, "server.sqlite")).ino, before.ino)
      assert.isFalse(Fs.existsSync(Path.join(dataDir, "copy")))
      const empty = yield* TestServer.dataDir
      assert.match((yield* backup(empty, `${copy}2`)).err, /holds no service\. Nothing was copied\./)
      assert.deepStrictEqual(Fs.readdirSync(empty), [])
      Fs.truncateSync(Path.join(dataDir, "server.sqlite"))
      assert.match((yield* backup(dataDir, `${copy}2`)).err, /holds no service\. Nothing was copied\./)
    })
  )

  it.scopedLive("refuses a database of a newer version in the words of a start, and leaves no copy", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      yield* Effect.scoped(TestServer.make({ dataDir }))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO schema_migrations (migration_id, created_at, name) VALUES (1000, '2026-11-22', 'later')`
      }).pipe(Effect.provide(Database.layer(dataDir)))
      const copy = yield* target
      const refused = yield* backup(dataDir, copy)
      assert.strictEqual(refused.status, 2)
      assert.match(refused.err, /server\.sqlite cannot be opened \(another version of this program has written it\)/)
      assert.match(refused.err, /Start the version that wrote it/)
      assert.deepStrictEqual(Fs.readdirSync(Path.dirname(copy)), [])
      const start = yield* runHere(["task", "list", "--data", dataDir])
      assert.strictEqual(refused.err, start.err)
    })
  )

  it.scopedLive(
    "says that a folder without its key or with damaged pages cannot be copied, and leaves no half copy",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* TestServer.dataDir
        yield* Effect.scoped(TestServer.make({ dataDir }))
        const copy = yield* target
        const database = Path.join(dataDir, "server.sqlite")
        const pages = Fs.openSync(database, "r+")
        Fs.writeSync(pages, Buffer.alloc(20 * 4096), 0, 20 * 4096, Fs.fstatSync(pages).size - 20 * 4096)
        Fs.closeSync(pages)
        const damaged = yield* backup(dataDir, copy)
        assert.strictEqual(damaged.status, 2)
        assert.match(damaged.err, /server\.sqlite cannot be copied \(.*malformed.*Nothing was copied/)
        Fs.rmSync(Path.join(dataDir, "master.key"))
        const keyless = yield* backup(dataDir, copy)
        assert.match(keyless.err, /master\.key is missing beside its database/)
        assert.deepStrictEqual(Fs.readdirSync(Path.dirname(copy)), [])
      })
  )

  it.scopedLive("refuses the key of another database in the words of a start, and leaves no copy", () =>
    Effect.gen(function* () {
      const [dataDir, other] = [yield* TestServer.dataDir, yield* TestServer.dataDir]
      for (const folder of [dataDir, other]) yield* Effect.scoped(TestServer.make({ dataDir: folder }))
      Fs.copyFileSync(Path.join(other, "master.key"), Path.join(dataDir, "master.key"))
      const copy = yield* target
      const refused = yield* backup(dataDir, copy)
      assert.match(refused.err, /master\.key belongs to another database/)
      assert.strictEqual(refused.status, 2)
      assert.deepStrictEqual(Fs.readdirSync(Path.dirname(copy)), [])
      const start = yield* runHere(["task", "list", "--data", dataDir])
      assert.strictEqual(refused.err, start.err)
    })
  )
})
