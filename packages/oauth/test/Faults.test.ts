import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as DeviceAuthorization from "@heddle/oauth/DeviceAuthorization"
import * as Grants from "@heddle/oauth/Grants"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { interceptStore } from "./support/interceptStore.ts"
import * as TokenService from "./TokenService.ts"

type State = "up" | "down" | "hangs"

/** A process with its grants on a store that fails or hangs on command. */
const setUp = Effect.gen(function* () {
  const service = yield* TokenService.make
  const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
  const state = { store: "up" as State }
  const store = Layer.succeed(
    TokenStore.TokenStore,
    interceptStore(memory, (use) =>
      Effect.suspend(() => {
        if (state.store === "up") return use
        return state.store === "hangs"
          ? Effect.never
          : Effect.fail(new TokenStore.TokenStoreUnavailable({ reason: "down" }))
      })
    )
  )
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  const context = yield* Layer.build(
    Grants.layer.pipe(Layer.provide(store), Layer.provide(TokenService.endpoint(service.url)))
  ).pipe(Scope.extend(scope))
  return { service, memory, state, scope, grants: Context.get(context, Grants.Grants) }
})

const fresh = (name: string) =>
  new TokenSet({
    accessToken: Redacted.make(name),
    refreshToken: Redacted.make("r-0"),
    obtainedAt: Date.now(),
    expiresAt: Date.now() + 3_600_000
  })
const expired = new TokenSet({
  accessToken: Redacted.make("old"),
  refreshToken: Redacted.make("r-0"),
  obtainedAt: 0,
  expiresAt: 1
})
const token = (grants: Context.Tag.Service<Grants.Grants>, id: string) =>
  Effect.map(grants.accessToken(id).current, Redacted.value)

/** What becomes of it within a minute, whose time is not waited for. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("a store that hangs", () => {
  it.scoped("delays neither callers with a valid token nor the shutdown", () =>
    Effect.gen(function* () {
      const { grants, scope, state } = yield* setUp
      yield* grants.save("a", fresh("good"))
      yield* grants.save("b", expired)
      assert.strictEqual(yield* token(grants, "a"), "good")
      state.store = "hangs"
      assert.deepStrictEqual(yield* inTime(token(grants, "a")), Either.right("good"))
      const refused = yield* inTime(token(grants, "b"))
      assert.strictEqual(refused._tag === "Left" ? refused.left._tag : refused.right, "Unreachable")
      yield* inTime(Scope.close(scope, Exit.void))
    })
  )
})

describe("a store that is down", () => {
  it.scoped("receives the tokens of a new authorization when it is back; they are in use until then", () =>
    Effect.gen(function* () {
      const { grants, memory, state } = yield* setUp
      state.store = "down"
      yield* inTime(grants.save("a", fresh("new")))
      assert.strictEqual(yield* token(grants, "a"), "new")
      assert.isTrue(Option.isNone(yield* memory.get("a")))
      state.store = "up"
      yield* TestClock.adjust("1 second")
      const tokens = Option.getOrThrow(Option.getOrThrow(yield* memory.get("a")).tokens)
      assert.strictEqual(Redacted.value(tokens.accessToken), "new")
    })
  )

  it.scoped("restores no account that was disconnected or replaced", () =>
    Effect.gen(function* () {
      const { grants, state } = yield* setUp
      yield* grants.save("a", fresh("gone"))
      yield* grants.save("b", fresh("ada"))
      assert.strictEqual(yield* token(grants, "a"), "gone")
      assert.strictEqual(yield* token(grants, "b"), "ada")
      yield* grants.forget("a")
      yield* grants.save("b", fresh("eve"))
      state.store = "down"
      assert.strictEqual((yield* inTime(token(grants, "a")))._tag, "Left")
      assert.notDeepEqual(yield* inTime(token(grants, "b")), Either.right("ada"))
    })
  )
})

describe("a service that fails", () => {
  it.scopedLive("and refuses the application gets requests for a few of many grants only", () =>
    Effect.gen(function* () {
      const { grants, service } = yield* setUp
      service.state.behaviour = "invalidClient"
      const ids = Array.from({ length: 100 }, (_, index) => `g-${index}`)
      yield* Effect.forEach(ids, (id) => grants.save(id, expired))
      const errors = yield* Effect.forEach(ids, (id) => Effect.flip(token(grants, id)), { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(errors.map(({ _tag }) => _tag)), new Set(["InvalidClient"]))
      assert.isAtMost(service.asked.length, 16)
    })
  )

  it.scopedLive("in the middle of an answer gets no other request at shutdown", () =>
    Effect.gen(function* () {
      const { grants, scope, service } = yield* setUp
      yield* grants.save("a", expired)
      const answer = yield* TokenService.holdAnswers(service)
      yield* TokenService.untilRequest(service, Effect.fork(Effect.exit(token(grants, "a"))))
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      service.server.closeAllConnections()
      yield* closing.await
      yield* answer
      assert.lengthOf(service.asked, 1)
    })
  )
})

describe("a device's tokens", () => {
  it.scopedLive.each([{ access_token: "a b\nc" }, { token_type: "DPoP" }])("are refused where they are %j", (odd) =>
    Effect.gen(function* () {
      const service = yield* TokenService.make
      service.state.odd = odd
      const device = yield* DeviceAuthorization.DeviceAuthorization.pipe(
        Effect.provide(
          DeviceAuthorization.layer({
            baseUrl: service.url,
            clientId: "app",
            clientSecret: Redacted.make("s"),
            deviceAuthorizationPath: "/openapi/v2/device_authorization"
          }).pipe(Layer.provide(NodeHttpClient.layer))
        )
      )
      const pending = new DeviceAuthorization.Pending({
        deviceCode: Redacted.make("d"),
        userCode: "U",
        verificationUri: "http://x",
        expiresIn: 60,
        interval: 1
      })
      assert.strictEqual((yield* Effect.flip(device.tokens(pending)))._tag, "ContractViolation")
    })
  )
})
