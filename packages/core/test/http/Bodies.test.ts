import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as CallOptions from "@heddle/core/CallOptions"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import type { ServerResponse } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { gzipSync } from "node:zlib"
import * as Memory from "../Memory.ts"
import * as Recorder from "../Recorder.ts"
import * as Service from "../Service.ts"

/** The profile of a service that answers like this, over one of the platform's clients. */
const profileOver = (
  http: Layer.Layer<HttpClient.HttpClient>,
  answer: (response: ServerResponse) => void,
  timeout: "20 seconds" | "200 millis" = "20 seconds"
) =>
  Effect.gen(function* () {
    const service = yield* Service.make(() => answer)
    const httpClient = yield* HttpClient.HttpClient
    return yield* Effect.provide(Memory.profile, Memory.services(httpClient, { baseUrl: service.url }))
  }).pipe(CallOptions.with({ retry: "none", timeout }), Effect.provide(http), Effect.scoped)

const profile = Buffer.from(JSON.stringify({ nickname: "Ada 阿达 🎉", avatar: "" }))
const json = { "content-type": "application/json", "x-request-id": "r-1" }

/** Writes each byte as a piece of its own. */
const inPieces = async (response: ServerResponse) => {
  response.writeHead(200, json)
  for (const byte of profile) {
    response.write(Buffer.of(byte))
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

const platforms: ReadonlyArray<readonly [string, Layer.Layer<HttpClient.HttpClient>]> = [
  ["fetch", FetchHttpClient.layer],
  ["undici", NodeHttpClient.layerUndici],
  ["node:http", NodeHttpClient.layer]
]

const failureOf = <A>(effect: Effect.Effect<A, unknown>) => Effect.map(Effect.flip(effect), (e) => e as OpenApiError)

describe.each(platforms)("a body over %s", (_, http) => {
  it.live("is whole, however it was cut", () =>
    Effect.map(profileOver(http, inPieces), ({ nickname }) => assert.strictEqual(nickname, "Ada 阿达 🎉"))
  )

  it.live("that breaks off is lost", () =>
    Effect.gen(function* () {
      const error = yield* failureOf(
        profileOver(http, (response) => {
          response.writeHead(200, json)
          response.write(profile.subarray(0, 9), () => response.destroy())
        })
      )
      assert.deepInclude({ ...error }, { _tag: "Unreachable", status: 200, requestId: "r-1" })
    })
  )

  it.live("above the limit is refused", () =>
    Effect.gen(function* () {
      const error = yield* failureOf(
        profileOver(http, (response) => response.writeHead(200, json).end(Buffer.alloc(17 * 1024 * 1024, " ")))
      )
      assert.deepInclude({ ...error }, { _tag: "ContractViolation", path: "body" })
    })
  )

  it.live("that stalls ends with the attempt", () =>
    Effect.gen(function* () {
      const stall = (response: ServerResponse) => {
        response.writeHead(200, json)
        response.write(profile.subarray(0, 9))
      }
      const error = yield* failureOf(profileOver(http, stall, "200 millis"))
      assert.propertyVal(error, "_tag", "Unreachable")
    })
  )
})

it.live("a compressed body is read as what it was", () =>
  Effect.map(
    profileOver(FetchHttpClient.layer, (response) =>
      response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(gzipSync(profile))
    ),
    ({ nickname }) => assert.strictEqual(nickname, "Ada 阿达 🎉")
  )
)

it.effect("a response of an unknown kind is read as a stream", () =>
  Effect.gen(function* () {
    const httpClient = HttpClient.make((request) => {
      const response = HttpClientResponse.fromWeb(request, new Response(profile, { headers: json }))
      const { headers, status, stream } = response
      return Effect.succeed(Object.assign(Object.create(null), { headers, status, stream }))
    })
    const { nickname } = yield* Effect.provide(Memory.profile, Memory.services(httpClient))
    assert.strictEqual(nickname, "Ada 阿达 🎉")
  })
)

it.live("a request that was answered is not ended when its response is collected", () =>
  Effect.gen(function* () {
    const signals: Array<AbortSignal> = []
    const httpClient = HttpClient.make((request, _url, signal) => {
      signals.push(signal)
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(profile, { headers: json })))
    })
    yield* Effect.provide(Memory.profile, Memory.services(httpClient))
    setFlagsFromString("--expose-gc")
    runInNewContext("gc")()
    yield* Effect.sleep("20 millis")
    assert.deepStrictEqual(
      signals.map(({ aborted }) => aborted),
      [false]
    )
  })
)

it.effect("what looks at a response has the context of the caller, under the span of the attempt", () =>
  Effect.gen(function* () {
    const { httpClient } = Memory.make(() => Memory.json(200))
    const seen: Array<unknown> = []
    const onResponse = () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<never>()
        const span = Context.getOption(context, Tracer.ParentSpan)
        seen.push(
          Context.getOption(context, FetchHttpClient.RequestInit)._tag,
          span._tag === "Some" && span.value._tag === "Span" ? span.value.name : undefined,
          yield* FiberRef.get(HttpClient.currentTracerDisabledWhen)
        )
      })
    const outside = yield* FiberRef.get(HttpClient.currentTracerDisabledWhen)
    yield* Effect.provide(Memory.profile, Memory.services(httpClient)).pipe(
      CallOptions.with({ onResponse }),
      Recorder.record
    )
    assert.lengthOf(seen, 3)
    assert.deepStrictEqual(seen.slice(0, 2), ["None", "OpenApi.attempt"])
    assert.strictEqual(seen[2], outside)
  })
)
