import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fromResponse, type OpenApiError } from "../OpenApiError.ts"
import type { Attempt, ResponseInfo } from "./Attempt.ts"
import * as Body from "./Body.ts"
import { BufferedResponse } from "./BufferedResponse.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Secrets from "./Secrets.ts"
import * as ResponseErrors from "./ResponseErrors.ts"

/** Reads a response to its end: the success that the contract declares, or a failure with its error. */
export const read = (
  { onInfo, onResponse, operation }: Attempt,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, OpenApiError> =>
  Effect.gen(function* () {
    const { headers, request, status } = response
    const succeeded = status >= 200 && status < 300
    const secrets = Secrets.of(request)
    const redact = Secrets.redactor(secrets)
    const infoOf = (requestId: string): ResponseInfo => ({
      status,
      requestId: ErrorBody.requestId(requestId, redact) || undefined
    })
    const fromHeaders = infoOf(headers["x-request-id"] ?? headers["request-id"] ?? "")
    onInfo(fromHeaders)
    const body = yield* Body.read(response, succeeded ? successLimit : errorLimit)
    if (succeeded && body.broken) {
      return yield* ResponseErrors.lostResponse(operation, "the connection broke in the middle of the answer")
    }
    if (succeeded && !body.whole) return yield* ResponseErrors.contractViolation(operation, "body", fromHeaders)
    const payload = succeeded ? Body.unwrap(body.text) : failure
    const outcome =
      payload._tag === "Payload"
        ? payload
        : fromResponse({ status, headers, body: body.text, operation: operation.name, secrets })
    const info = outcome.requestId === undefined ? fromHeaders : infoOf(outcome.requestId)
    onInfo(info)
    if (onResponse !== undefined) {
      yield* onResponse({
        operation: operation.name,
        ...info,
        headers: Secrets.redactHeaders(headers, redact),
        body: Redacted.make(Body.json(body.text))
      })
    }
    if (outcome._tag !== "Payload") {
      return yield* operation.repeat === "once"
        ? (ResponseErrors.uncertainWrite(operation, outcome) ?? outcome)
        : outcome
    }
    // Every 2xx counts as the success that the contract declares (contract decision 86).
    const json = operation.enveloped ? Body.wrap(outcome.json) : outcome.json
    return new BufferedResponse(request, operation.success, json)
  })

const failure: Body.Payload = { _tag: "Failure" }

/** More bytes than any response of the contract needs, and few enough to buffer. */
const successLimit = 16 * 1024 * 1024
const errorLimit = 64 * 1024
