import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask } from "@heddle/core/domain/Task"
import * as Tasks from "@heddle/core/Tasks"
import type * as Users from "@heddle/core/Users"
import * as Effect from "effect/Effect"
import * as Memory from "./Memory.ts"

const { profile } = Memory
const create = (options?: { readonly idempotencyKey?: string }) =>
  Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" }), options))
const keyed = create({ idempotencyKey: "k" })
const isKept = Effect.flatMap(Tasks.Tasks, (tasks) => tasks.keepsIdempotencyKeys)
const created = () => Memory.json(201, { task_id: "t", status: "idle" })
const keepsKeys = { "Accept-Idempotency-Key": "true" }

/** Runs a program while ten minutes go by. */
const run = <A, E extends { readonly _tag: string }>(
  program: Effect.Effect<A, E, Tasks.Tasks | Users.Users>,
  reply: Memory.Reply,
  idempotencyKeys?: boolean
) =>
  Effect.gen(function* () {
    const around = Effect.match<E, string, A, A>({ onSuccess: (value) => value, onFailure: (error) => error._tag })
    const client = idempotencyKeys === undefined ? {} : { idempotencyKeys }
    const { result, seen } = yield* Memory.run(program, { reply, ...client, minutes: 10, around })
    return { result, keys: seen.map(({ request }) => request.headers["idempotency-key"]) }
  })

const failing = (code?: string) => (request: HttpClientRequest.HttpClientRequest) =>
  Effect.fail(
    new HttpClientError.RequestError({
      request,
      reason: "Transport",
      cause: Object.assign(new Error("reset"), code === undefined ? {} : { code })
    })
  )
const lost = failing()

/** The first task creation goes wrong; everything else succeeds. */
const onceLost = (headers: Record<string, string>): Memory.Reply => {
  let creations = 0
  return (request) => {
    if (request.method === "GET") return Memory.json(200, {}, headers)
    creations += 1
    return creations === 1 ? lost(request) : created()
  }
}

describe("a keyed write whose answer is lost", () => {
  it.effect("is sent once to a service that has not said that it keeps keys", () =>
    Effect.gen(function* () {
      for (const reply of [
        lost,
        ...[500, 502, 503, 504].map((status) => () => Memory.json(status)),
        () => Effect.never
      ]) {
        assert.deepStrictEqual(yield* run(keyed, reply), { result: "OutcomeUnknown", keys: ["k"] })
      }
      const { keys, result } = yield* run(Effect.zipRight(profile, keyed), onceLost({}))
      assert.deepStrictEqual([result, keys], ["OutcomeUnknown", [undefined, "k"]])
    })
  )

  it.effect("is repeated under its key once any answer has said that keys are kept", () =>
    Effect.gen(function* () {
      const { keys } = yield* run(Effect.zipRight(profile, keyed), onceLost(keepsKeys))
      assert.deepStrictEqual(keys, [undefined, "k", "k"])
      const refused = Effect.zipRight(Effect.ignore(profile), keyed)
      const reply: Memory.Reply = (request, nth) =>
        nth === 1 ? Memory.json(403, {}, keepsKeys) : nth === 2 ? lost(request) : created()
      assert.deepStrictEqual((yield* run(refused, reply)).keys, [undefined, "k", "k"])
    })
  )

  it.effect("is repeated or not as the setting says, whatever the service says", () =>
    Effect.gen(function* () {
      const program = Effect.zipRight(profile, keyed)
      assert.deepStrictEqual((yield* run(program, onceLost({}), true)).keys, [undefined, "k", "k"])
      const never = yield* run(program, onceLost(keepsKeys), false)
      assert.deepStrictEqual([never.result, never.keys], ["OutcomeUnknown", [undefined, "k"]])
    })
  )

  it.effect("is not repeated without a key", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(create(), onceLost({}), true), { result: "OutcomeUnknown", keys: [undefined] })
    })
  )

  it.effect("takes its key from the call, else from the call options; a read sends none", () =>
    Effect.gen(function* () {
      const options = CallOptions.with({ idempotencyKey: "o" })
      assert.deepStrictEqual((yield* run(create().pipe(options), onceLost({}), true)).keys, ["o", "o"])
      assert.deepStrictEqual((yield* run(keyed.pipe(options), onceLost({}), true)).keys, ["k", "k"])
      assert.deepStrictEqual((yield* run(profile.pipe(options), onceLost({}), true)).keys, [undefined])
    })
  )

  it.effect("ends as OutcomeUnknown when the tries after it fail, unless an answer is about the write", () =>
    Effect.gen(function* () {
      for (const [later, result] of [
        [failing("ECONNREFUSED"), "OutcomeUnknown"],
        [() => Memory.json(429), "OutcomeUnknown"],
        [() => Memory.json(503), "OutcomeUnknown"],
        [() => Memory.json(400), "InvalidRequest"]
      ] as const) {
        const reply: Memory.Reply = (request, nth) => (nth === 1 ? lost(request) : later(request))
        assert.strictEqual((yield* run(keyed, reply, true)).result, result)
      }
    })
  )
})

describe("a keyed write that was refused before the service acted", () => {
  it.effect("is repeated at any service", () =>
    Effect.gen(function* () {
      for (const first of [() => Memory.json(429, {}, { "retry-after": "3" }), failing("ECONNREFUSED")]) {
        const reply: Memory.Reply = (request, nth) => (nth === 1 ? first(request) : created())
        assert.deepStrictEqual((yield* run(keyed, reply)).keys, ["k", "k"])
      }
    })
  )
})

describe("keepsIdempotencyKeys", () => {
  const asked = (reply: Memory.Reply, idempotencyKeys?: boolean) =>
    run(Effect.all([isKept, isKept]), reply, idempotencyKeys)

  it.effect("asks the service where no answer has told yet, and remembers", () =>
    Effect.gen(function* () {
      for (const status of [200, 401, 403, 429, 503]) {
        const kept = yield* asked(() => Memory.json(status, {}, keepsKeys))
        assert.deepStrictEqual(kept, { result: [true, true], keys: [undefined] }, String(status))
      }
      assert.deepStrictEqual(yield* asked(() => Memory.json(200)), { result: [false, false], keys: [undefined] })
    })
  )

  it.effect("is false without an answer of the service, and asks again", () =>
    Effect.gen(function* () {
      for (const nothing of [lost, () => Memory.json(502), () => Effect.never]) {
        const reply: Memory.Reply = (request, nth) => (nth === 1 ? nothing(request) : Memory.json(200, {}, keepsKeys))
        assert.deepStrictEqual((yield* asked(reply)).result, [false, true])
      }
    })
  )

  it.effect("is the setting where there is one, and asks nothing", () =>
    Effect.gen(function* () {
      for (const setting of [true, false]) {
        assert.deepStrictEqual(yield* asked(lost, setting), { result: [setting, setting], keys: [] })
      }
    })
  )
})
