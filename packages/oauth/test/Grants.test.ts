import { NodeHttpClient } from "@effect/platform-node"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert, describe, it } from "@effect/vitest"
import type { AccessToken } from "@heddle/core/AccessToken"
import { OpenId } from "@heddle/core/domain/OpenId"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Grants from "@heddle/oauth/Grants"
import * as Metrics from "@heddle/oauth/Metrics"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as TokenService from "./TokenService.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heddle-oauth-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const endpoint = (url: string) =>
  TokenEndpoint.layer({
    baseUrl: url,
    clientId: "app",
    clientSecret: Redacted.make("s"),
    revocationPath: "/openapi/v2/revoke"
  }).pipe(Layer.provide(NodeHttpClient.layer))

/** Grants as one process has them: its own connection to the database file, its own client. */
const process = (path: string, url: string) =>
  Grants.layer.pipe(
    Layer.provideMerge(TokenStore.layerSql),
    Layer.provide(endpoint(url)),
    Layer.provide(Layer.effectDiscard(TokenStore.migrate)),
    Layer.provide(SqliteClient.layer({ filename: join(path, "grants.db") })),
    Layer.provide(EncryptionKey.layer([Redacted.make("0".repeat(64))]))
  )

/** Tokens that were got `age` seconds ago and live for an hour. */
const aged = (
  age: number,
  rest: { readonly refreshToken?: Redacted.Redacted } = { refreshToken: Redacted.make("r-0") }
) =>
  new TokenSet({
    accessToken: Redacted.make("a-0"),
    ...rest,
    obtainedAt: Date.now() - age * 1000,
    expiresAt: Date.now() + (3600 - age) * 1000
  })

const expired = 4000
const stale = 3600 - 20
const staleInBackground = 3600 - 120

const setUp = Effect.gen(function* () {
  const path = yield* folder
  const service = yield* TokenService.make
  const open = Effect.map(Layer.build(process(path, service.url)), (context) => ({
    ...Context.get(context, Grants.Grants),
    store: Context.get(context, TokenStore.TokenStore)
  }))
  return { service, open, grants: yield* open }
})

const value = (token: Redacted.Redacted) => Redacted.value(token)

const stored = (grants: Effect.Effect.Success<typeof setUp>["grants"]) =>
  Effect.map(grants.store.get("g"), (grant) => Option.getOrThrow(Option.getOrThrow(grant).tokens))

describe("races", () => {
  it.live("50 fibers in each of two processes cause one refresh, and all get its token", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const other = yield* open
      for (let round = 1; round <= 5; round += 1) {
        yield* grants.save("g", aged(expired, { refreshToken: Redacted.make(service.state.valid) }))
        const tokens = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? grants : other)),
          (each) => each.accessToken("g").current,
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(tokens.map(value)), new Set([`a-${round}`]))
        assert.lengthOf(service.asked, round)
        const { refreshToken: next } = yield* stored(other)
        assert.strictEqual(next && value(next), service.state.valid)
      }
    }).pipe(Effect.scoped)
  )

  it.live("fibers of one process do not compete in the store", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
      let leases = 0
      const counting = Layer.succeed(TokenStore.TokenStore, {
        ...memory,
        lease: (...args) => Effect.suspend(() => ((leases += 1), memory.lease(...args)))
      })
      const context = yield* Layer.build(
        Grants.layer.pipe(Layer.provide(counting), Layer.provide(endpoint(service.url)))
      )
      const grants = Context.get(context, Grants.Grants)
      yield* grants.save("g", aged(expired))
      yield* Effect.all(
        Array.from({ length: 50 }, () => grants.accessToken("g").current),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(leases, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a storm of 401 with one token causes one refresh", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const other = yield* open
      yield* grants.save("g", aged(0))
      const refused = Redacted.make("a-0")
      const tokens = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? grants : other)),
        (each, n) => Effect.delay(each.accessToken("g").renew(refused), n),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a refresh that was sent is finished and stored, though its caller was interrupted", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const asked = once(service.server, "request")
      const caller = yield* Effect.fork(grants.accessToken("g").current)
      yield* Effect.promise(() => asked)
      yield* Fiber.interrupt(caller)
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a refresh that was sent is stored before the process ends", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const scope = yield* Scope.make()
      const ending = yield* Scope.extend(open, scope)
      yield* grants.save("g", aged(expired))
      const asked = once(service.server, "request")
      yield* Effect.fork(Effect.exit(ending.accessToken("g").current))
      yield* Effect.promise(() => asked)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(value((yield* stored(grants)).accessToken), "a-1")
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a lease that a crashed process left is taken over in ten seconds, however wrong its clock was", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const now = Date.now()
      assert.isTrue(yield* grants.store.lease("g", 1, { owner: "crashed", now, until: now + 3_600_000 }))
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-1")
      assert.isAtLeast(Date.now() - now, 10_000)
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("a user who connects again during a refresh keeps the new tokens", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const answered = yield* Deferred.make<void>()
      service.state.held = Effect.runPromise(Deferred.await(answered))
      const asked = once(service.server, "request")
      const caller = yield* Effect.fork(grants.accessToken("g").current)
      yield* Effect.promise(() => asked)
      const fresh = new TokenSet({ ...aged(0), accessToken: Redacted.make("a-new") })
      yield* grants.save("g", fresh)
      yield* Deferred.succeed(answered, undefined)
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-new")
      assert.deepStrictEqual(yield* stored(grants), fresh)
    }).pipe(Effect.scoped)
  )
})

describe("the end of a grant", () => {
  it.live("comes once, for every process, and is never asked about again", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const other = yield* open
      service.state.behaviour = "invalidGrant"
      yield* grants.save("g", aged(expired))
      const all = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? grants : other)),
        (each) => Effect.flip(each.accessToken("g").current),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all.map((error) => error._tag)), new Set(["Reauthorize"]))
      const told = all.filter((error) => error._tag === "Reauthorize" && error.status !== undefined)
      assert.deepInclude({ ...told[0] }, { status: 400, requestId: "trace-1", description: "bad [redacted]" })
      assert.strictEqual((yield* Effect.flip(other.accessToken("g").current))._tag, "Reauthorize")
      assert.lengthOf(service.asked, 1)
      const { dead } = Option.getOrThrow(yield* grants.describe("g"))
      assert.isTrue(Option.isSome(dead))
      yield* grants.save("g", aged(0))
      assert.strictEqual(value(yield* other.accessToken("g").current), "a-0")
      assert.isTrue(Option.isNone(Option.getOrThrow(yield* grants.describe("g")).dead))
    }).pipe(Effect.scoped)
  )

  it.live("does not come when another process has renewed it meanwhile", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.behaviour = "invalidGrant"
      yield* grants.save("g", aged(expired))
      const answered = yield* Deferred.make<void>()
      service.state.held = Effect.runPromise(Deferred.await(answered))
      const asked = once(service.server, "request")
      const caller = yield* Effect.fork(grants.accessToken("g").current)
      yield* Effect.promise(() => asked)
      assert.isTrue(
        yield* grants.store.replace("g", 1, new TokenSet({ ...aged(0), accessToken: Redacted.make("a-9") }))
      )
      yield* Deferred.succeed(answered, undefined)
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-9")
    }).pipe(Effect.scoped)
  )

  it.live("is told where nobody connected, or no refresh token came", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      assert.strictEqual((yield* Effect.flip(grants.accessToken("g").current))._tag, "Reauthorize")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      yield* grants.save("g", aged(stale, {}))
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-0")
      yield* grants.save("g", aged(expired, {}))
      assert.strictEqual((yield* Effect.flip(grants.accessToken("g").current))._tag, "Reauthorize")
      yield* grants.forget("g")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      assert.lengthOf(service.asked, 0)
    }).pipe(Effect.scoped)
  )
})

describe("a failing service", () => {
  it.live("ends nothing: a living token is used on, an expired one fails with the service's error", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      const { current }: Context.Tag.Service<AccessToken> = grants.accessToken("g")
      for (const [behaviour, tag] of [
        ["unavailable", "ServiceFailure"],
        ["invalidClient", "InvalidClient"]
      ] as const) {
        service.state.behaviour = behaviour
        yield* grants.save("g", aged(expired))
        assert.strictEqual((yield* Effect.flip(current))._tag, tag)
        yield* grants.save("g", aged(stale))
        assert.strictEqual(value(yield* current), "a-0")
        const asked = service.asked.length
        assert.strictEqual(value(yield* current), "a-0")
        assert.lengthOf(service.asked, asked)
        assert.isTrue(Option.isNone(Option.getOrThrow(yield* grants.describe("g")).dead))
      }
    }).pipe(Effect.scoped)
  )

  it.live("is left alone for a while after it refused the application", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.behaviour = "invalidClient"
      yield* grants.save("g", aged(expired))
      yield* grants.save("h", aged(expired))
      for (const id of ["g", "h", "g"]) {
        assert.strictEqual((yield* Effect.flip(grants.accessToken(id).current))._tag, "InvalidClient")
      }
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is asked again after a while, with the same refresh token", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.behaviour = "unavailable"
      yield* grants.save("g", aged(expired))
      yield* Effect.flip(grants.accessToken("g").current)
      service.state.behaviour = "omit"
      // Not at once: a service that fails is left alone for a second, and then ever longer.
      assert.strictEqual((yield* Effect.flip(grants.accessToken("g").current))._tag, "ServiceFailure")
      assert.lengthOf(service.asked, 1)
      const recovered = yield* Effect.retry(grants.accessToken("g").current, Schedule.spaced("100 millis"))
      assert.strictEqual(value(recovered), "a-1")
      assert.lengthOf(service.asked, 2)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), "r-0")
    }).pipe(Effect.scoped)
  )
})

describe("disconnecting", () => {
  it.live("revokes at the service and forgets here, and forgets here even if the service does not answer", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(0))
      assert.isTrue(yield* grants.disconnect("g"))
      assert.deepInclude(Object.fromEntries(service.asked[0]?.form ?? []), {
        token: "r-0",
        token_type_hint: "refresh_token",
        client_id: "app"
      })
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      assert.isFalse(yield* grants.disconnect("g"))

      yield* grants.save("g", aged(0))
      service.state.behaviour = "unavailable"
      assert.isTrue(Either.isLeft(yield* Effect.either(grants.revoke("g"))))
      assert.isTrue(Option.isSome(yield* grants.describe("g")), "it can be revoked later")
      assert.isFalse(yield* grants.disconnect("g"))
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
    }).pipe(Effect.scoped)
  )
})

describe("another account", () => {
  it.live("gets nothing that is done for the one before, and its grant can be moved aside", () =>
    Effect.gen(function* () {
      const { grants } = yield* setUp
      const [before, after] = [OpenId.make("o-1"), OpenId.make("o-2")]
      const of = (openId: OpenId, name: string) =>
        new TokenSet({ ...aged(0), accessToken: Redacted.make(name), openId })
      yield* grants.save("g", of(before, "a-before"))
      assert.strictEqual(value(yield* grants.accessToken("g", before).current), "a-before")
      assert.isTrue(yield* grants.move("g", "aside"))
      assert.isFalse(yield* grants.move("g", "aside"), "there is none any more")
      assert.isFalse(yield* grants.isSame("g", "aside"))
      yield* grants.save("g", yield* Effect.succeed(of(before, "a-before")))
      assert.isTrue(yield* grants.isSame("g", "aside"))
      yield* grants.save("g", of(after, "a-after"))
      assert.isFalse(yield* grants.isSame("g", "nobody"))
      for (const call of ["current", "renew"] as const) {
        const bound = grants.accessToken("g", before)
        const error = yield* Effect.flip(call === "current" ? bound.current : bound.renew(Redacted.make("a-before")))
        assert.strictEqual(error._tag, "Reauthorize")
      }
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-after")
      assert.strictEqual(value(yield* grants.accessToken("aside", before).current), "a-before")
    }).pipe(Effect.scoped)
  )
})

describe("a lost answer", () => {
  it.live("is asked for again, and a service with a grace period repeats it", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const other = yield* open
      service.state.behaviour = "rotateWithReplay"
      service.state.lost = 2
      yield* grants.save("g", aged(expired))
      const tokens = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? grants : other)),
        (each) => each.accessToken("g").current,
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 3)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), service.state.valid)
    }).pipe(Effect.scoped)
  )

  it.live("in whose place a gateway answers is asked for again, a failure of the service itself is not", () =>
    Effect.gen(function* () {
      for (const [status, asked] of [
        [502, 2],
        [504, 2],
        [500, 1]
      ] as const) {
        const { grants, service } = yield* setUp
        service.state.behaviour = "rotateWithReplay"
        Object.assign(service.state, { lost: 1, lostAs: status })
        yield* grants.save("g", aged(expired))
        const { current } = grants.accessToken("g")
        if (status === 500) assert.propertyVal(yield* Effect.flip(current), "_tag", "OutcomeUnknown")
        else assert.strictEqual(value(yield* current), "a-1")
        assert.lengthOf(service.asked, asked)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be had again ends the grant, and the reason says so", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.lost = 1
      yield* grants.save("g", aged(expired))
      const error = yield* Effect.flip(grants.accessToken("g").current)
      assert.strictEqual(error._tag, "Reauthorize")
      assert.include(error.message, "rotation_response_lost")
      assert.lengthOf(service.asked, 2)
      const counted = yield* Metric.value(Metric.tagged(Metrics.refreshes, "outcome", "rotation_response_lost"))
      assert.isAtLeast(counted.count, 1)
    }).pipe(Effect.scoped)
  )

  it.live("of a process that died is remembered by whoever takes over", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const now = Date.now()
      assert.isTrue(yield* grants.store.lease("g", 1, { owner: "crashed", now, until: now - 3_600_000 }))
      service.state.valid = "r-of-the-crashed"
      const error = yield* Effect.flip(grants.accessToken("g").current)
      assert.include(error.message, "rotation_response_lost")
    }).pipe(Effect.scoped)
  )
})

describe("a failing store", () => {
  it.live("does not cost the new tokens: they are stored before anyone gets them, however long it takes", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
      const failures = { get: 2, replace: 3 }
      const flaky = <A>(name: keyof typeof failures, use: Effect.Effect<A, TokenStore.TokenStoreUnavailable>) =>
        Effect.suspend(() => {
          failures[name] -= 1
          return failures[name] < 0 ? use : Effect.fail(new TokenStore.TokenStoreUnavailable({ reason: "down" }))
        })
      const store = Layer.succeed(TokenStore.TokenStore, {
        ...memory,
        get: (id) => flaky("get", memory.get(id)),
        replace: (id, version, tokens) => flaky("replace", memory.replace(id, version, tokens))
      })
      const context = yield* Layer.build(Grants.layer.pipe(Layer.provide(store), Layer.provide(endpoint(service.url))))
      const grants = Context.get(context, Grants.Grants)
      yield* grants.save("g", aged(expired))
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-1")
      const kept = Option.getOrThrow(Option.getOrThrow(yield* memory.get("g")).tokens)
      assert.strictEqual(kept.refreshToken && value(kept.refreshToken), "r-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a store that is away", () => {
  it.live("for longer than the lease lives costs nothing: who takes the lease over waits for the owner to write", () =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
      let away = false
      const gone = new TokenStore.TokenStoreUnavailable({ reason: "away" })
      const orAway = <A>(use: Effect.Effect<A, TokenStore.TokenStoreUnavailable>) =>
        Effect.suspend(() => (away ? Effect.fail(gone) : use))
      const store = Layer.succeed(TokenStore.TokenStore, {
        ...memory,
        get: (id) => orAway(memory.get(id)),
        lease: (...args) => orAway(memory.lease(...args)),
        replace: (...args) => orAway(memory.replace(...args))
      })
      const open = Effect.map(
        Layer.build(Layer.fresh(Grants.layer).pipe(Layer.provide(store), Layer.provide(endpoint(service.url)))),
        (context) => Context.get(context, Grants.Grants)
      )
      const owner = yield* open
      const other = yield* open
      yield* owner.save("g", aged(expired))
      const asked = once(service.server, "request")
      const first = yield* Effect.fork(owner.accessToken("g").current)
      yield* Effect.promise(() => asked)
      away = true
      // Its owner keeps the new tokens, and hands them out though nothing can be stored.
      assert.strictEqual(value(yield* Fiber.join(first)), "a-1")
      assert.strictEqual(value(yield* owner.accessToken("g").current), "a-1")
      assert.strictEqual(Option.getOrThrow(yield* memory.get("g")).refresh, "leased")
      away = false
      const late = yield* other.accessToken("g").current
      assert.strictEqual(value(late), "a-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a stale token", () => {
  it.live("is renewed before it expires", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(stale))
      assert.strictEqual(value(yield* grants.accessToken("g").current), "a-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is used at once while enough of its life is left, and renewed meanwhile", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.delay = 200
      const asked = once(service.server, "request")
      yield* grants.save("g", aged(staleInBackground))
      const tokens = yield* Effect.all(
        Array.from({ length: 20 }, () => grants.accessToken("g").current),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-0"]))
      yield* Effect.promise(() => asked)
      assert.strictEqual(value(yield* grants.accessToken("g").renew(Redacted.make("a-0"))), "a-1")
      assert.lengthOf(service.asked, 1)
    }).pipe(Effect.scoped)
  )
})
