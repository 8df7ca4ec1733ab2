import { assert, describe, it } from "@effect/vitest"
import * as Service from "@heddle/server/Service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Path from "node:path"
import * as Api from "./support/Api.ts"
import * as MemorySandboxes from "./support/MemorySandboxes.ts"
import * as TestServer from "./support/TestServer.ts"

const failure = (options: Parameters<typeof Service.start>[0]) =>
  Effect.flip(Effect.scoped(Service.start({ port: 0, ...options }, MemorySandboxes.layer)))

describe("Service", () => {
  it.scopedLive("keeps tokens, tasks and applications after a restart", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* TestServer.make({ dataDir })
          const tokens = yield* Api.connect(server)
          const task = yield* Api.call(server, tokens.access_token, "/tasks", { json: { prompt: "stay" } })
          return { server, tokens, taskId: task.json["task_id"] }
        })
      )
      const server = yield* TestServer.make({ dataDir })
      assert.strictEqual(server.clientId, before.server.clientId)
      const { json } = yield* Api.call(server, before.tokens.access_token, "/tasks")
      assert.strictEqual((json["tasks"] as ReadonlyArray<Record<string, unknown>>)[0]?.["task_id"], before.taskId)
      const again = { ...server, clientSecret: before.server.clientSecret }
      const refreshed = yield* Api.token(again, Api.refreshFields(again, before.tokens.refresh_token))
      assert.strictEqual(refreshed.json["open_id"], before.tokens.open_id)
    })
  )

  it.scopedLive("reports why it cannot start, and the fix", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const other = yield* TestServer.dataDir
      const running = yield* TestServer.make({ dataDir })
      const port = Number(new URL(running.url).port)

      const locked = yield* failure({ dataDir })
      assert.include(locked.message, `in use by another heddle-server (process ${process.pid})`)
      const taken = yield* failure({ dataDir: other, port })
      assert.include(taken.message, `--port: port ${port} of 127.0.0.1 is taken`)
      const file = Path.join(other, "file")
      Fs.writeFileSync(file, "")
      assert.match((yield* failure({ dataDir: Path.join(file, "data") })).message, /^--data: .* cannot be written/)
      const broken = Path.join(other, "broken")
      Fs.mkdirSync(broken)
      Fs.writeFileSync(
        Path.join(broken, "server.sqlite"),
        "no database at all, but long enough to be read as one".repeat(50)
      )
      assert.match((yield* failure({ dataDir: broken })).message, /^--data: the database .* is damaged/)
      assert.match((yield* failure({ dataDir: other, host: "192.0.2.1" })).message, /^--host: /)
      assert.match((yield* failure({ dataDir: other, host: "0.0.0.0" })).message, /^--public-url: it is missing/)
      assert.match((yield* failure({ dataDir: other, publicUrl: "ftp://x" })).message, /^--public-url: /)
      const rate = { user: { requests: 0, seconds: 60 } }
      assert.match((yield* failure({ dataDir: other, limits: { rate } })).message, /^--rate-limit: user is no rate/)
      for (const origin of ["https://a.example/", "a.example", "null", "ftp://a.example", "https://a.example/x"]) {
        assert.match((yield* failure({ dataDir: other, cors: { origins: [origin] } })).message, /^--cors-origin: /)
      }
      const [since, sunset] = [new Date("2027-02-01"), new Date("2027-01-31")]
      assert.match((yield* failure({ dataDir: other, deprecation: { since, sunset } })).message, /^--sunset: /)
      const hint = { name: "a", password: "b" }
      assert.match(
        (yield* failure({ dataDir: other, host: "0.0.0.0", publicUrl: "http://x", signInHint: hint })).message,
        /^signInHint: /
      )
    })
  )

  it.scopedLive("releases the folder and the port when it stops", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const url = yield* Effect.scoped(Effect.map(TestServer.make({ dataDir }), (server) => server.url))
      const again = yield* TestServer.make({ dataDir, port: Number(new URL(url).port) })
      assert.strictEqual(again.url, url)
    })
  )

  it.scopedLive("finishes a running response before it stops", () =>
    Effect.gen(function* () {
      const running = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* TestServer.make()
          const answer = yield* Effect.fork(
            Api.token(server, { grant_type: "authorization_code", client_id: "x", client_secret: "y" })
          )
          const socket = yield* Effect.async<Net.Socket>((resume) => {
            const open = Net.connect(Number(new URL(server.url).port), "127.0.0.1", () => resume(Effect.succeed(open)))
          })
          // A request whose body is not complete holds the service no longer than the drain.
          socket.write("POST /openapi/v2/token HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345")
          const status = (yield* answer).status
          return { socket, status, stopping: performance.now() }
        })
      )
      assert.strictEqual(running.status, 401)
      assert.isBelow(performance.now() - running.stopping, 4500)
      running.socket.destroy()
    })
  )

  it.scopedLive("finds an existing application and account, and gives new credentials", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const again = yield* server.applications.ensure({ name: "Loom", redirectUris: ["https://b.example/cb"] })
      assert.strictEqual(again.clientId, server.clientId)
      assert.notStrictEqual(Redacted.value(again.clientSecret), server.clientSecret)
      const [first] = yield* server.applications.list
      assert.deepStrictEqual(first?.redirectUris, ["https://b.example/cb"])
      const ada = yield* server.accounts.ensure({ name: "ADA", password: Redacted.make("new"), credits: 5 })
      assert.strictEqual(ada.nickname, "Ada")
      assert.strictEqual((yield* server.accounts.verify("ada", Redacted.make("new")))._tag, "Some")
      assert.strictEqual((yield* server.accounts.verify("ada", Redacted.make("correct horse")))._tag, "None")
    })
  )

  it.scopedLive("refuses redirect addresses that could lead elsewhere", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const bad = [
        "javascript:alert(1)",
        "data:text/html,x",
        "http://example.com/cb",
        "https://a@example.com/cb",
        "https://example.com/cb#x",
        "https://example.com/c b",
        "/cb",
        "https://example.com/\ncb"
      ]
      for (const uri of bad) {
        const refused = yield* Effect.flip(server.applications.create({ name: "x", redirectUris: [uri] }))
        assert.include(refused.message, JSON.stringify(uri))
      }
      const unknown = yield* Effect.flip(server.applications.create({ name: "x", redirectUris: [], scopes: ["admin"] }))
      assert.include(unknown.message, "admin")
    })
  )

  it.scopedLive("restricts its data to the owner's file access", () =>
    Effect.gen(function* () {
      const parent = yield* TestServer.dataDir
      const dataDir = Path.join(parent, "data")
      Fs.mkdirSync(dataDir, { mode: 0o755 })
      Fs.writeFileSync(Path.join(dataDir, "server.sqlite"), "", { mode: 0o644 })
      yield* TestServer.make({ dataDir })
      for (const name of Fs.readdirSync(dataDir, { recursive: true }).map(String)) {
        assert.strictEqual(Fs.statSync(Path.join(dataDir, name)).mode & 0o077, 0, name)
      }
      const created = Path.join(parent, "created")
      yield* TestServer.make({ dataDir: created })
      assert.strictEqual(Fs.statSync(created).mode & 0o777, 0o700)
    })
  )
})
