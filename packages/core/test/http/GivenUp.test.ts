import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, it } from "@effect/vitest"
import * as AccessToken from "@heddle/core/AccessToken"
import * as BaseUrl from "@heddle/core/BaseUrl"
import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask } from "@heddle/core/domain/Task"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Operation from "@heddle/core/Operation"
import * as Tasks from "@heddle/core/Tasks"
import * as Transport from "@heddle/core/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { inspect } from "node:util"
import * as Memory from "../Memory.ts"

type Answer = (
  request: HttpClientResponse.HttpClientResponse["request"]
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.RequestError>

/** A client that answers like this, and the signals of its requests. */
const recording = (answer: Answer) => {
  const signals: Array<AbortSignal> = []
  const httpClient = HttpClient.make((request, _url, signal) => {
    signals.push(signal)
    return answer(request)
  })
  return { httpClient, aborted: () => signals.map(({ aborted }) => aborted) }
}

const answered: Answer = (request) =>
  Effect.succeed(HttpClientResponse.fromWeb(request, Memory.json(200, { nickname: "Ada", avatar: "" })))

const lost = (request: HttpClientResponse.HttpClientResponse["request"]) =>
  new HttpClientError.RequestError({ request, reason: "Transport", cause: new Error("lost") })

const profileOver = (httpClient: HttpClient.HttpClient) =>
  Effect.exit(Effect.provide(Memory.profile, Memory.services(httpClient))).pipe(CallOptions.with({ retry: "none" }))

it.live("an interruption aborts the request whose body of an unknown kind stalls", () =>
  Effect.gen(function* () {
    const { aborted, httpClient } = recording((request) =>
      Effect.map(answered(request), ({ headers, status }) =>
        Object.assign(Object.create(null), { headers, status, stream: Stream.never })
      )
    )
    const fiber = yield* Effect.fork(profileOver(httpClient))
    yield* Effect.sleep("20 millis")
    assert.deepStrictEqual(aborted(), [false])
    yield* Fiber.interrupt(fiber)
    yield* Effect.sleep("5 millis")
    assert.deepStrictEqual(aborted(), [true])
  })
)

it.live("a request that a layer of the client gives up is aborted", () =>
  Effect.gen(function* () {
    const { aborted, httpClient } = recording(() => Effect.never)
    const impatient = HttpClient.transform(httpClient, (effect, request) =>
      Effect.timeoutFail(effect, { duration: "20 millis", onTimeout: () => lost(request) })
    )
    yield* profileOver(impatient)
    yield* Effect.sleep("5 millis")
    assert.deepStrictEqual(aborted(), [true])
  })
)

it.effect("logs of a request without an answer hold nothing of it", () =>
  Effect.gen(function* () {
    const logs: Array<unknown> = []
    const { httpClient } = recording((request) => Effect.fail(lost(request)))
    const create = Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "a private prompt" })))
    yield* Effect.provide(create, Memory.services(httpClient)).pipe(
      CallOptions.with({ retry: "none" }),
      Effect.exit,
      Logger.withMinimumLogLevel(LogLevel.All),
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.make((log) => logs.push(log.message, log.cause))
        )
      )
    )
    const text = inspect(logs, { depth: 9 })
    assert.notInclude(text, "a private prompt")
    assert.notInclude(text, "a token")
  })
)

it.effect("what looks at a response ends at the deadline of the call", () =>
  Effect.gen(function* () {
    const { httpClient } = recording((request) => Effect.delay(answered(request), "8 seconds"))
    const fiber = yield* profileOver(httpClient).pipe(
      CallOptions.with({ deadline: "10 seconds", onResponse: () => Effect.never }),
      Effect.fork
    )
    yield* TestClock.adjust("8 seconds")
    yield* TestClock.adjust("2 seconds")
    const exit = yield* Effect.flatten(yield* Fiber.poll(fiber))
    assert.isTrue(Exit.isFailure(exit))
  })
)

it.effect("a defect of a `fetch` function stays one", () =>
  Effect.gen(function* () {
    const token = AccessToken.layer(Redacted.make("a token"))
    const clientOf = yield* OpenApiClient.makeOnFetch(
      { baseUrl: "https://example.com" },
      () => Promise.resolve(undefined) as never
    )
    const client = clientOf(yield* Effect.provide(AccessToken.AccessToken, token))
    const exit = yield* Effect.exit(client.call(Operation.profile, (api) => api.user.profile({})))
    assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
  })
)

it.live("a request whose answer meets a defect is aborted", () =>
  Effect.gen(function* () {
    const { aborted, httpClient } = recording(answered)
    const observe = () => {
      throw new Error("a defect")
    }
    const transport = Transport.make({ httpClient, baseUrl: yield* BaseUrl.make("https://example.com"), observe })
    const exit = yield* Effect.exit(Transport.run(Operation.profile, transport.get("/profile")))
    assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
    assert.deepStrictEqual(aborted(), [true])
  })
)
