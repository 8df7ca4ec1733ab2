import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Stream from "effect/Stream"
import * as Body from "./Body.ts"
import * as BodySource from "./BodySource.ts"
import type { Response, Send, SendFailure, SentRequest } from "./Request.ts"

/**
 * Sends requests with the platform's client: without its span, which would have URLs and headers, without trace
 * headers, and without redirects.
 */
export const make =
  (httpClient: HttpClient.HttpClient): Send =>
  (request) =>
    // Three times `Effect.locally` would cost as much as sending the request. A failure ends the fiber of the attempt.
    Effect.withFiberRuntime((fiber) => {
      const context = fiber.currentContext
      const disabled = fiber.getFiberRef(HttpClient.currentTracerDisabledWhen)
      const restore = Effect.zipRight(
        FiberRef.set(FiberRef.currentContext, context),
        FiberRef.set(HttpClient.currentTracerDisabledWhen, disabled)
      )
      return FiberRef.set(FiberRef.currentContext, Context.merge(context, noRedirects)).pipe(
        Effect.zipRight(FiberRef.set(HttpClient.currentTracerDisabledWhen, always)),
        Effect.zipRight(httpClient.execute(toPlatform(request))),
        Effect.matchEffect({
          onFailure: (error) => Effect.fail(failureOf(error)),
          onSuccess: (response) => Effect.as(restore, responseOf(response))
        })
      )
    })

const noRedirects = Context.make(FetchHttpClient.RequestInit, { redirect: "manual" })
const always = () => true

const toPlatform = ({ body, headers, method, url }: SentRequest): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.make(method)(url, { headers })
  return body === undefined ? request : HttpClientRequest.bodyText(request, body.text, body.contentType)
}

const failureOf = (error: HttpClientError.HttpClientError): SendFailure => ({
  _tag: "SendFailure",
  isInvalid: error._tag === "RequestError" && error.reason !== "Transport",
  cause: error.cause
})

const responseOf = (response: HttpClientResponse.HttpClientResponse): Response => {
  const { headers, status } = response
  const source = BodySource.of(response)
  return {
    status,
    headers,
    body: (limit) => (source === undefined ? readStream(response, limit) : BodySource.read(source, limit))
  }
}

const readStream = (response: HttpClientResponse.HttpClientResponse, limit: number): Effect.Effect<Body.Body> =>
  Effect.suspend(() => {
    const pieces = Body.pieces(limit)
    return Stream.runForEachWhile(response.stream, (chunk) => Effect.sync(() => pieces.add(chunk))).pipe(
      Effect.map(() => pieces.end({ isBroken: false })),
      Effect.catchAll((error) => Effect.sync(() => pieces.end({ isBroken: error.reason !== "EmptyBody" })))
    )
  })
