import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Administration from "@heddle/server/Administration"
import { Audit } from "@heddle/server/audit/Audit"
import { Grants } from "@heddle/server/oauth/Grants"
import * as Housekeeping from "@heddle/server/Housekeeping"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { spawnSync } from "node:child_process"
import * as Api from "../support/Api.ts"
import * as Browser from "../support/Browser.ts"
import { program, run, runHere } from "../support/Commands.ts"
import { withRules } from "../support/Rules.ts"
import * as TestServer from "../support/TestServer.ts"

const events = (dataDir: string) =>
  Effect.flatMap(Audit, (audit) => Stream.runCollect(audit.list({}))).pipe(
    Effect.map(Chunk.toReadonlyArray),
    Effect.provide(Administration.layer(dataDir))
  )

describe("Audit", { timeout: 60_000 }, () => {
  it.scopedLive("records user, action, application and outcome without secrets", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make({ contract: { deviceFlow: true, revocation: true } })
      const browser = Browser.make(server.url)
      const signIn = yield* browser.get(Browser.authorizePath(server))
      yield* browser.press(signIn, "sign_in", { name: "ada", password: "a wrong password" })
      const tokens = yield* Api.connect(server)
      const refresh = yield* Api.token(server, Api.refreshFields(server, tokens.refresh_token))
      yield* Api.token(server, Api.refreshFields({ ...server, clientSecret: "a wrong secret" }, tokens.refresh_token))
      yield* Api.token(server, Api.refreshFields(server, "oa_rt_wrong"))
      const code = (yield* Browser.authorize(server)).get("code") ?? ""
      yield* Api.token(server, Api.codeFields(server, code))
      yield* Api.token(server, Api.codeFields(server, code))
      const client = { client_id: server.clientId, client_secret: server.clientSecret }
      yield* Api.request(server, "/openapi/v2/revoke", {
        method: "POST",
        body: new URLSearchParams({ ...client, token: tokens.refresh_token })
      })
      yield* Api.request(server, "/openapi/v2/device_authorization", {
        method: "POST",
        body: new URLSearchParams(client)
      })

      const log = yield* events(server.dataDir)
      assert.deepStrictEqual(
        log.map(({ action, outcome }) => `${action} ${outcome}`),
        [
          "sign_in_failed access_denied",
          "sign_in success",
          "consent success",
          "code_issued success",
          "token_issued success",
          "refreshed success",
          "client_failed invalid_client",
          "refreshed invalid_grant",
          "sign_in success",
          "code_issued success",
          "token_issued success",
          "reuse_detected success",
          "token_issued invalid_grant",
          "revoked success",
          "device_requested success"
        ]
      )
      const refreshed = log.find(({ action }) => action === "refreshed")
      assert.strictEqual(refreshed?.requestId, refresh.headers.get("x-request-id"))
      assert.strictEqual(refreshed?.clientId, server.clientId)
      assert.match(refreshed?.userId ?? "", /^user_/)
      assert.lengthOf(new Set(log.map(({ addressHash }) => addressHash)), 1)
      for (const { action, clientId, userId } of log.slice(0, 2)) {
        assert.deepStrictEqual({ clientId, userId }, { clientId: server.clientId, userId: refreshed?.userId }, action)
      }
      const told = JSON.stringify(log)
      const secrets = [
        tokens.access_token,
        tokens.refresh_token,
        code,
        server.clientSecret,
        "a wrong",
        "127.0.0.1",
        "oa_"
      ]
      for (const secret of secrets) assert.notInclude(told, secret)
    })
  )

  it.scopedLive("is read at the command line, by user, application and time", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      yield* Api.connect(server)
      yield* server.grantTo("Other", "Bob")
      const list = ["audit", "list", "--data", server.dataDir]
      const linesOf = ({ out }: { readonly out: string }) => out.split("\n").filter((line) => line !== "")
      const lines = (...args: ReadonlyArray<string>) => Effect.map(runHere([...list, ...args]), linesOf)
      const all = linesOf(yield* run([...list, "--json"])).map((line) => JSON.parse(line) as Record<string, string>)
      assert.lengthOf(all, 5)
      const bob = all.at(-1)
      assert.lengthOf(yield* lines("--user", bob?.["user_id"] ?? "", "--json"), 1)
      assert.lengthOf(yield* lines("--app", server.clientId), 4)
      assert.lengthOf(yield* lines("--since", "1h"), 5)
      assert.lengthOf(yield* lines("--since", "2999-01-01"), 0)
      const [first = ""] = yield* lines()
      assert.match(first, /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}sign_in {2}success {2}user_\w+ {2}\w+/)
      const cut = spawnSync("sh", ["-c", '"$0" "$@" | true', process.execPath, program, ...list], { encoding: "utf8" })
      assert.strictEqual(cut.stderr, "", "a reader that stops early is no failure")
      const wrong = yield* runHere([...list, "--since", "yesterday"])
      assert.strictEqual(wrong.status, 2)
      assert.match(wrong.err, /--since: "yesterday" is no time/)
    })
  )

  it.scopedLive("prints no terminal control characters and no unknown client_id", () =>
    Effect.gen(function* () {
      const server = yield* TestServer.make()
      const evil = "x\u001b[2J\u009b2J\n2026-01-01T00:00:00.000Z  sign_in  success\u202eada"
      for (const client_id of [evil, evil, "oa_cs_in_the_wrong_field", server.clientId]) {
        const fields = { ...Api.refreshFields(server, "any"), client_id, client_secret: "wrong" }
        assert.strictEqual((yield* Api.token(server, fields)).status, 401)
      }
      const named = (yield* events(server.dataDir)).map(({ clientId }) => clientId ?? "")
      assert.match(named[0] ?? "", /^unknown:[0-9a-f]{32}$/)
      assert.strictEqual(named[1], named[0])
      assert.match(named[2] ?? "", /^unknown:[0-9a-f]{32}$/)
      assert.strictEqual(named[3], server.clientId)

      yield* server.applications.create({ name: evil, redirectUris: [TestServer.redirectUri] })
      // As an earlier version may have stored it.
      yield* Effect.flatMap(Audit, (audit) =>
        audit.record({ action: "client_failed", outcome: "invalid_client", clientId: evil })
      ).pipe(Effect.provide(Administration.layer(server.dataDir)))
      const told = (...args: ReadonlyArray<string>) =>
        Effect.map(runHere([...args, "--data", server.dataDir]), ({ err, out }) => out + err)
      for (const args of [
        ["app", "list"],
        ["audit", "list"],
        ["app", "disable", evil]
      ]) {
        const text = yield* told(...args)
        assert.include(text, "x\\u001b[2J\\u009b2J", args.join(" "))
        assert.notMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u)
        assert.notMatch(text, /^2026-01-01T00:00:00.000Z/m)
      }
      const listed = yield* told("app", "list", "--json")
      const line = listed.split("\n").find((each) => each.includes("009b"))
      assert.notInclude(line ?? "\u009b", "\u009b")
      assert.strictEqual((JSON.parse(line ?? "{}") as { readonly name?: string }).name, evil)
    })
  )

  it.scoped("returns several pages of events in order, and refuses changes", () =>
    withRules({}, () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const sql = yield* SqlClient.SqlClient
        yield* sql`PRAGMA synchronous = OFF`
        for (let n = 0; n < 1200; n++) yield* audit.record({ action: "sign_in", outcome: "success", userId: `${n}` })
        const log = Chunk.toReadonlyArray(yield* Stream.runCollect(audit.list({})))
        assert.deepStrictEqual(
          log.map(({ userId }) => Number(userId)),
          Array.from({ length: 1200 }, (_, n) => n)
        )
        assert.isTrue(yield* Effect.isFailure(sql`UPDATE audit_events SET outcome = 'other'`))
      })
    )
  )
})

describe("Housekeeping", () => {
  it.scoped("deletes expired rows in small steps, and no row in use", () =>
    withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const sql = yield* SqlClient.SqlClient
        yield* sql`PRAGMA synchronous = OFF`
        const redirectUri = TestServer.redirectUri
        const scopes = new Set(["user.task.readable"])
        const authorize = grants.authorize({ clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined })
        for (let n = 0; n < 1100; n++) yield* authorize
        const issued = yield* grants.issue({ clientId, userId: "ada", scopes })
        const old = issued.refreshToken ?? Redacted.make("")
        const refresh = (refreshToken: Redacted.Redacted) =>
          grants.refresh({ clientId, refreshToken, scope: undefined })
        const rotated = yield* refresh(old)
        const count = (table: string) =>
          Effect.map(sql<{ n: number }>`SELECT COUNT(*) AS n FROM ${sql(table)}`, (rows) => rows[0]?.n)
        const sweep = Effect.gen(function* () {
          const fiber = yield* Effect.fork(Housekeeping.sweep)
          yield* TestClock.adjust("1 second")
          return yield* Fiber.join(fiber)
        })

        assert.strictEqual(yield* sweep, 0)
        yield* TestClock.adjust("25 hours")
        assert.strictEqual(yield* sweep, 2201)
        assert.deepStrictEqual([yield* count("authorization_codes"), yield* count("grants")], [0, 1])
        assert.strictEqual(yield* count("refresh_tokens"), 2)
        // The rotated token is still known for what it is.
        const next = yield* refresh(rotated.refreshToken ?? old)
        assert.strictEqual((yield* Effect.flip(refresh(old)))._tag, "InvalidGrant")
        assert.strictEqual((yield* Effect.flip(grants.verify(next.accessToken)))._tag, "InvalidToken")

        yield* TestClock.adjust("364 days")
        yield* sweep
        for (const table of ["access_tokens", "refresh_tokens", "grants"]) assert.strictEqual(yield* count(table), 0)
        const kept = yield* count("audit_events")
        assert.isAbove(kept ?? 0, 0)
        yield* TestClock.adjust("2 days")
        yield* sweep
        assert.strictEqual(yield* count("audit_events"), 0)
      })
    )
  )
})
