import { SqliteClient } from "@effect/sql-sqlite-node"
import { assert } from "@effect/vitest"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Grants from "@heddle/oauth/Grants"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as TokenStore from "@heddle/oauth/TokenStore"
import { folder } from "@heddle/test-support/Folder"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { interceptStore } from "./interceptStore.ts"
import * as TokenService from "../TokenService.ts"

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
export const aged = (
  age: number,
  rest: { readonly refreshToken?: Redacted.Redacted } = { refreshToken: Redacted.make("r-0") }
) =>
  new TokenSet({
    accessToken: Redacted.make("a-0"),
    ...rest,
    obtainedAt: Date.now() - age * 1000,
    expiresAt: Date.now() + (3600 - age) * 1000
  })

export const expired = 4000
export const stale = 3600 - 20
export const staleInBackground = 3600 - 120

export const setUp = Effect.gen(function* () {
  const path = yield* folder("heddle-oauth-")
  const service = yield* TokenService.make
  const open = Effect.map(Layer.build(process(path, service.url)), (context) => ({
    ...Context.get(context, Grants.Grants),
    store: Context.get(context, TokenStore.TokenStore)
  }))
  return { service, open, grants: yield* open }
})

export const setUpTwo = Effect.flatMap(setUp, (world) => Effect.map(world.open, (other) => ({ ...world, other })))

/** Grants of processes that share a memory store whose methods fail as `around` says. */
export const setUpStore = (around: Parameters<typeof interceptStore>[1]) =>
  Effect.gen(function* () {
    const service = yield* TokenService.make
    const memory = Context.get(yield* Layer.build(TokenStore.layerMemory), TokenStore.TokenStore)
    const store = Layer.succeed(TokenStore.TokenStore, interceptStore(memory, around))
    const layer = Grants.layer.pipe(Layer.provide(store), Layer.provide(TokenService.endpoint(service.url)))
    const open = Effect.map(Layer.build(Layer.fresh(layer)), Context.get(Grants.Grants))
    return { service, memory, open, grants: yield* open }
  })

type Caller = Context.Tag.Service<Grants.Grants>

/** Makes `count` calls at once, spread evenly over the processes. */
export const callAll = <A, E>(
  processes: ReadonlyArray<Caller>,
  count: number,
  call: (process: Caller, n: number) => Effect.Effect<A, E>
) =>
  Effect.all(
    Array.from({ length: count }, (_, n) => call(processes[n % processes.length]!, n)),
    { concurrency: "unbounded" }
  )

export const currentOf = (process: Caller) => process.accessToken("g").current

/** A call that has sent its refresh, and has no answer yet. */
export const refreshing = (service: TokenService.TokenService, process: Caller) =>
  TokenService.untilRequest(service, Effect.fork(currentOf(process)))

export const value = (token: Redacted.Redacted) => Redacted.value(token)

export const stored = (grants: Effect.Effect.Success<typeof setUp>["grants"]) =>
  Effect.map(grants.store.get("g"), (grant) => Option.getOrThrow(Option.getOrThrow(grant).tokens))

/** A grant whose tokens have expired, at a service that answers refreshes in this way. */
export const expiredWhere = Effect.fn(function* (behaviour: TokenService.Behaviour) {
  const { grants, service } = yield* setUp
  service.state.behaviour = behaviour
  yield* grants.save("g", aged(expired))
  return { grants, service }
})

/** A grant that a crashed process has leased. */
export const leasedByCrashed = Effect.gen(function* () {
  const { grants, service } = yield* setUp
  yield* grants.save("g", aged(expired))
  const now = Date.now()
  assert.isTrue(yield* grants.store.lease("g", 1, { owner: "crashed" }))
  return { grants, now, service }
})

/** The clock of a machine whose time of day is ahead. */
export const ahead = (millis: number): Clock.Clock => {
  const unsafeCurrentTimeMillis = () => Date.now() + millis
  return Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis,
    currentTimeMillis: Effect.sync(unsafeCurrentTimeMillis)
  })
}
