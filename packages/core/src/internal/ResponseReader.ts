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
    const isSuccess = status >= 200 && status < 300
    const secrets = Secrets.inRequest(request)
    const redact = Secrets.redactor(secrets)
    const infoOf = (requestId: string): ResponseInfo => ({
      status,
      requestId: ErrorBody.sanitizeRequestId(requestId, redact) || undefined
    })
    const fromHeaders = infoOf(headers["x-request-id"] ?? headers["request-id"] ?? "")
    onInfo(fromHeaders)
    const body = yield* Body.read(response, isSuccess ? maxSuccessBytes : maxErrorBytes)
    if (isSuccess && body.isBroken) {
      return yield* ResponseErrors.lostResponse(operation, "the connection broke in the middle of the answer")
    }
    if (isSuccess && !body.isComplete) return yield* ResponseErrors.contractViolation(operation, "body", fromHeaders)
    const payload = isSuccess ? Body.unwrap(body.text) : envelopeFailure
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
        body: Redacted.make(Body.parseJson(body.text))
      })
    }
    if (outcome._tag !== "Payload") {
      return yield* operation.repeat === "once"
        ? (ResponseErrors.uncertainWrite(operation, outcome) ?? outcome)
        : outcome
    }
    // Every 2xx counts as the success that the contract declares (contract decision 86).
    const json = operation.enveloped ? Body.wrap(outcome.json) : outcome.json
    return new BufferedResponse(request, operation.successStatus, json)
  })

const envelopeFailure: Body.Payload = { _tag: "Failure" }

/** Larger than any response of the contract, and small enough to buffer. */
const maxSuccessBytes = 16 * 1024 * 1024
const maxErrorBytes = 64 * 1024
