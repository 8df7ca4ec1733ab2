import { assert, describe, it } from "@effect/vitest"
import { TaskId } from "@heddle/core/domain/Task"
import { Audit } from "@heddle/server/audit/Audit"
import { Applications } from "@heddle/server/oauth/Applications"
import { Grants } from "@heddle/server/oauth/Grants"
import { TaskStore } from "@heddle/server/tasks/TaskStore"
import { Tickets } from "@heddle/server/tasks/Tickets"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Crypto from "node:crypto"
import { withAllRules } from "../support/AllRules.ts"
import { redirectUri } from "../support/TestServer.ts"

const readable = new Set(["user.task.readable"])
const none = Redacted.make("")

const issue = (clientId: string, userId = "ada", scopes: ReadonlySet<string> = readable) =>
  Effect.flatMap(Grants, (grants) => grants.issue({ clientId, userId, scopes }))

const refresh = (clientId: string, refreshToken: Redacted.Redacted | undefined, scope?: string) =>
  Effect.flatMap(Grants, (grants) => grants.refresh({ clientId, refreshToken: refreshToken ?? none, scope }))

/** Whether a call succeeds. */
const does = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.map(Effect.either(call), ({ _tag }) => _tag === "Right")

const verify = (token: Redacted.Redacted) => Effect.flatMap(Grants, (grants) => grants.verify(token))

const millisecondBefore = (duration: Duration.DurationInput) => Duration.subtract(duration, "1 millis")

describe("the lifetime of a grant", () => {
  for (const mode of ["rotate", "same"] as const) {
    it.scoped(`ends after a year, however often it is used: ${mode}`, () =>
      withAllRules({ contract: { refreshTokenOnRefresh: mode } }, ({ clientId }) =>
        Effect.gen(function* () {
          let { refreshToken } = yield* issue(clientId)
          for (let month = 1; month <= 12; month++) {
            yield* TestClock.adjust("30 days")
            ;({ refreshToken } = yield* refresh(clientId, refreshToken))
          }
          yield* TestClock.adjust(millisecondBefore("5 days"))
          ;({ refreshToken } = yield* refresh(clientId, refreshToken))
          yield* TestClock.adjust("1 millis")
          assert.isFalse(yield* does(refresh(clientId, refreshToken)))
        })
      )
    )

    it.scoped(`ends 90 days after its last use, to the millisecond: ${mode}`, () =>
      withAllRules({ contract: { refreshTokenOnRefresh: mode } }, ({ clientId }) =>
        Effect.gen(function* () {
          const idle = yield* issue(clientId)
          let used = (yield* issue(clientId)).refreshToken
          for (let times = 0; times < 2; times++) {
            yield* TestClock.adjust(millisecondBefore("90 days"))
            used = (yield* refresh(clientId, used)).refreshToken
          }
          yield* TestClock.adjust("90 days")
          assert.isFalse(yield* does(refresh(clientId, used)))
          assert.isFalse(yield* does(refresh(clientId, idle.refreshToken)))
        })
      )
    )
  }

  it.scoped("each token has its own end, to the millisecond", () =>
    withAllRules({ contract: { introspection: true } }, ({ clientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const first = yield* issue(clientId)
        yield* TestClock.adjust("1 hour")
        const renewed = yield* refresh(clientId, first.refreshToken)
        const active = (token: Redacted.Redacted) =>
          Effect.map(grants.introspect({ clientId, token }), ({ active }) => active)
        const states = Effect.all([
          does(verify(renewed.accessToken)),
          active(renewed.accessToken),
          does(verify(first.accessToken)),
          active(first.accessToken)
        ])
        yield* TestClock.adjust(millisecondBefore("1 hour"))
        assert.deepStrictEqual(yield* states, [true, true, true, true])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* states, [false, false, true, true])
        yield* TestClock.adjust(Duration.subtract("7 days", "7200001 millis"))
        assert.deepStrictEqual(yield* states, [false, false, true, true])
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* states, [false, false, false, false])
      })
    )
  )

  it.scoped("a code ends ten minutes after it was made, to the millisecond", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const authorize = grants.authorize({
          clientId,
          userId: "ada",
          scopes: readable,
          redirectUri,
          codeChallenge: undefined
        })
        const exchange = (code: Redacted.Redacted) =>
          grants.exchange({ clientId, code, redirectUri, codeVerifier: undefined })
        const [inTime, late] = [yield* authorize, yield* authorize]
        yield* TestClock.adjust(millisecondBefore("10 minutes"))
        assert.isTrue(yield* does(exchange(inTime)))
        yield* TestClock.adjust("1 millis")
        assert.isFalse(yield* does(exchange(late)))
      })
    )
  )
})

describe("rotation", () => {
  it.scoped("repeats its answer for 60 seconds, to the millisecond", () =>
    withAllRules({ contract: { refreshTokenOnRefresh: "rotate" } }, ({ clientId }) =>
      Effect.gen(function* () {
        const { refreshToken } = yield* issue(clientId)
        const second = yield* refresh(clientId, refreshToken)
        yield* TestClock.adjust("60 seconds")
        const again = yield* refresh(clientId, refreshToken)
        assert.strictEqual(Redacted.value(again.accessToken), Redacted.value(second.accessToken))
        yield* TestClock.adjust("1 millis")
        assert.isFalse(yield* does(refresh(clientId, refreshToken)))
      })
    )
  )

  it.scoped("of two grants ends only the one whose token was used twice, and logs what happened", () =>
    withAllRules({ contract: { refreshTokenOnRefresh: "rotate" } }, ({ clientId }) =>
      Effect.gen(function* () {
        const [stolen, other] = [yield* issue(clientId), yield* issue(clientId)]
        yield* refresh(clientId, stolen.refreshToken)
        yield* refresh(clientId, stolen.refreshToken)
        yield* TestClock.adjust("61 seconds")
        yield* Effect.flip(refresh(clientId, stolen.refreshToken))
        assert.isFalse(yield* does(verify(stolen.accessToken)))
        assert.isTrue(yield* does(refresh(clientId, other.refreshToken)))
        const events = yield* Stream.runCollect((yield* Audit).list({ clientId }))
        const told = [...events].map(({ action, outcome }) => `${action} ${outcome}`)
        assert.deepStrictEqual(
          ["refreshed success", "refreshed replayed", "reuse_detected success", "refreshed invalid_grant"].map(
            (each) => told.filter((one) => one === each).length
          ),
          [2, 1, 1, 1]
        )
      })
    )
  )

  it.scoped("is for public applications alone where others keep their token", () =>
    withAllRules({ contract: { publicClients: true, refreshTokenOnRefresh: "same" } }, ({ clientId }) =>
      Effect.gen(function* () {
        const applications = yield* Applications
        const open = yield* applications.create({ name: "Open", redirectUris: [redirectUri], public: true })
        for (const [id, keeps] of [
          [clientId, true],
          [open.clientId, false]
        ] as const) {
          const { refreshToken = none } = yield* issue(id)
          const next = (yield* refresh(id, refreshToken)).refreshToken ?? none
          assert.strictEqual(Redacted.value(next) === Redacted.value(refreshToken), keeps)
        }
      })
    )
  )
})

describe("a token of another application", () => {
  it.scoped("is not known, and stays as it is", () =>
    withAllRules({ contract: { revocation: true } }, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const { accessToken, refreshToken = none } = yield* issue(clientId)
        assert.isFalse(yield* does(refresh(otherClientId, refreshToken)))
        for (const token of [accessToken, refreshToken]) {
          yield* grants.revoke({ clientId: otherClientId, token })
          assert.isFalse((yield* grants.introspect({ clientId: otherClientId, token })).active)
        }
        assert.isTrue(yield* does(verify(accessToken)))
        assert.isTrue(yield* does(refresh(clientId, refreshToken)))
      })
    )
  )

  it.scoped("a used code that another application sends ends nothing", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const code = yield* grants.authorize({
          clientId,
          userId: "ada",
          scopes: readable,
          redirectUri,
          codeChallenge: undefined
        })
        const exchange = (client: string) =>
          grants.exchange({ clientId: client, code, redirectUri, codeVerifier: undefined })
        assert.isFalse(yield* does(exchange(otherClientId)))
        const { accessToken } = yield* exchange(clientId)
        assert.isFalse(yield* does(exchange(otherClientId)))
        assert.isTrue(yield* does(verify(accessToken)))
      })
    )
  )
})

describe("where only one grant may live", () => {
  it.scoped("a new one ends the older of this user and application alone, and no newer sign-in", () =>
    withAllRules({ contract: { singleGrant: true } }, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const older = yield* issue(clientId)
        const [elsewhere, another] = [yield* issue(otherClientId), yield* issue(clientId, "bea")]
        const signIn = grants.authorize({
          clientId,
          userId: "ada",
          scopes: readable,
          redirectUri,
          codeChallenge: undefined
        })
        const newer = yield* signIn
        const newest = yield* issue(clientId)
        assert.deepStrictEqual(
          yield* Effect.forEach([older, elsewhere, another, newest], ({ accessToken }) => does(verify(accessToken))),
          [false, true, true, true]
        )
        assert.isFalse(yield* does(refresh(clientId, older.refreshToken)))
        assert.isTrue(yield* does(grants.exchange({ clientId, code: newer, redirectUri, codeVerifier: undefined })))
      })
    )
  )
})

describe("a code", () => {
  it.scoped("of a revoked grant, with a wrong redirect URI or a wrong verifier gives nothing", () =>
    withAllRules({ contract: { singleGrant: true } }, ({ clientId }) =>
      Effect.gen(function* () {
        const grants = yield* Grants
        const codeChallenge = Crypto.createHash("sha256").update("v".repeat(43)).digest("base64url")
        const code = yield* grants.authorize({ clientId, userId: "ada", scopes: readable, redirectUri, codeChallenge })
        const exchange = (verifier: string | undefined, to = redirectUri) =>
          grants.exchange({
            clientId,
            code,
            redirectUri: to,
            codeVerifier: verifier === undefined ? undefined : Redacted.make(verifier)
          })
        assert.isFalse(yield* does(exchange(undefined)))
        assert.isFalse(yield* does(exchange("w".repeat(43))))
        assert.isFalse(yield* does(exchange("v".repeat(43), `${redirectUri}/other`)))
        assert.isTrue(yield* does(exchange("v".repeat(43))))
      })
    )
  )
})

describe("of two applications", () => {
  it.scoped("the tokens of the disabled one end at once, and say why", () =>
    withAllRules({}, ({ clientId, otherClientId }) =>
      Effect.gen(function* () {
        const [ended, other] = [yield* issue(clientId), yield* issue(otherClientId)]
        yield* (yield* Applications).disable(clientId)
        assert.strictEqual((yield* Effect.flip(verify(ended.accessToken)))._tag, "AccessDenied")
        assert.isTrue(yield* does(verify(other.accessToken)))
      })
    )
  )
})

describe("a refresh", () => {
  it.scoped("gives no scope beyond the grant", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const { refreshToken } = yield* issue(clientId)
        const refused = yield* Effect.flip(refresh(clientId, refreshToken, "user.task.readable user.task.invokable"))
        assert.strictEqual(refused._tag, "InvalidScope")
      })
    )
  )
})

describe("tickets", () => {
  const task = (taskId: string, clientId: string) =>
    Effect.map(
      Effect.flatMap(TaskStore, (store) =>
        store.insert({ taskId: TaskId.make(taskId), clientId, userId: "ada", name: taskId, agent: "default" })
      ),
      (row) => row.taskId
    )

  it.scoped("of two that are good the newer is given again, also after the clock was set back", () =>
    withAllRules({ ticketTtl: "100 seconds" }, ({ clientId }) =>
      Effect.gen(function* () {
        const tickets = yield* Tickets
        const { grantId } = yield* Effect.flatMap(issue(clientId), ({ accessToken }) => verify(accessToken))
        const target = { taskId: yield* task("t", clientId), grantId, mayInvoke: true }
        yield* tickets.issue(target)
        yield* TestClock.adjust("81 seconds")
        const newer = yield* tickets.issue(target)
        yield* TestClock.setTime(50_000)
        const again = yield* tickets.issue(target)
        assert.strictEqual(again.expireAt, newer.expireAt)
      })
    )
  )

  it.scoped("of two tasks, two grants and two rights each has its own, to the millisecond", () =>
    withAllRules({ ticketTtl: "100 seconds" }, ({ clientId }) =>
      Effect.gen(function* () {
        const tickets = yield* Tickets
        const newGrant = Effect.map(
          Effect.flatMap(issue(clientId), ({ accessToken }) => verify(accessToken)),
          ({ grantId }) => grantId
        )
        const [reader, writer] = [yield* newGrant, yield* newGrant]
        const [one, two] = [yield* task("one", clientId), yield* task("two", clientId)]
        const pairs = [
          { taskId: one, grantId: reader, mayInvoke: false },
          { taskId: one, grantId: writer, mayInvoke: true },
          { taskId: one, grantId: writer, mayInvoke: false },
          { taskId: two, grantId: writer, mayInvoke: true }
        ]
        const issued = yield* Effect.forEach(pairs, tickets.issue)
        const verified = yield* Effect.forEach(issued, ({ token }) => tickets.verify(token))
        assert.deepStrictEqual(
          verified.map(({ grantId, mayInvoke, taskId }) => ({ taskId, grantId, mayInvoke })),
          pairs
        )
        const first = issued[0]?.token ?? none
        // Exactly a fifth is left.
        yield* TestClock.adjust("80 seconds")
        const second = yield* tickets.issue({ taskId: one, grantId: reader, mayInvoke: false })
        assert.notStrictEqual(Redacted.value(second.token), Redacted.value(first))
        yield* TestClock.adjust("1 millis")
        const third = yield* tickets.issue({ taskId: one, grantId: reader, mayInvoke: false })
        assert.strictEqual(Redacted.value(third.token), Redacted.value(second.token))
        assert.isTrue(yield* does(tickets.verify(first)))
        yield* TestClock.adjust(Duration.subtract("20 seconds", "2 millis"))
        assert.isTrue(yield* does(tickets.verify(first)))
        yield* TestClock.adjust("1 millis")
        assert.isFalse(yield* does(tickets.verify(first)))
      })
    )
  )
})
