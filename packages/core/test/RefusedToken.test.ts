import { assert, describe, it } from "@effect/vitest"
import * as AccessToken from "@heddle/core/AccessToken"
import { NewTask } from "@heddle/core/domain/Task"
import * as Tasks from "@heddle/core/Tasks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Client from "./Client.ts"
import { profile } from "./Memory.ts"
import * as Service from "./Service.ts"

/** A token service that counts its renewals: each gives the next token. */
const renewing = () => {
  const asked: Array<string> = []
  const refusedAgain: Array<string> = []
  const layer = Layer.succeed(AccessToken.AccessToken, {
    current: Effect.succeed(Redacted.make("a")),
    renew: (failed) =>
      Effect.sync(() => {
        asked.push(Redacted.value(failed))
        return Redacted.make(`${Redacted.value(failed)}+`)
      }),
    refusedAgain: (token) => Effect.sync(() => void refusedAgain.push(Redacted.value(token)))
  })
  return { asked, layer, refusedAgain }
}

describe("a call whose token is refused", () => {
  it.live("renews a refused token once", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(({ headers }) =>
        headers.authorization === "Bearer a+" ? { status: 200, body: { nickname: "n" } } : { status: 401 }
      )
      const tokens = renewing()
      yield* Effect.provide(profile, Client.layer(service.url, { token: tokens.layer }))
      assert.deepStrictEqual(tokens.asked, ["a"])
    }).pipe(Effect.scoped)
  )

  it.live("gives up when the renewed token is refused too", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status: 401, body: { error: "invalid_token" } }))
      const tokens = renewing()
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" }))),
          Client.layer(service.url, { token: tokens.layer })
        )
      )
      assert.strictEqual(error._tag, "InvalidToken")
      assert.deepStrictEqual(tokens.asked, ["a"])
      assert.deepStrictEqual(tokens.refusedAgain, ["a+"])
      assert.lengthOf(service.seen, 2)
    }).pipe(Effect.scoped)
  )

  it.live("sends nothing again with the very token that was refused", () =>
    Effect.gen(function* () {
      const service = yield* Service.make(() => ({ status: 401, body: { error: "invalid_token" } }))
      const same = { current: Effect.succeed(Redacted.make("a")), renew: Effect.succeed }
      const token = Layer.succeed(AccessToken.AccessToken, same)
      const error = yield* Effect.flip(Effect.provide(profile, Client.layer(service.url, { token })))
      assert.strictEqual(error._tag, "InvalidToken")
      assert.lengthOf(service.seen, 1)
    }).pipe(Effect.scoped)
  )

  it.live("takes a user for signed out only when the renewed token is refused, too (contract decision 14)", () =>
    Effect.gen(function* () {
      for (const body of [{ code: "Unauthorized" }, { error: "Unauthorized" }]) {
        const service = yield* Service.make(() => ({ status: 401, body }))
        const tokens = renewing()
        const error = yield* Effect.flip(Effect.provide(profile, Client.layer(service.url, { token: tokens.layer })))
        assert.strictEqual(error._tag, "SignInRequired")
        assert.deepStrictEqual(tokens.asked, ["a"])
        assert.deepStrictEqual(tokens.refusedAgain, ["a+"])
        assert.lengthOf(service.seen, 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("renews the token after every 401 that the document allows (contract decision 14)", () =>
    Effect.gen(function* () {
      const bodies = ["", "Unauthorized", { error: "invalid_token" }, { error: "Unauthorized" }, { code: 401 }]
      for (const body of bodies) {
        const service = yield* Service.make(({ headers }) =>
          headers.authorization === "Bearer a+" ? { status: 200, body: { nickname: "n" } } : { status: 401, body }
        )
        const { nickname } = yield* Effect.provide(profile, Client.layer(service.url, { token: renewing().layer }))
        assert.strictEqual(nickname, "n")
      }
    }).pipe(Effect.scoped)
  )
})
