import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fromResponse, type OpenApiError } from "../OpenApiError.ts"
import type { Attempt } from "./Attempt.ts"
import * as Body from "./Body.ts"
import * as ErrorBody from "./ErrorBody.ts"
import type { Response, ResponseInfo, SentRequest } from "./Request.ts"
import * as ResponseErrors from "./ResponseErrors.ts"
import * as Secrets from "./Secrets.ts"

/**
 * Reads a response to its end: the success that the contract declares, or a failure with its error. Gives the success as
 * parsed JSON, `undefined` if it is not JSON.
 */
export const read = (
  attempt: Attempt,
  request: SentRequest,
  response: Response
): Effect.Effect<unknown, OpenApiError> =>
  Effect.gen(function* () {
    const { onResponse, operation } = attempt
    const { headers, status } = response
    const isSuccess = status >= 200 && status < 300
    const secrets = Secrets.inRequest(request)
    const redact = Secrets.redactor(secrets)
    const infoOf = (requestId: string): ResponseInfo => ({
      status,
      requestId: ErrorBody.sanitizeRequestId(requestId, redact) || undefined
    })
    const fromHeaders = infoOf(headers["x-request-id"] ?? headers["request-id"] ?? "")
    attempt.info = fromHeaders
    const body = yield* response.body(isSuccess ? maxSuccessBytes : maxErrorBytes)
    if (isSuccess && body.isBroken) {
      return yield* ResponseErrors.lostResponse(operation, "the connection broke in the middle of the answer")
    }
    if (isSuccess && !body.isComplete) return yield* ResponseErrors.contractViolation(operation, "body", fromHeaders)
    const json = isSuccess || onResponse !== undefined ? Body.parseJson(body.text) : undefined
    const payload = isSuccess ? Body.unwrap(json) : envelopeFailure
    const outcome =
      payload._tag === "Payload"
        ? payload
        : fromResponse({ status, headers, body: body.text, operation: operation.name, secrets })
    if (outcome.requestId !== undefined) attempt.info = infoOf(outcome.requestId)
    if (onResponse !== undefined) {
      yield* onResponse({
        operation: operation.name,
        ...attempt.info,
        headers: Secrets.redactHeaders(headers, redact),
        body: Redacted.make(json)
      })
    }
    if (outcome._tag !== "Payload") {
      return yield* operation.repeat === "once"
        ? (ResponseErrors.uncertainWrite(operation, outcome) ?? outcome)
        : outcome
    }
    if (!operation.enveloped) return outcome.value
    return outcome.value === undefined && body.text.trim() !== "" ? undefined : Body.wrap(outcome.value ?? null)
  })

const envelopeFailure: Body.Payload = { _tag: "Failure" }

/** Larger than any response of the contract, and small enough to buffer. */
const maxSuccessBytes = 16 * 1024 * 1024
const maxErrorBytes = 64 * 1024
