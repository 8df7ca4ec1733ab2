import type * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Redacted from "effect/Redacted"
import type { BaseUrl } from "./BaseUrl.ts"
import type * as CallOptions from "./CallOptions.ts"
import * as Attempt from "./internal/Attempt.ts"
import { BufferedResponse } from "./internal/BufferedResponse.ts"
import * as Exchange from "./internal/Exchange.ts"
import * as HttpClientSend from "./internal/HttpClientSend.ts"
import type { Request, RequestBody, ResponseInfo } from "./internal/Request.ts"
import * as ResponseErrors from "./internal/ResponseErrors.ts"
import type { OpenApiError } from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/** An HTTP client that fails with a typed error for every response that is not a success. */
export type Transport = HttpClient.HttpClient.With<OpenApiError>

/** The bearer token of requests, if the caller has one. */
export class BearerToken extends Context.Reference<BearerToken>()("@heddle/core/BearerToken", {
  defaultValue: (): Option.Option<Redacted.Redacted> => Option.none()
}) {}

/** How long one attempt may take by default, from its first byte to the last byte of its answer. */
export const attemptTimeout: Duration.Duration = Attempt.defaultTimeout

/** The `User-Agent` of requests, unless the client has another one. */
export const defaultUserAgent: string = Exchange.defaultUserAgent

/**
 * Makes the contract's transport. It follows no redirects, sends no trace headers, ends an attempt after its timeout,
 * and turns every response into the operation's success or its error.
 */
export const make = (options: {
  readonly httpClient: HttpClient.HttpClient
  readonly baseUrl: BaseUrl
  readonly userAgent?: string | undefined
  /** Sees the status and headers of every answer. */
  readonly observe?: Exchange.Options["observe"]
}): Transport => {
  const exchange = Exchange.make({ ...options, send: HttpClientSend.make(options.httpClient) })
  return HttpClient.makeWith<never, never, OpenApiError, never>(
    Effect.flatMap((request) =>
      Effect.flatMap(Effect.all([Attempt.CurrentAttempt, BearerToken]), ([attempt, token]) =>
        Effect.map(
          exchange(attempt, Option.getOrUndefined(token), fromPlatform(request)),
          // Every 2xx counts as the success that the contract declares (contract decision 86).
          (json) => new BufferedResponse(request, attempt.operation.successStatus, json)
        )
      )
    ),
    Effect.succeed
  )
}

const fromPlatform = ({ body, headers, method, url, urlParams }: HttpClientRequest.HttpClientRequest): Request => ({
  method,
  path: urlParams.length === 0 ? url : `${url}?${UrlParams.toString(urlParams)}`,
  headers,
  body: bodyOf(body)
})

const bodyOf = (body: HttpClientRequest.HttpClientRequest["body"]): RequestBody | undefined =>
  body._tag === "Uint8Array" ? { text: new TextDecoder().decode(body.body), contentType: body.contentType } : undefined

/** Errors of the derived client besides {@link OpenApiError}. */
export type DerivedError = HttpClientError.HttpClientError | ParseResult.ParseError | HttpApiError.HttpApiDecodeError

/**
 * Runs a call of the derived client as one attempt at `operation`, with a span and a metric. A response that does not
 * decode becomes a `ContractViolation`. `number` counts attempts from 1; `previousErrorTag` names the error of the
 * previous one.
 */
export const run = <A, R>(
  operation: Operation,
  call: Effect.Effect<A, OpenApiError | DerivedError, R>,
  options: {
    readonly timeout?: Duration.Duration
    readonly headers?: Readonly<Record<string, string>>
    readonly number?: number
    readonly previousErrorTag?: string | undefined
    readonly onResponse?: CallOptions.Options["onResponse"]
  } = {}
): Effect.Effect<A, OpenApiError, R> =>
  Effect.suspend(() => {
    const attempt: Attempt.Attempt = {
      operation,
      timeout: options.timeout ?? attemptTimeout,
      headers: options.headers ?? {},
      onResponse: options.onResponse,
      info: undefined
    }
    const provided = Effect.provideService(call, Attempt.CurrentAttempt, attempt)
    return Attempt.run(
      attempt,
      Effect.mapError(provided, (error) => toOpenApiError(operation, error, attempt.info)),
      options
    )
  })

const toOpenApiError = (
  operation: Operation,
  error: OpenApiError | DerivedError,
  response: ResponseInfo | undefined
): OpenApiError => {
  if (ParseResult.isParseError(error)) return ResponseErrors.undecoded(operation, error.issue, response)
  if (HttpClientError.isHttpClientError(error)) return ResponseErrors.contractViolation(operation, "body", response)
  return error._tag === "HttpApiDecodeError" ? ResponseErrors.contractViolation(operation, "request", response) : error
}
