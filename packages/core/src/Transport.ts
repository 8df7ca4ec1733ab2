import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Redacted from "effect/Redacted"
import type { BaseUrl } from "./BaseUrl.ts"
import * as Body from "./internal/Body.ts"
import * as TransportFailure from "./internal/TransportFailure.ts"
import { ContractViolation, fromResponse, type OpenApiError, OutcomeUnknown, Unreachable } from "./OpenApiError.ts"
import { CurrentOperation, type Operation } from "./Operation.ts"

/** An HTTP client whose every answer that is no success has already become a typed error. */
export type Transport = HttpClient.HttpClient.With<OpenApiError>

/** The token that requests carry, where the caller has one. */
export class BearerToken extends Context.Reference<BearerToken>()("@heddle/core/BearerToken", {
  defaultValue: (): Option.Option<Redacted.Redacted> => Option.none()
}) {}

/** How long one attempt may take, from its first byte to the last byte of its answer. */
export const attemptTimeout: Duration.Duration = Duration.seconds(30)

/**
 * The contract's transport: no redirect is followed, no trace header leaves, an attempt ends after
 * {@link attemptTimeout}, and an answer is either the operation's success or fails with its error.
 */
export const make = (options: {
  readonly httpClient: HttpClient.HttpClient
  readonly baseUrl: BaseUrl
  readonly userAgent?: string | undefined
}): Transport =>
  options.httpClient.pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(options.baseUrl)),
    HttpClient.mapRequest(HttpClientRequest.setHeader("user-agent", options.userAgent ?? "heddle")),
    HttpClient.mapRequestEffect((request) =>
      Effect.map(
        BearerToken,
        Option.match({
          onNone: () => request,
          onSome: (token) => HttpClientRequest.bearerToken(request, token)
        })
      )
    ),
    HttpClient.withTracerPropagation(false),
    HttpClient.transformResponse((execute) =>
      Effect.flatMap(CurrentOperation, (operation) =>
        execute.pipe(
          Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
          Effect.mapError((error) => unanswered(operation, error)),
          Effect.flatMap((response) => settle(operation, response)),
          Effect.timeoutFail({
            duration: attemptTimeout,
            onTimeout: () => lost(operation, `no answer within ${Duration.toSeconds(attemptTimeout)} s`)
          })
        )
      )
    )
  )

/** What a call of the derived client can fail with on top of {@link OpenApiError}. */
export type DerivedError = HttpClientError.HttpClientError | ParseResult.ParseError | HttpApiError.HttpApiDecodeError

/** Runs a call of the derived client as `operation`, and turns what it could not decode into a `ContractViolation`. */
export const run = <A, R>(
  operation: Operation,
  call: Effect.Effect<A, OpenApiError | DerivedError, R>
): Effect.Effect<A, OpenApiError, R> =>
  call.pipe(
    Effect.mapError((error): OpenApiError => {
      if (ParseResult.isParseError(error)) return violation(operation, pathOf(error))
      if (HttpClientError.isHttpClientError(error)) return violation(operation, "body")
      return error._tag === "HttpApiDecodeError" ? violation(operation, "request") : error
    }),
    Effect.provideService(CurrentOperation, operation)
  )

/** More than any answer of the contract needs, and little enough to hold. */
const successLimit = 16 * 1024 * 1024
const errorLimit = 64 * 1024

const settle = (
  operation: Operation,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, OpenApiError> =>
  Effect.gen(function* () {
    const succeeded = response.status >= 200 && response.status < 300
    const body = yield* Body.read(response, succeeded ? successLimit : errorLimit)
    if (succeeded && body.broken) return yield* lost(operation, "the connection broke in the middle of the answer")
    if (succeeded && !body.whole) return yield* violation(operation, "body", response.headers["x-request-id"])
    const payload = succeeded ? Body.unwrap(body.text) : undefined
    if (payload === undefined) {
      return yield* fromResponse({
        status: response.status,
        headers: response.headers,
        body: body.text,
        operation: operation.name,
        secrets: secretsOf(response.request)
      })
    }
    const shaped = operation.enveloped ? Body.wrap(payload) : payload
    // Every 2xx counts as the success that the contract declares (decision 86).
    return HttpClientResponse.fromWeb(
      response.request,
      new Response(shaped, { status: operation.success, headers: { "content-type": "application/json" } })
    )
  })

const unanswered = (operation: Operation, error: HttpClientError.HttpClientError): OpenApiError => {
  if (error._tag === "RequestError" && error.reason !== "Transport") {
    return new Unreachable({ operation: operation.name, reason: "the request could not be built" })
  }
  const { neverSent, reason } = TransportFailure.read(error.cause)
  return neverSent ? new Unreachable({ operation: operation.name, reason }) : lost(operation, reason)
}

const lost = (operation: Operation, reason: string): Unreachable | OutcomeUnknown =>
  operation.repeat === "safe"
    ? new Unreachable({ operation: operation.name, reason })
    : new OutcomeUnknown({ operation: operation.name, reason })

const violation = (operation: Operation, path: string, requestId?: string): ContractViolation =>
  new ContractViolation({ operation: operation.name, path, ...(requestId === undefined ? {} : { requestId }) })

const pathOf = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.path.map(String).join(".") || "body"

/** The credentials that a request carries, so that its error never shows them. */
const secretsOf = (request: HttpClientRequest.HttpClientRequest): ReadonlyArray<Redacted.Redacted> => {
  const bearer = request.headers["authorization"]?.replace(/^\S+ +/, "")
  const { body } = request
  const form =
    body._tag === "Uint8Array" && body.contentType.startsWith("application/x-www-form-urlencoded")
      ? new URLSearchParams(new TextDecoder().decode(body.body))
      : new URLSearchParams()
  return [bearer, ...["client_secret", "code", "code_verifier", "refresh_token"].map((name) => form.get(name))].flatMap(
    (value) => (value === undefined || value === null || value === "" ? [] : [Redacted.make(value)])
  )
}
