import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert, describe, it } from "@effect/vitest"
import type { AccessToken } from "@heddle/core/AccessToken"
import { OpenId } from "@heddle/core/domain/OpenId"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Grants from "@heddle/oauth/Grants"
import * as Metrics from "@heddle/oauth/Metrics"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import { folder } from "@heddle/test-support/Folder"
import * as Context from "effect/Context"
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
import { join } from "node:path"
import { interceptStore } from "./support/interceptStore.ts"
import * as TokenService from "./TokenService.ts"

/** The grants of one process, with its own connection to the database file and its own client. */
const process = (path: string, url: string) =>
  Grants.layer.pipe(
    Layer.provideMerge(TokenStore.layerSql),
    Layer.provide(TokenService.endpoint(url)),
    Layer.provide(Layer.effectDiscard(TokenStore.migrate)),
    Layer.provide(SqliteClient.layer({ filename: join(path, "grants.db") })),
    Layer.provide(EncryptionKey.layer([Redacted.make("0".repeat(64))]))
  )

/** Tokens that were obtained `age` seconds ago and live for an hour. */
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
  const path = yield* folder("heddle-oauth-")
  const service = yield* TokenService.make
  const open = Effect.map(Layer.build(process(path, service.url)), (context) => ({
    ...Context.get(context, Grants.Grants),
    store: Context.get(context, TokenStore.TokenStore)
  }))
  return { service, open, grants: yield* open }
})

const setUpTwo = Effect.flatMap(setUp, (world) => Effect.map(world.open, (other) => ({ ...world, other })))

/** Grants of processes that share a memory store whose methods fail as `around` says. */
const setUpStore = (around: Parameters<typeof interceptStore>[1]) =>
  Effect.gen(function* () {
    const service = yield* TokenService.make
    const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
    const store = Layer.succeed(TokenStore.TokenStore, interceptStore(memory, around))
    const layer = Grants.layer.pipe(Layer.provide(store), Layer.provide(TokenService.endpoint(service.url)))
    const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(Grants.Grants))
    return { service, memory, open, grants: yield* open }
  })

type Caller = Context.Tag.Service<Grants.Grants>

/** Makes `count` calls at once, in turn by each of the processes. */
const callAll = <A, E>(
  processes: ReadonlyArray<Caller>,
  count: number,
  call: (process: Caller, n: number) => Effect.Effect<A, E>
) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => call(processes[n % processes.length]!, n)),
    { concurrency: "unbounded" }
  )

const currentOf = (process: Caller) => process.accessToken("g").current

/** A call that has sent its refresh, and has no answer yet. */
const refreshing = (service: TokenService.TokenService, process: Caller) =>
  TokenService.untilRequest(service, Effect.fork(currentOf(process)))

const value = (token: Redacted.Redacted) => Redacted.value(token)

const stored = (grants: Effect.Effect.Success<typeof setUp>["grants"]) =>
  Effect.map(grants.store.get("g"), (grant) => Option.getOrThrow(Option.getOrThrow(grant).tokens))

/** A grant whose tokens have expired, at a service that answers refreshes in this way. */
const expiredWhere = Effect.fn(function* (behaviour: TokenService.Behaviour) {
  const { grants, service } = yield* setUp
  service.state.behaviour = behaviour
  yield* grants.save("g", aged(expired))
  return { grants, service }
})

/** A grant that a crashed process has leased until `millis` from now. */
const leasedByCrashed = Effect.fn(function* (millis: number) {
  const { grants, service } = yield* setUp
  yield* grants.save("g", aged(expired))
  const now = Date.now()
  assert.isTrue(yield* grants.store.lease("g", 1, { owner: "crashed", now, until: now + millis }))
  return { grants, now, service }
})

describe("races", () => {
  it.scopedLive("50 fibers in each of two processes cause one refresh, and all get its token", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      for (let round = 1; round <= 5; round += 1) {
        yield* grants.save("g", aged(expired, { refreshToken: Redacted.make(service.state.valid) }))
        const tokens = yield* callAll([grants, other], 100, currentOf)
        assert.deepStrictEqual(new Set(tokens.map(value)), new Set([`a-${round}`]))
        assert.lengthOf(service.asked, round)
        const { refreshToken: next } = yield* stored(other)
        assert.strictEqual(next && value(next), service.state.valid)
      }
    })
  )

  it.scopedLive("fibers of one process take one lease", () =>
    Effect.gen(function* () {
      let leases = 0
      const { grants } = yield* setUpStore((use, name) => {
        if (name === "lease") leases += 1
        return use
      })
      yield* grants.save("g", aged(expired))
      yield* callAll([grants], 50, currentOf)
      assert.strictEqual(leases, 1)
    })
  )

  it.scopedLive("many 401 for one token cause one refresh", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      yield* grants.save("g", aged(0))
      const refused = Redacted.make("a-0")
      const tokens = yield* callAll([grants, other], 100, (each, n) =>
        Effect.delay(each.accessToken("g").renew(refused), n)
      )
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a sent refresh is finished and stored after its caller was interrupted", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const caller = yield* refreshing(service, grants)
      yield* Fiber.interrupt(caller)
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a sent refresh is stored before the process ends", () =>
    Effect.gen(function* () {
      const { grants, open, service } = yield* setUp
      const scope = yield* Scope.make()
      const ending = yield* Scope.extend(open, scope)
      yield* grants.save("g", aged(expired))
      yield* refreshing(service, ending)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(value((yield* stored(grants)).accessToken), "a-1")
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("the lease of a crashed process is taken over in ten seconds, whatever its clock said", () =>
    Effect.gen(function* () {
      const { grants, now, service } = yield* leasedByCrashed(3_600_000)
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.isAtLeast(Date.now() - now, 10_000)
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("a user who connects again during a refresh keeps the new tokens", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(expired))
      const answer = yield* TokenService.holdAnswers(service)
      const caller = yield* refreshing(service, grants)
      const fresh = new TokenSet({ ...aged(0), accessToken: Redacted.make("a-new") })
      yield* grants.save("g", fresh)
      yield* answer
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-new")
      assert.deepStrictEqual(yield* stored(grants), fresh)
    })
  )
})

describe("the end of a grant", () => {
  it.scopedLive("is found once for all processes, with no further request", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      service.state.behaviour = "invalidGrant"
      yield* grants.save("g", aged(expired))
      const all = yield* callAll([grants, other], 40, (each) => Effect.flip(currentOf(each)))
      assert.deepStrictEqual(new Set(all.map((error) => error._tag)), new Set(["Reauthorize"]))
      const told = all.filter((error) => error._tag === "Reauthorize" && error.status !== undefined)
      assert.deepInclude({ ...told[0] }, { status: 400, requestId: "trace-1", description: "bad [redacted]" })
      assert.strictEqual((yield* Effect.flip(currentOf(other)))._tag, "Reauthorize")
      assert.lengthOf(service.asked, 1)
      const { dead } = Option.getOrThrow(yield* grants.describe("g"))
      assert.isTrue(Option.isSome(dead))
      yield* grants.save("g", aged(0))
      assert.strictEqual(value(yield* currentOf(other)), "a-0")
      assert.isTrue(Option.isNone(Option.getOrThrow(yield* grants.describe("g")).dead))
    })
  )

  it.scopedLive("is prevented by a renewal of another process", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("invalidGrant")
      const answer = yield* TokenService.holdAnswers(service)
      const caller = yield* refreshing(service, grants)
      assert.isTrue(
        yield* grants.store.replace("g", 1, new TokenSet({ ...aged(0), accessToken: Redacted.make("a-9") }))
      )
      yield* answer
      assert.strictEqual(value(yield* Fiber.join(caller)), "a-9")
    })
  )

  it.scopedLive("is Reauthorize where no account is connected or no refresh token exists", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "Reauthorize")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      yield* grants.save("g", aged(stale, {}))
      assert.strictEqual(value(yield* currentOf(grants)), "a-0")
      yield* grants.save("g", aged(expired, {}))
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "Reauthorize")
      yield* grants.forget("g")
      assert.isTrue(Option.isNone(yield* grants.describe("g")))
      assert.lengthOf(service.asked, 0)
    })
  )
})

describe("a failing service", () => {
  it.scopedLive("ends no grant: a valid token stays in use, an expired one fails with the error of the service", () =>
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
    })
  )

  it.scopedLive("gets no request for a while after it refused the application", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("invalidClient")
      yield* grants.save("h", aged(expired))
      for (const id of ["g", "h", "g"]) {
        assert.strictEqual((yield* Effect.flip(grants.accessToken(id).current))._tag, "InvalidClient")
      }
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("gets the same refresh token again after a while", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* expiredWhere("unavailable")
      yield* Effect.flip(currentOf(grants))
      service.state.behaviour = "omit"
      // Not at once: a service that fails is left alone for a second, and then ever longer.
      assert.strictEqual((yield* Effect.flip(currentOf(grants)))._tag, "ServiceFailure")
      assert.lengthOf(service.asked, 1)
      const recovered = yield* Effect.retry(currentOf(grants), Schedule.spaced("100 millis"))
      assert.strictEqual(value(recovered), "a-1")
      assert.lengthOf(service.asked, 2)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), "r-0")
    })
  )
})

describe("disconnecting", () => {
  it.scopedLive("revokes at the service and removes here, even if the service does not answer", () =>
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
    })
  )
})

describe("another account", () => {
  it.scopedLive("is not used for calls of the previous account, whose grant can be moved", () =>
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
      assert.strictEqual(value(yield* currentOf(grants)), "a-after")
      assert.strictEqual(value(yield* grants.accessToken("aside", before).current), "a-before")
    })
  )
})

describe("a lost answer", () => {
  it.scopedLive("is requested again, and a service with a grace period repeats it", () =>
    Effect.gen(function* () {
      const { grants, other, service } = yield* setUpTwo
      service.state.behaviour = "rotateWithReplay"
      service.state.lost = 2
      yield* grants.save("g", aged(expired))
      const tokens = yield* callAll([grants, other], 40, currentOf)
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-1"]))
      assert.lengthOf(service.asked, 3)
      const { refreshToken } = yield* stored(grants)
      assert.strictEqual(refreshToken && value(refreshToken), service.state.valid)
    })
  )

  it.scopedLive("replaced by a gateway error is requested again; a failure of the service itself is not", () =>
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
    })
  )

  it.scopedLive("that the service does not repeat ends the grant with that reason", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.lost = 1
      yield* grants.save("g", aged(expired))
      const error = yield* Effect.flip(currentOf(grants))
      assert.strictEqual(error._tag, "Reauthorize")
      assert.include(error.message, "rotation_response_lost")
      assert.lengthOf(service.asked, 2)
      const counted = yield* Metric.value(Metric.tagged(Metrics.refreshes, "outcome", "rotation_response_lost"))
      assert.isAtLeast(counted.count, 1)
    })
  )

  it.scopedLive("of a crashed process is known to the process that takes over", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* leasedByCrashed(-3_600_000)
      service.state.valid = "r-of-the-crashed"
      const error = yield* Effect.flip(currentOf(grants))
      assert.include(error.message, "rotation_response_lost")
    })
  )

  it.scopedLive("of a process that crashed while this one waited for its lease is known, too", () =>
    Effect.gen(function* () {
      const crashedLease = { owner: "crashed", now: 0, until: Date.now() - 60_000 + 500 }
      let crash: Effect.Effect<unknown> = Effect.void
      // The other process takes the lease after this one has read the grant.
      const { grants, memory, service } = yield* setUpStore((use, name) =>
        name === "lease" ? Effect.zipRight(crash, use) : use
      )
      yield* grants.save("g", aged(expired))
      crash = yield* Effect.once(Effect.orDie(memory.lease("g", 1, crashedLease)))
      service.state.valid = "r-of-the-crashed"
      const error = yield* Effect.flip(currentOf(grants))
      assert.include(error.message, "rotation_response_lost")
    })
  )
})

describe("a failing store", () => {
  it.scopedLive("loses no new tokens: they are stored before any caller gets them", () =>
    Effect.gen(function* () {
      const failures = new Map([
        ["get", 2],
        ["replace", 3]
      ])
      const { grants, memory, service } = yield* setUpStore((use, name) =>
        Effect.suspend(() => {
          const left = failures.get(name) ?? 0
          failures.set(name, left - 1)
          return left > 0 ? Effect.fail(new TokenStore.TokenStoreUnavailable({ reason: "down" })) : use
        })
      )
      yield* grants.save("g", aged(expired))
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      const kept = Option.getOrThrow(Option.getOrThrow(yield* memory.get("g")).tokens)
      assert.strictEqual(kept.refreshToken && value(kept.refreshToken), "r-1")
      assert.lengthOf(service.asked, 1)
    })
  )
})

describe("a store that is away", () => {
  it.scopedLive(
    "for longer than a lease loses no tokens: the process that takes over waits for the owner to write",
    () =>
      Effect.gen(function* () {
        let away = false
        const gone = new TokenStore.TokenStoreUnavailable({ reason: "away" })
        const {
          grants: owner,
          memory,
          open,
          service
        } = yield* setUpStore((use, name) =>
          Effect.suspend(() => (away && ["get", "lease", "replace"].includes(name) ? Effect.fail(gone) : use))
        )
        const other = yield* open
        yield* owner.save("g", aged(expired))
        const first = yield* refreshing(service, owner)
        away = true
        // Its owner keeps the new tokens, and hands them out though nothing can be stored.
        assert.strictEqual(value(yield* Fiber.join(first)), "a-1")
        assert.strictEqual(value(yield* currentOf(owner)), "a-1")
        assert.strictEqual(Option.getOrThrow(yield* memory.get("g")).refresh, "leased")
        away = false
        const late = yield* currentOf(other)
        assert.strictEqual(value(late), "a-1")
        assert.lengthOf(service.asked, 1)
      })
  )
})

describe("a stale token", () => {
  it.scopedLive("is renewed before it expires", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      yield* grants.save("g", aged(stale))
      assert.strictEqual(value(yield* currentOf(grants)), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )

  it.scopedLive("is used at once while enough time is left, and renewed in the background", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.delay = 200
      const asked = once(service.server, "request")
      yield* grants.save("g", aged(staleInBackground))
      const tokens = yield* callAll([grants], 20, currentOf)
      assert.deepStrictEqual(new Set(tokens.map(value)), new Set(["a-0"]))
      yield* Effect.promise(() => asked)
      assert.strictEqual(value(yield* grants.accessToken("g").renew(Redacted.make("a-0"))), "a-1")
      assert.lengthOf(service.asked, 1)
    })
  )
})
