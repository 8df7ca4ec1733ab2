import { SqliteClient } from "@effect/sql-sqlite-node"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import { InvalidClient, InvalidGrant, type OpenApiError } from "@heddle/core/OpenApiError"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as TokenSet from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { join } from "node:path"
import * as CircuitBreaker from "#internal/CircuitBreaker"

const asked = { baseUrl: "https://api.example", clientId: "app", redirectUri: "https://bot.example/cb", userId: "ada" }

const answer = (state: string, code = "c") => new URLSearchParams({ code, state })

const wrong = Redacted.make("AAAA-AAAA")

const key = (digit: string) => EncryptionKey.layer([Redacted.make(digit.repeat(64))])

const sqlite = (path: string, digit = "0") =>
  Layer.mergeAll(AuthorizationRequests.layerSql, TokenStore.layerSql).pipe(
    Layer.provide(Layer.effectDiscard(Effect.zipRight(AuthorizationRequests.migrate, TokenStore.migrate))),
    Layer.provideMerge(SqliteClient.layer({ filename: join(path, "oauth.db") })),
    Layer.provide(key(digit))
  )

type Requests = AuthorizationRequests.AuthorizationRequests

/** Runs over requests in memory, or in a database of their own. */
const runIn = <A, E, R>(kind: "memory" | "SQLite", test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(folder("heddle-pending-"), (path) => {
    const layer: Layer.Layer<Requests, unknown> = kind === "memory" ? AuthorizationRequests.layerMemory : sqlite(path)
    return Effect.provide(test, layer)
  })

/** Why a call fails, or `ok`. */
const reason = <A, E extends object, R>(call: Effect.Effect<A, E, R>) =>
  Effect.match(call, {
    onSuccess: () => "ok",
    onFailure: (error) => String("reason" in error ? error.reason : "_tag" in error ? error._tag : error)
  })

describe.each(["memory", "SQLite"] as const)("of two authorizations in %s", (kind) => {
  const run = <A, E>(test: Effect.Effect<A, E, Requests>) => runIn(kind, test)

  it.scoped("each is answered by its own user, once, and found until then", () =>
    run(
      Effect.gen(function* () {
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const [one, two] = [yield* requests.begin(asked), yield* requests.begin({ ...asked, userId: "bea" })]
        const finish = (state: string, userId: string) => reason(requests.finish(answer(state), { userId }))
        const isFound = (state: string) => Effect.map(requests.find(answer(state)), Option.isSome)
        assert.strictEqual(yield* finish(one.state, "bea"), "stateForeign")
        assert.isTrue(yield* isFound(one.state))
        assert.strictEqual(yield* finish(one.state, "ada"), "ok")
        assert.strictEqual(yield* finish(one.state, "ada"), "stateUsed")
        assert.deepStrictEqual([yield* isFound(one.state), yield* isFound(two.state)], [false, true])
        // It is told from an unknown one for a week after its end.
        yield* TestClock.adjust("6 days")
        yield* requests.begin(asked)
        assert.strictEqual(yield* finish(one.state, "ada"), "stateUsed")
        yield* TestClock.adjust("2 days")
        yield* requests.begin(asked)
        assert.strictEqual(yield* finish(one.state, "ada"), "stateForeign")
      })
    )
  )

  it.scoped("each is confirmed by its own code, and the guesses of one user count for that user alone", () =>
    run(
      Effect.gen(function* () {
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const held = (userId: string, code: string) =>
          Effect.flatMap(requests.begin({ ...asked, userId }), ({ state }) =>
            requests.holdForConfirmation(answer(state, code))
          )
        const [first, second, hers] = [
          yield* held("ada", "one"),
          yield* held("ada", "two"),
          yield* held("bea", "three")
        ]
        const confirm = (userId: string, confirmationCode: Redacted.Redacted) =>
          requests.confirm({ userId, confirmationCode })
        for (let tries = 0; tries < 3; tries++) assert.strictEqual(yield* reason(confirm("ada", wrong)), "wrong")
        assert.strictEqual(yield* reason(confirm("ada", hers.confirmationCode)), "wrong")
        assert.strictEqual(Redacted.value((yield* confirm("ada", second.confirmationCode)).code), "two")
        assert.strictEqual(yield* reason(confirm("ada", first.confirmationCode)), "none", "five tries are over")
        assert.strictEqual(Redacted.value((yield* confirm("bea", hers.confirmationCode)).code), "three")
      })
    )
  )

  it.scoped("one is deleted by five wrong codes, also with the right one after them, and the later stays", () =>
    run(
      Effect.gen(function* () {
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const held = Effect.flatMap(requests.begin(asked), ({ state }) => requests.holdForConfirmation(answer(state)))
        const early = yield* held
        const confirm = (confirmationCode: Redacted.Redacted) => requests.confirm({ userId: "ada", confirmationCode })
        for (let tries = 0; tries < 4; tries++) yield* Effect.flip(confirm(wrong))
        const late = yield* held
        assert.strictEqual(yield* reason(confirm(wrong)), "wrong", "the later one has tries left")
        assert.strictEqual(yield* reason(confirm(early.confirmationCode)), "wrong")
        assert.strictEqual(yield* reason(confirm(late.confirmationCode)), "ok")
      })
    )
  )

  it.scoped("each ends at its own time, to the millisecond", () =>
    run(
      Effect.gen(function* () {
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const { state } = yield* requests.begin(asked)
        const pending = yield* requests.holdForConfirmation(answer(state))
        const other = yield* requests.begin({ ...asked, userId: "bea" })
        const hers = yield* requests.holdForConfirmation(answer(other.state))
        yield* TestClock.adjust(AuthorizationRequests.confirmationTime - 1)
        assert.strictEqual(yield* reason(requests.holdForConfirmation(answer(state))), "ok", "its page is reloaded")
        assert.strictEqual(
          yield* reason(requests.confirm({ userId: "ada", confirmationCode: pending.confirmationCode })),
          "ok"
        )
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* reason(requests.holdForConfirmation(answer(other.state))), "stateUsed")
        assert.strictEqual(
          yield* reason(requests.confirm({ userId: "bea", confirmationCode: hers.confirmationCode })),
          "none"
        )
      })
    )
  )

  it.scoped("one that two confirm at once is confirmed once", () =>
    run(
      Effect.gen(function* () {
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const { state } = yield* requests.begin(asked)
        const { confirmationCode } = yield* requests.holdForConfirmation(answer(state))
        const confirm = reason(requests.confirm({ userId: "ada", confirmationCode }))
        const both = yield* Effect.all([confirm, confirm], { concurrency: "unbounded" })
        assert.deepStrictEqual(both.toSorted(), ["none", "ok"])
      })
    )
  )
})

describe("a database", () => {
  it.scopedLive("that cannot store a confirmation leaves its request open", () =>
    Effect.gen(function* () {
      const path = yield* folder("heddle-pending-")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const requests = yield* AuthorizationRequests.AuthorizationRequests
        const { state } = yield* requests.begin(asked)
        yield* sql`CREATE TRIGGER broken BEFORE INSERT ON oauth_pending_confirmations BEGIN SELECT RAISE(ABORT, 'x'); END`
        assert.notStrictEqual(yield* reason(requests.holdForConfirmation(answer(state))), "ok")
        yield* sql`DROP TRIGGER broken`
        assert.strictEqual(yield* reason(requests.holdForConfirmation(answer(state))), "ok")
      }).pipe(Effect.provide(sqlite(path)))
    })
  )

  it.scopedLive("whose key is lost leaves a request open until the key is back", () =>
    Effect.gen(function* () {
      const path = yield* folder("heddle-pending-")
      const requests = AuthorizationRequests.AuthorizationRequests
      const { state } = yield* Effect.provide(
        Effect.flatMap(requests, (each) => each.begin(asked)),
        sqlite(path)
      )
      const finish = reason(Effect.flatMap(requests, (each) => each.finish(answer(state), { userId: "ada" })))
      assert.notStrictEqual(yield* Effect.provide(finish, sqlite(path, "1")), "ok")
      assert.strictEqual(yield* Effect.provide(finish, sqlite(path)), "ok")
    })
  )

  it.scopedLive("that cannot remove a moved grant moves nothing", () =>
    Effect.gen(function* () {
      const path = yield* folder("heddle-pending-")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* TokenStore.TokenStore
        yield* store.put("g", new TokenSet.TokenSet({ accessToken: Redacted.make("a"), obtainedAt: 0 }))
        yield* sql`CREATE TRIGGER broken BEFORE DELETE ON oauth_grants BEGIN SELECT RAISE(ABORT, 'x'); END`
        assert.isTrue(yield* Effect.isFailure(store.move("g", "h")))
        assert.deepStrictEqual(yield* Effect.forEach(["g", "h"], (id) => Effect.map(store.get(id), Option.isSome)), [
          true,
          false
        ])
      }).pipe(Effect.provide(sqlite(path)))
    })
  )

  it.scopedLive("knows that the answer to a released lease was lost", () =>
    Effect.gen(function* () {
      const path = yield* folder("heddle-pending-")
      yield* Effect.gen(function* () {
        const store = yield* TokenStore.TokenStore
        yield* store.put("g", new TokenSet.TokenSet({ accessToken: Redacted.make("a"), obtainedAt: 0 }))
        const states: Array<string> = []
        for (const settled of [true, false]) {
          yield* store.lease("g", 1, { owner: "a" })
          yield* store.release("g", "a", settled)
          states.push(Option.getOrThrow(yield* store.get("g")).refresh)
        }
        assert.deepStrictEqual(states, ["none", "lost"])
      }).pipe(Effect.provide(sqlite(path)))
    })
  )
})

describe("tokens", () => {
  const tokens = (fields: ConstructorParameters<typeof TokenResponse>[0]) =>
    TokenSet.fromResponse(new TokenResponse(fields), {
      sentAt: 0,
      previous: new TokenSet.TokenSet({
        accessToken: Redacted.make("a"),
        refreshToken: Redacted.make("r"),
        obtainedAt: 0
      })
    })
  const accessToken = Redacted.make("b")

  it("are stale in the last tenth of their life, and expired at its end, to the millisecond", () => {
    const hour = tokens({ accessToken, tokenType: "Bearer", expiresIn: 3600 })
    const ages = [3_299_999, 3_300_000, 3_599_999, 3_600_000].map((now) => hour.ageAt(now))
    assert.deepStrictEqual(ages, ["fresh", "stale", "stale", "expired"])
  })

  it("keep the refresh token that an answer leaves out, and a time that says nothing does not end them", () => {
    for (const refreshToken of [undefined, Redacted.make("")]) {
      const kept = tokens({
        accessToken,
        tokenType: "Bearer",
        expiresIn: 0,
        ...(refreshToken === undefined ? {} : { refreshToken })
      })
      assert.strictEqual(kept.refreshToken && Redacted.value(kept.refreshToken), "r")
      assert.strictEqual(kept.ageAt(1), "fresh")
    }
  })
})

describe("a refused application", () => {
  const refusal = new InvalidClient({ code: "invalid_client", description: "refused" })

  /** Sends requests that end in this way; returns how many were sent. */
  const sender = () => {
    const breaker = CircuitBreaker.make()
    const sent: Array<string> = []
    const send = (outcome: "ok" | OpenApiError, millis = 0) =>
      reason(
        breaker.protect(
          Effect.suspend(() => {
            sent.push(typeof outcome === "string" ? outcome : outcome._tag)
            return Effect.delay(typeof outcome === "string" ? Effect.succeed(outcome) : Effect.fail(outcome), millis)
          })
        )
      )
    return { send, sent }
  }

  it.effect("sends nothing for a minute, and then one request for all", () =>
    Effect.gen(function* () {
      const { send, sent } = sender()
      yield* send(refusal)
      yield* TestClock.adjust(59_999)
      assert.strictEqual(yield* send("ok"), "InvalidClient")
      assert.lengthOf(sent, 1)
      yield* TestClock.adjust(1)
      const test = yield* Effect.fork(send("ok", 1000))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* send("ok"), "InvalidClient", "the first one tests the service")
      yield* TestClock.adjust(1000)
      assert.strictEqual(yield* test, "ok")
      assert.strictEqual(yield* send("ok"), "ok")
      assert.lengthOf(sent, 3)
    })
  )

  it.effect("is accepted again where a grant is refused", () =>
    Effect.gen(function* () {
      const { send, sent } = sender()
      yield* send(refusal)
      yield* TestClock.adjust("1 minute")
      yield* send(new InvalidGrant({ code: "invalid_grant", description: "gone" }))
      yield* send("ok")
      assert.lengthOf(sent, 3)
    })
  )
})
