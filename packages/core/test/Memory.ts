import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as AccessToken from "@heddle/core/AccessToken"
import * as OpenApiClient from "@heddle/core/OpenApiClient"
import * as Tasks from "@heddle/core/Tasks"
import * as Users from "@heddle/core/Users"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

/** A request as the service in memory saw it, with the second of the clock at which it came. */
export interface Seen {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly at: number
}

/** What the service in memory does with its nth request: an answer, or an effect that ends in one, or never. */
export type Reply = (
  request: HttpClientRequest.HttpClientRequest,
  nth: number
) => Response | Effect.Effect<Response, HttpClientError.RequestError>

/** Runs an effect under a clock of which it can set the time of day back; monotonic time and sleeps go on. */
export const withSetBackClock = <A, E, R>(use: (setBack: (millis: number) => void) => Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    let backMs = 0
    // A `TestClock` stays one.
    const setBackClock: Clock.Clock = Object.assign(Object.create(clock), {
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - backMs,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - backMs),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      currentTimeNanos: clock.currentTimeNanos
    })
    return Effect.withClock(
      use((millis) => void (backMs += millis)),
      setBackClock
    )
  })

/** An HTTP client without a socket, so that the clock of the test is the only one. */
export const make = (reply: Reply) => {
  const seen: Array<Seen> = []
  const httpClient = HttpClient.make((request) =>
    Effect.gen(function* () {
      seen.push({ request, at: (yield* Clock.currentTimeMillis) / 1000 })
      const answer = reply(request, seen.length)
      const response = Effect.isEffect(answer) ? yield* answer : answer
      return HttpClientResponse.fromWeb(request, response)
    })
  )
  return { seen, httpClient }
}

/** The services on an HTTP client in memory. */
export const services = (
  httpClient: HttpClient.HttpClient,
  options: Partial<OpenApiClient.Options> & { readonly token?: Layer.Layer<AccessToken.AccessToken> } = {}
) =>
  Layer.mergeAll(Tasks.layer, Users.layer).pipe(
    Layer.provideMerge(OpenApiClient.layer({ baseUrl: "https://example.com", ...options })),
    Layer.provide(options.token ?? AccessToken.layer(Redacted.make("a token"))),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, httpClient))
  )

/** Reads the profile of the user. */
export const profile = Effect.flatMap(Users.Users, (users) => users.profile)

/** Runs a program on a service in memory while `minutes` go by; `around` wraps it. */
export const run = <A, E, B, E2>(
  program: Effect.Effect<A, E, Tasks.Tasks | Users.Users>,
  options: {
    readonly reply: Reply
    readonly token?: Layer.Layer<AccessToken.AccessToken> | undefined
    readonly idempotencyKeys?: boolean
    readonly minutes: number
    readonly around: (program: Effect.Effect<A, E>) => Effect.Effect<B, E2>
  }
) =>
  Effect.gen(function* () {
    const { httpClient, seen } = make(options.reply)
    const { idempotencyKeys = "auto", token } = options
    const layer = services(httpClient, { idempotencyKeys, ...(token === undefined ? {} : { token }) })
    const fiber = yield* Effect.fork(options.around(Effect.provide(program, Layer.orDie(layer))))
    yield* TestClock.adjust(`${options.minutes} minutes`)
    return { result: yield* Fiber.join(fiber), seen }
  })

/** A JSON answer. */
export const json = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })
