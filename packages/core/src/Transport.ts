import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import type { BaseUrl } from "./BaseUrl.ts"
import type * as CallOptions from "./CallOptions.ts"
import { CurrentAttempt, type ResponseInfo } from "./internal/Attempt.ts"
import * as DecodeFailure from "./internal/DecodeFailure.ts"
import * as Deprecations from "./internal/Deprecations.ts"
import * as ResponseErrors from "./internal/ResponseErrors.ts"
import * as ResponseReader from "./internal/ResponseReader.ts"
import * as TransportFailure from "./internal/TransportFailure.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { version } from "./internal/Version.ts"
import * as Metrics from "./Metrics.ts"
import { InvalidRequest, type OpenApiError, Unreachable } from "./OpenApiError.ts"
import type { Operation } from "./Operation.ts"

/** An HTTP client that fails with a typed error for every response that is not a success. */
export type Transport = HttpClient.HttpClient.With<OpenApiError>

/** The bearer token of requests, if the caller has one. */
export class BearerToken extends Context.Reference<BearerToken>()("@heddle/core/BearerToken", {
  defaultValue: (): Option.Option<Redacted.Redacted> => Option.none()
}) {}

/** How long one attempt may take by default, from its first byte to the last byte of its answer. */
export const attemptTimeout: Duration.Duration = Duration.seconds(30)

/** The `User-Agent` of requests, unless the client has another one. */
export const defaultUserAgent = `heddle-core/${version}`

/**
 * Makes the contract's transport. It follows no redirects, sends no trace headers, ends an attempt after its timeout,
 * and turns every response into the operation's success or its error.
 */
export const make = (options: {
  readonly httpClient: HttpClient.HttpClient
  readonly baseUrl: BaseUrl
  readonly userAgent?: string | undefined
  /** Sees the status and headers of every answer. */
  readonly observe?: (answer: HttpClientResponse.HttpClientResponse) => void
}): Transport => {
  const userAgent = options.userAgent ?? (isBrowser() ? undefined : defaultUserAgent)
  const reportDeprecation = Deprecations.make()
  const userAgentHeader = userAgent === undefined ? {} : { "user-agent": userAgent }
  return options.httpClient.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.flatMap(CurrentAttempt, ({ headers }) => {
        const invalidHeader = Object.entries(headers).find(([name, value]) => !isHeader(name, value))
        if (invalidHeader !== undefined)
          return invalidRequest(`its header ${JSON.stringify(invalidHeader[0].slice(0, 64))}`)
        return Effect.map(BearerToken, (token) =>
          HttpClientRequest.setHeaders(HttpClientRequest.prependUrl(request, options.baseUrl), {
            ...userAgentHeader,
            ...headers,
            ...(Option.isNone(token) ? {} : { authorization: `Bearer ${Redacted.value(token.value)}` })
          })
        )
      })
    ),
    // The attempt has its own span; the platform's span would have URLs and headers.
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withTracerPropagation(false),
    HttpClient.transformResponse((execute) =>
      Effect.flatMap(CurrentAttempt, (attempt) =>
        execute.pipe(
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          Effect.mapError((error) =>
            HttpClientError.isHttpClientError(error) ? toTransportError(attempt.operation, error) : error
          ),
          Effect.tap((response) => Effect.sync(() => options.observe?.(response))),
          Effect.flatMap((response) =>
            Effect.zipRight(reportDeprecation(attempt.operation.name, response), ResponseReader.read(attempt, response))
          ),
          RetryPolicy.timeoutFailDisconnected({
            duration: attempt.timeout,
            onTimeout: () =>
              ResponseErrors.lostResponse(attempt.operation, `no answer within ${Duration.format(attempt.timeout)}`)
          })
        )
      )
    )
  )
}

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
  Effect.gen(function* () {
    let info: ResponseInfo | undefined
    const result = yield* call.pipe(
      Effect.provideService(CurrentAttempt, {
        operation,
        timeout: options.timeout ?? attemptTimeout,
        headers: options.headers ?? {},
        onInfo: (response) => {
          info = response
        },
        onResponse: options.onResponse
      }),
      Effect.either
    )
    const outcome = Either.mapLeft(result, (error) => toOpenApiError(operation, error, info))
    if (info !== undefined) {
      yield* Effect.annotateCurrentSpan({
        status: info.status,
        ...(info.requestId === undefined ? {} : { request_id: info.requestId })
      })
    }
    yield* Metrics.count(Metrics.attempts, operation.name, Either.isRight(outcome) ? "Success" : outcome.left._tag)
    return yield* outcome
  }).pipe(
    Effect.withSpan("OpenApi.attempt", {
      kind: "client",
      captureStackTrace: false,
      attributes: {
        operation: operation.name,
        attempt: options.number ?? 1,
        ...(options.previousErrorTag === undefined ? {} : { retry: options.previousErrorTag })
      }
    })
  )

const toOpenApiError = (
  operation: Operation,
  error: OpenApiError | DerivedError,
  response: ResponseInfo | undefined
): OpenApiError => {
  if (ParseResult.isParseError(error)) {
    const path = DecodeFailure.path(error.issue)
    return response === undefined
      ? invalidRequest(`its field ${path}`)
      : ResponseErrors.contractViolation(operation, path, response)
  }
  if (HttpClientError.isHttpClientError(error)) return ResponseErrors.contractViolation(operation, "body", response)
  return error._tag === "HttpApiDecodeError"
    ? ResponseErrors.contractViolation(operation, "request", response)
    : ResponseErrors.withResponse(error, response)
}

const toTransportError = (operation: Operation, error: HttpClientError.HttpClientError): OpenApiError => {
  if (error._tag === "RequestError" && error.reason !== "Transport") return invalidRequest("what it should carry")
  const { neverSent, reason } = TransportFailure.read(error.cause)
  return neverSent
    ? new Unreachable({ operation: operation.name, reason })
    : ResponseErrors.lostResponse(operation, reason)
}

/** An invalid request of the caller, refused here in place of the service. */
const invalidRequest = (part: string) =>
  new InvalidRequest({ code: "invalid_request", description: `The request cannot be sent because of ${part}` })

const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Browsers set their own `User-Agent`; another one needs a CORS permission that the service may not give. */
const isBrowser = (): boolean => "document" in globalThis || "WorkerGlobalScope" in globalThis
