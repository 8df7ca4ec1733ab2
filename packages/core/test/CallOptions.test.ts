import { assert, describe, it } from "@effect/vitest"
import * as AccessToken from "@heddle/core/AccessToken"
import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask } from "@heddle/core/domain/Task"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as Memory from "./Memory.ts"

const { profile } = Memory
const create = (options?: { readonly idempotencyKey?: string }) =>
  Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" }), options))
const created = () => Memory.json(201, { task_id: "t", status: "idle" })

/**
 * Runs a program against a service in memory while ten minutes go by; returns its outcome and the second of its end.
 */
const run = <A, E extends { readonly _tag: string }>(
  program: Effect.Effect<A, E, Tasks.Tasks | Users.Users>,
  reply: Memory.Reply,
  client: { readonly token?: Layer.Layer<AccessToken.AccessToken>; readonly idempotencyKeys?: boolean } = {}
) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const around = (call: Effect.Effect<A, E>) =>
      call.pipe(
        Effect.match({ onSuccess: () => "Success", onFailure: (error) => error._tag }),
        Effect.zip(Clock.currentTimeMillis)
      )
    const { result, seen } = yield* Memory.run(program, { reply, ...client, minutes: 10, around })
    return { result: result[0], ended: (result[1] - began) / 1000, seen, at: seen.map(({ at }) => at) }
  })

describe("timeout", () => {
  it.effect("is 30 s for an attempt, or as configured", () =>
    Effect.gen(function* () {
      const silent = () => Effect.never
      const usual = yield* run(create(), silent)
      assert.deepInclude(usual, { result: "OutcomeUnknown", ended: 30 })
      const short = yield* run(create().pipe(CallOptions.with({ timeout: "2 seconds" })), silent)
      assert.deepInclude(short, { result: "OutcomeUnknown", ended: 2 })
    })
  )

  it.effect("holds to the last byte of the answer, even of a stream that cannot be cancelled", () =>
    Effect.gen(function* () {
      const dripping = () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
            cancel: () => new Promise(() => undefined)
          })
        )
      const { ended, result } = yield* run(create().pipe(CallOptions.with({ timeout: "2 seconds" })), dripping)
      assert.deepStrictEqual({ ended, result }, { ended: 2, result: "OutcomeUnknown" })
    })
  )
})

describe("deadline", () => {
  it.effect("is two minutes for a call with all its tries", () =>
    Effect.gen(function* () {
      const { at, ended, result } = yield* run(
        profile.pipe(CallOptions.with({ retry: 100, timeout: "25 seconds" })),
        () => Effect.never
      )
      assert.strictEqual(result, "Unreachable")
      // To the millisecond: the waits before it are fractions.
      assert.strictEqual(Math.round(ended * 1000), 120_000)
      assert.isAbove(at.length, 3)
    })
  )

  it.effect("starts no wait that would end later", () =>
    Effect.gen(function* () {
      const { at, ended, result } = yield* run(profile.pipe(CallOptions.with({ deadline: "2 seconds" })), () =>
        Memory.json(503)
      )
      assert.deepStrictEqual({ result, tries: at.length }, { result: "ServiceFailure", tries: 2 })
      assert.isBelow(ended, 1.5)
    })
  )

  it.effect("cuts the last attempt short, and fails with the last answer of the service", () =>
    Effect.gen(function* () {
      const reply: Memory.Reply = (_, nth) => (nth === 1 ? Memory.json(503) : Effect.never)
      const options = CallOptions.with({ deadline: "4 seconds" })
      const read = yield* run(profile.pipe(options), reply)
      assert.deepInclude(read, { result: "ServiceFailure", ended: 4 })
      const silent = yield* run(profile.pipe(options), () => Effect.never)
      assert.deepInclude(silent, { result: "Unreachable", ended: 4 })
    })
  )

  it.effect("ends a write that may have been received as OutcomeUnknown", () =>
    Effect.gen(function* () {
      const reply: Memory.Reply = (_, nth) => (nth === 1 ? Memory.json(429) : Effect.never)
      const { ended, result } = yield* run(create().pipe(CallOptions.with({ deadline: "4 seconds" })), reply)
      assert.deepStrictEqual({ ended, result }, { ended: 4, result: "OutcomeUnknown" })
    })
  )

  it.effect("also limits the wait for the access token", () =>
    Effect.gen(function* () {
      const token = Layer.succeed(AccessToken.AccessToken, { current: Effect.never, renew: () => Effect.never })
      const { at, ended, result } = yield* run(create().pipe(CallOptions.with({ deadline: "3 seconds" })), created, {
        token
      })
      assert.deepStrictEqual({ at, ended, result }, { at: [], ended: 3, result: "Unreachable" })
    })
  )

  it.effect("sends nothing where there is no time at all", () =>
    Effect.gen(function* () {
      const { at, result } = yield* run(create().pipe(CallOptions.with({ deadline: 0 })), created)
      assert.deepStrictEqual({ at, result }, { at: [], result: "Unreachable" })
    })
  )
})

describe("retry", () => {
  it.effect("is a number of tries", () =>
    Effect.gen(function* () {
      const failing = () => Memory.json(503)
      for (const [retry, tries] of [
        ["default", 4],
        ["none", 1],
        [2, 2],
        [6, 6],
        [0, 1],
        [Number.NaN, 1]
      ] as const) {
        const { at } = yield* run(profile.pipe(CallOptions.with({ retry })), failing)
        assert.lengthOf(at, tries)
      }
    })
  )

  it.effect("does not prevent the renewal of a refused token", () =>
    Effect.gen(function* () {
      const token = Layer.succeed(AccessToken.AccessToken, {
        current: Effect.succeed(Redacted.make("old")),
        renew: () => Effect.succeed(Redacted.make("new"))
      })
      const { result, seen } = yield* run(
        profile.pipe(CallOptions.with({ retry: "none" })),
        ({ headers }) => Memory.json(headers["authorization"] === "Bearer new" ? 200 : 401),
        { token }
      )
      assert.deepStrictEqual([result, seen.length], ["Success", 2])
    })
  )

  it.effect("does not make a write uncertain when its token could not be renewed", () =>
    Effect.gen(function* () {
      const token = Layer.succeed(AccessToken.AccessToken, {
        current: Effect.fail(new OpenApiError.OutcomeUnknown({ operation: "token.refresh", reason: "no answer" })),
        renew: () => Effect.never
      })
      const { at, result } = yield* run(create(), created, { token })
      assert.deepStrictEqual({ at, result }, { at: [], result: "Unreachable" })
    })
  )
})

describe("a failure of the service", () => {
  const failed = (status: number) => () =>
    Memory.json(status, { error: "server_error", error_description: "Bad gateway", request_id: "r-5" })
  const ending = <A, E>(program: Effect.Effect<A, E, Tasks.Tasks | Users.Users>, reply: Memory.Reply) =>
    Effect.gen(function* () {
      const fiber = yield* program.pipe(
        Effect.flip,
        Effect.provide(Memory.services(Memory.make(reply).httpClient, { idempotencyKeys: true })),
        Effect.fork
      )
      yield* TestClock.adjust("10 minutes")
      return yield* Fiber.join(fiber)
    })

  it.effect("leaves a write in doubt that it may have carried out, and says all that came", () =>
    Effect.gen(function* () {
      for (const status of [500, 502, 503, 504]) {
        for (const options of [{}, { idempotencyKey: "k" }]) {
          const error = yield* ending(create(options), failed(status))
          assert.deepInclude({ ...error }, { _tag: "OutcomeUnknown", status, requestId: "r-5", reason: "Bad gateway" })
          assert.strictEqual(
            error.message,
            `tasks.create was sent, but the service answered ${status}: Bad gateway. (request r-5) It may have taken effect; look before trying again.`
          )
        }
        assert.strictEqual((yield* ending(profile, failed(status)))._tag, "ServiceFailure")
      }
    })
  )

  it.effect("stays in doubt about a keyed write, whichever of its tries may have been received", () =>
    Effect.gen(function* () {
      const reply: Memory.Reply = (_, nth) => (nth === 1 ? failed(502)() : Memory.json(429))
      const error = yield* ending(create({ idempotencyKey: "k" }), reply)
      assert.deepInclude({ ...error }, { _tag: "OutcomeUnknown", status: 502, requestId: "r-5" })
    })
  )

  it.effect("tells the status and trace id of an answer that broke off", () =>
    Effect.gen(function* () {
      const cut = () =>
        new Response(new ReadableStream({ start: (controller) => controller.error(new Error("reset")) }), {
          headers: { "x-request-id": "r-6" }
        })
      const told = { status: 200, requestId: "r-6" }
      assert.deepInclude({ ...(yield* ending(create(), cut)) }, { _tag: "OutcomeUnknown", ...told })
      assert.deepInclude({ ...(yield* ending(profile, cut)) }, { _tag: "Unreachable", ...told })
    })
  )
})

describe("a refused token that cannot be renewed", () => {
  it.effect("tells what the service said", () =>
    Effect.gen(function* () {
      const { httpClient } = Memory.make(() =>
        Memory.json(401, { error: "invalid_token", error_description: "Token expired", request_id: "r-9" })
      )
      const error = yield* Effect.flip(profile).pipe(Effect.provide(Memory.services(httpClient)))
      assert.deepInclude(
        { ...error },
        { _tag: "Reauthorize", status: 401, requestId: "r-9", description: "Token expired" }
      )
      assert.include(error.message, "Token expired")
      assert.include(error.message, "(request r-9)")
    })
  )
})

describe("onResponse", () => {
  it.effect("is given each whole answer, its body redacted and its headers without secrets", () =>
    Effect.gen(function* () {
      const body = { task_id: "t", status: "idle", refresh_token: "oa_unknown", more: [1] }
      const answers: Array<CallOptions.RawResponse> = []
      const { result } = yield* run(
        create({ idempotencyKey: "k" }).pipe(
          CallOptions.with({ onResponse: (answer) => Effect.sync(() => void answers.push(answer)) })
        ),
        (_, nth) =>
          nth === 1
            ? Memory.json(503)
            : Memory.json(201, body, { "x-request-id": "r-1", "set-cookie": "a=b", "x-echo": "Bearer a token" }),
        { idempotencyKeys: true }
      )
      assert.strictEqual(result, "Success")
      assert.deepStrictEqual(
        answers.map(({ operation, status }) => [operation, status]),
        [
          ["tasks.create", 503],
          ["tasks.create", 201]
        ]
      )
      const last = answers[1]!
      assert.strictEqual(last.requestId, "r-1")
      assert.strictEqual(last.headers["x-echo"], "Bearer [redacted]")
      assert.notProperty(last.headers, "set-cookie")
      assert.deepStrictEqual(Redacted.value(last.body), body)
      assert.notInclude(inspect(last, { depth: 9 }) + JSON.stringify(last), "oa_unknown")
    })
  )
})

describe("headers", () => {
  it.effect("are sent, but never in place of the client's own", () =>
    Effect.gen(function* () {
      const headers = {
        "X-Extra": "1",
        Authorization: "Bearer evil",
        HOST: "evil",
        "Content-Length": "0",
        "content-type": "text/plain",
        "Idempotency-Key": "evil",
        "User-Agent": "mine"
      }
      const { seen } = yield* run(create().pipe(CallOptions.with({ headers })), created)
      const sent = seen[0]?.request.headers ?? {}
      assert.deepInclude(sent, { "x-extra": "1", authorization: "Bearer a token", "user-agent": "mine" })
      assert.notInclude(JSON.stringify(sent), "evil")
      assert.notInclude(JSON.stringify(sent), "text/plain")
    })
  )

  it.effect("that cannot be sent are refused before anything is", () =>
    Effect.gen(function* () {
      for (const headers of [{ "bad name": "1" }, { fine: "a\r\nb: c" }, { "": "1" }, { wide: "→" }]) {
        const { at, result } = yield* run(profile.pipe(CallOptions.with({ headers })), () => Memory.json(200))
        assert.deepStrictEqual({ at, result }, { at: [], result: "InvalidRequest" })
      }
      const { at, result } = yield* run(create({ idempotencyKey: "a\nb" }), created)
      assert.deepStrictEqual({ at, result }, { at: [], result: "InvalidRequest" })
    })
  )
})

describe("with", () => {
  it.effect("merges, and the inner options win", () =>
    Effect.gen(function* () {
      const options = yield* CallOptions.CallOptions.pipe(
        CallOptions.with({ retry: 2, headers: { B: "inner" } }),
        CallOptions.with({ retry: 9, timeout: "1 second", headers: { a: "outer", b: "outer" } })
      )
      assert.deepStrictEqual(options, { retry: 2, timeout: "1 second", headers: { a: "outer", b: "inner" } })
      assert.deepStrictEqual(yield* CallOptions.CallOptions, {})
    })
  )

  it.effect("reaches every call of a composed program, and no other", () =>
    Effect.gen(function* () {
      const both = Effect.all([profile, create()], { concurrency: 2, discard: true })
      const { seen } = yield* run(
        Effect.zipRight(both.pipe(CallOptions.with({ headers: { "x-a": "1" } })), profile),
        ({ method }) => (method === "POST" ? created() : Memory.json(200))
      )
      assert.deepStrictEqual(
        seen.map(({ request }) => request.headers["x-a"]),
        ["1", "1", undefined]
      )
    })
  )
})
