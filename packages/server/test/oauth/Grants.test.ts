import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Applications from "@heddle/server/oauth/Applications"
import { Audit } from "@heddle/server/audit/Audit"
import * as Grants from "@heddle/server/oauth/Grants"
import * as Housekeeping from "@heddle/server/Housekeeping"
import * as TaskStore from "@heddle/server/tasks/TaskStore"
import * as Tickets from "@heddle/server/tasks/Tickets"
import { TaskId } from "@heddle/core/domain/Task"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { layer, withRules } from "../support/Rules.ts"
import * as TestServer from "../support/TestServer.ts"

const { redirectUri } = TestServer

const scopes = new Set(["user.task.readable"])

/** The answer as it is written, with its tokens, which are compared: chai sees into no Redacted. */
const plain = Schema.encodeSync(TokenResponse)

describe("Grants", () => {
  it.scoped("ends an authorization code after ten minutes", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const authorize = grants.authorize({ clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined })
        const exchange = (code: Redacted.Redacted) =>
          Effect.exit(grants.exchange({ clientId, code, redirectUri, codeVerifier: undefined }))
        const [inTime, late] = [yield* authorize, yield* authorize]
        yield* TestClock.adjust("599 seconds")
        assert.isTrue((yield* exchange(inTime))._tag === "Success")
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* exchange(late))._tag === "Failure")
      })
    )
  )

  it.scoped("ends access tokens at their stated expiry", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const { accessToken, expiresIn, refreshToken } = yield* grants.issue({ clientId, userId: "ada", scopes })
        assert.strictEqual(expiresIn, 604_800)
        yield* TestClock.adjust("604799 seconds")
        const { grantId, ...who } = yield* grants.verify(accessToken)
        assert.deepStrictEqual(who, { clientId, userId: "ada", scopes })
        assert.notStrictEqual(grantId, "")
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(grants.verify(accessToken)))._tag, "InvalidToken")

        const renewed = yield* grants.refresh({
          clientId,
          refreshToken: refreshToken ?? Redacted.make(""),
          scope: undefined
        })
        yield* TestClock.adjust("3600 seconds")
        assert.strictEqual((yield* Effect.flip(grants.verify(renewed.accessToken)))._tag, "InvalidToken")
      })
    )
  )

  it.scoped("decision 29: a refresh token ends after 90 idle days, and after a year in any case", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const idle = yield* grants.issue({ clientId, userId: "ada", scopes })
        const used = yield* grants.issue({ clientId, userId: "ada", scopes })
        const refresh = (token: Redacted.Redacted | undefined) =>
          Effect.map(
            Effect.exit(grants.refresh({ clientId, refreshToken: token ?? Redacted.make(""), scope: undefined })),
            (exit) => exit._tag
          )
        for (let month = 1; month <= 12; month++) {
          yield* TestClock.adjust("30 days")
          assert.strictEqual(yield* refresh(used.refreshToken), "Success", `month ${month}`)
        }
        assert.strictEqual(yield* refresh(idle.refreshToken), "Failure")
        yield* TestClock.adjust("5 days")
        assert.strictEqual(yield* refresh(used.refreshToken), "Failure")
      })
    )
  )

  it.scoped("repeats a rotation for 60 seconds, then treats the old token as stolen (contract decision 31)", () =>
    withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const first = yield* grants.issue({ clientId, userId: "ada", scopes })
        const refresh = (token: Redacted.Redacted | undefined) =>
          grants.refresh({ clientId, refreshToken: token ?? Redacted.make(""), scope: undefined })
        const second = yield* refresh(first.refreshToken)
        yield* TestClock.adjust("60 seconds")
        const again = yield* refresh(first.refreshToken)
        assert.strictEqual(Redacted.value(again.accessToken), Redacted.value(second.accessToken))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(refresh(first.refreshToken)))._tag, "InvalidGrant")
        assert.strictEqual((yield* Effect.flip(refresh(second.refreshToken)))._tag, "InvalidGrant")
        assert.strictEqual((yield* Effect.flip(grants.verify(second.accessToken)))._tag, "InvalidToken")
      })
    )
  )

  it.scoped("a repeated rotation gives no more than the scope that the repeat asks for", () =>
    withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (_, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const both = new Set(["user.task.invokable", "user.task.readable"])
        const first = yield* grants.issue({ clientId, userId: "ada", scopes: both })
        const refresh = (scope?: string) =>
          grants.refresh({ clientId, refreshToken: first.refreshToken ?? Redacted.make(""), scope })
        const wide = yield* refresh()
        const narrow = yield* refresh("user.task.readable")
        assert.deepStrictEqual([...(narrow.scope ?? [])], ["user.task.readable"])
        assert.deepStrictEqual([...(yield* grants.verify(narrow.accessToken)).scopes], ["user.task.readable"])
        assert.strictEqual(Redacted.value(narrow.refreshToken!), Redacted.value(wide.refreshToken!))
        assert.strictEqual(Redacted.value((yield* refresh()).accessToken), Redacted.value(wide.accessToken))
        assert.strictEqual((yield* grants.verify(wide.accessToken)).scopes.size, 2)
      })
    )
  )

  it.scoped("repeats an earlier rotation after rotation is switched off, and logs each repeat", () =>
    Effect.gen(function* () {
      const dataDir = yield* TestServer.dataDir
      const refreshed = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO accounts (user_id, login, nickname, avatar, created_at) VALUES ('ada', 'ada', 'Ada', '', 0)`
        const applications = yield* Applications.Applications
        const { clientId } = yield* applications.create({ name: "Loom", redirectUris: [redirectUri] })
        const grants = yield* Grants.Grants
        const first = yield* grants.issue({ clientId, userId: "ada", scopes })
        const refreshToken = first.refreshToken ?? Redacted.make("")
        const second = yield* grants.refresh({ clientId, refreshToken, scope: undefined })
        return { clientId, refreshToken, second }
      }).pipe(Effect.provide(layer(dataDir, { contract: { refreshTokenOnRefresh: "rotate" } })))
      yield* Effect.gen(function* () {
        const { clientId, refreshToken, second } = refreshed
        const grants = yield* Grants.Grants
        const again = yield* grants.refresh({ clientId, refreshToken, scope: undefined })
        assert.deepStrictEqual(plain(again), plain(second))
        const successor = second.refreshToken ?? refreshToken
        assert.isUndefined(
          (yield* grants.refresh({ clientId, refreshToken: successor, scope: undefined })).refreshToken
        )
        const events = yield* Stream.runCollect((yield* Audit).list({ userId: "ada" }))
        const outcomes = [...events].filter(({ action }) => action === "refreshed").map(({ outcome }) => outcome)
        assert.deepStrictEqual(outcomes, ["success", "replayed", "success"])
      }).pipe(Effect.provide(layer(dataDir, { contract: { refreshTokenOnRefresh: "omit" } })))
    })
  )

  it.scoped("stores no readable secret in the database", () =>
    withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (dataDir, clientId) =>
      Effect.gen(function* () {
        const grants = yield* Grants.Grants
        const code = yield* grants.authorize({ clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined })
        const issued = yield* grants.exchange({ clientId, code, redirectUri, codeVerifier: undefined })
        const renewed = yield* grants.refresh({ clientId, refreshToken: issued.refreshToken ?? code, scope: undefined })
        const store = yield* TaskStore.TaskStore
        const task = yield* store.insert({
          clientId,
          userId: "ada",
          taskId: TaskId.make("t"),
          name: "t",
          agent: "default"
        })
        const ticket = yield* (yield* Tickets.Tickets).issue({
          taskId: task.taskId,
          grantId: (yield* grants.verify(renewed.accessToken)).grantId,
          mayInvoke: true
        })
        const bytes = Fs.readdirSync(dataDir)
          .filter((name) => name.startsWith("server.sqlite"))
          .map((name) => Fs.readFileSync(Path.join(dataDir, name), "latin1"))
          .join("")
        assert.include(bytes, clientId)
        for (const prefix of ["oa_code_", "oa_at_", "oa_rt_", "oa_tk_", "oa_cs_"]) assert.notInclude(bytes, prefix)
        for (const secret of [code, issued.accessToken, renewed.accessToken, renewed.refreshToken, ticket.token]) {
          assert.notInclude(bytes, Redacted.value(secret ?? code))
        }
      })
    )
  )
})

describe("Tickets", () => {
  it.scoped(
    "returns the same ticket until a fifth of its lifetime is left, and keeps old tickets valid (decision 76)",
    () =>
      withRules({ ticketTtl: "100 seconds" }, (_, clientId) =>
        Effect.gen(function* () {
          const store = yield* TaskStore.TaskStore
          const tickets = yield* Tickets.Tickets
          const { taskId } = yield* store.insert({
            clientId,
            userId: "ada",
            taskId: TaskId.make("t"),
            name: "t",
            agent: "default"
          })
          const { accessToken } = yield* (yield* Grants.Grants).issue({ clientId, userId: "ada", scopes })
          const { grantId } = yield* (yield* Grants.Grants).verify(accessToken)
          const issue = tickets.issue({ taskId, grantId, mayInvoke: true })
          const first = yield* issue
          assert.strictEqual(first.expireAt, 100)
          yield* TestClock.adjust("79 seconds")
          assert.strictEqual(Redacted.value((yield* issue).token), Redacted.value(first.token))
          yield* TestClock.adjust("1 second")
          const second = yield* issue
          assert.notStrictEqual(Redacted.value(second.token), Redacted.value(first.token))
          assert.strictEqual(second.expireAt, 180)
          assert.strictEqual((yield* tickets.verify(first.token)).taskId, taskId)
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual((yield* Effect.flip(tickets.verify(first.token)))._tag, "InvalidTicket")
          assert.strictEqual((yield* tickets.verify(second.token)).taskId, taskId)
          const reading = yield* tickets.issue({ taskId, grantId, mayInvoke: false })
          assert.isFalse((yield* tickets.verify(reading.token)).mayInvoke)
          assert.isTrue((yield* tickets.verify((yield* issue).token)).mayInvoke, "the other one is not reused")
        })
      )
  )
})

describe("Tickets of a grant", () => {
  const opened = (clientId: string) =>
    Effect.gen(function* () {
      const grants = yield* Grants.Grants
      const tickets = yield* Tickets.Tickets
      const store = yield* TaskStore.TaskStore
      const { taskId } = yield* store.insert({
        clientId,
        userId: "ada",
        taskId: TaskId.make("t"),
        name: "t",
        agent: "default"
      })
      const request = { clientId, userId: "ada", scopes, redirectUri, codeChallenge: undefined }
      const grant = Effect.gen(function* () {
        const code = yield* grants.authorize(request)
        const exchange = grants.exchange({ clientId, code, redirectUri, codeVerifier: undefined })
        const { accessToken, refreshToken = code } = yield* exchange
        const { grantId } = yield* grants.verify(accessToken)
        const { token } = yield* tickets.issue({ taskId, grantId, mayInvoke: true })
        return { token, grantId, accessToken, refreshToken, replay: Effect.exit(exchange) }
      })
      const opens = ({ token }: { readonly token: Redacted.Redacted }) =>
        Effect.map(Effect.either(tickets.verify(token)), ({ _tag }) => _tag === "Right")
      return { grants, tickets, one: yield* grant, other: yield* grant, opens }
    })
  type Setting = Effect.Effect.Success<ReturnType<typeof opened>>

  const ends: Readonly<Record<string, (setting: Setting, clientId: string) => Effect.Effect<unknown, unknown>>> = {
    "its code was used twice": ({ one }) => one.replay,
    "its refresh token was used twice": ({ grants, one: { refreshToken } }, clientId) =>
      Effect.gen(function* () {
        yield* grants.refresh({ clientId, refreshToken, scope: undefined })
        yield* TestClock.adjust("61 seconds")
        yield* Effect.flip(grants.refresh({ clientId, refreshToken, scope: undefined }))
      }),
    "its refresh token was revoked": ({ grants, one: { refreshToken } }, clientId) =>
      grants.revoke({ clientId, token: refreshToken })
  }
  for (const [name, end] of Object.entries(ends)) {
    it.scoped(`end when ${name}; those of another grant for the same task do not`, () =>
      withRules({ contract: { refreshTokenOnRefresh: "rotate" } }, (_, clientId) =>
        Effect.gen(function* () {
          const setting = yield* opened(clientId)
          const { one, opens, other, tickets } = setting
          assert.notStrictEqual(Redacted.value(one.token), Redacted.value(other.token))
          assert.isTrue(yield* opens(one))
          yield* end(setting, clientId)
          assert.isFalse(yield* opens(one))
          assert.isTrue(yield* opens(other))
          assert.deepStrictEqual([...(yield* tickets.liveGrants([one.grantId, other.grantId]))], [other.grantId])
        })
      )
    )
  }

  it.scoped("end with their application", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const { one, opens, tickets } = yield* opened(clientId)
        yield* (yield* Applications.Applications).disable(clientId)
        assert.isFalse(yield* opens(one))
        assert.strictEqual((yield* tickets.liveGrants([one.grantId])).size, 0)
      })
    )
  )

  it.scoped("are deleted after their expiry, and their grant after them", () =>
    withRules({ ticketTtl: "100 days" }, (_, clientId) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { one, opens } = yield* opened(clientId)
        yield* TestClock.adjust("95 days")
        yield* Housekeeping.sweep
        assert.isTrue(yield* opens(one), "nothing but the ticket is left of the grant")
        yield* TestClock.adjust("6 days")
        yield* Housekeeping.sweep
        assert.deepStrictEqual(yield* sql`SELECT 1 FROM tickets UNION ALL SELECT 1 FROM grants`, [])
      })
    )
  )
})

describe("TaskStore", () => {
  it.scoped("allows only the transitions of decision 74", () =>
    withRules({}, (_, clientId) =>
      Effect.gen(function* () {
        const store = yield* TaskStore.TaskStore
        const { taskId } = yield* store.insert({
          clientId,
          userId: "ada",
          taskId: TaskId.make("t"),
          name: "t",
          agent: "default"
        })
        const moves: ReadonlyArray<readonly [Parameters<typeof store.transition>[1], boolean]> = [
          ["pending", false],
          ["idle", true],
          ["idle", true],
          ["creating", false],
          ["working", true],
          ["pending", true],
          ["working", true],
          ["completed", true],
          ["working", true],
          ["failed", true],
          ["idle", false],
          ["working", true],
          ["failed", true],
          ["archived", true],
          ["deleted", true],
          ["idle", false]
        ]
        for (const [status, possible] of moves)
          assert.strictEqual(yield* store.transition(taskId, status), possible, status)
        assert.isFalse(yield* store.transition(TaskId.make("nobody"), "idle"))
      })
    )
  )
})
