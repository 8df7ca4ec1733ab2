import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { fromResponse, type OpenApiError } from "../OpenApiError.ts"
import type { Refusal } from "../Refusal.ts"
import type { Attempt } from "./Attempt.ts"
import * as Body from "./Body.ts"
import * as ErrorBody from "./ErrorBody.ts"
import type { Response, ResponseInfo, SentRequest } from "./Request.ts"
import * as ResponseErrors from "./ResponseErrors.ts"
import * as Secrets from "./Secrets.ts"

/** How a response is read: up to how many bytes, and what it says with its body. */
export interface ResponseReader {
  readonly limit: number
  /** The success as parsed JSON, `undefined` if it is not JSON; or the error. An `Exit`, unless the caller looks at it. */
  readonly interpret: (body: Body.Body) => Effect.Effect<unknown, OpenApiError>
}

/** Reads the status and headers of a response: the success that the contract declares, or a failure with its error. */
export const make = (attempt: Attempt, request: SentRequest, response: Response): ResponseReader => {
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

  const interpret = (body: Body.Body): Effect.Effect<unknown, OpenApiError> => {
    if (isSuccess && body.isBroken) {
      return Exit.fail(ResponseErrors.lostResponse(operation, "the connection broke in the middle of the answer"))
    }
    if (isSuccess && !body.isComplete) {
      return Exit.fail(ResponseErrors.contractViolation(operation, "body", fromHeaders))
    }
    const json = isSuccess || onResponse !== undefined ? Body.parseJson(body.text) : undefined
    const payload = isSuccess ? Body.unwrap(json) : envelopeFailure
    const outcome =
      payload._tag === "Payload"
        ? payload
        : fromResponse({ status, headers, body: body.text, operation: operation.name, secrets })
    if (outcome.requestId !== undefined) attempt.info = infoOf(outcome.requestId)
    const result = resultOf(outcome, body)
    if (onResponse === undefined) return result
    const raw = {
      operation: operation.name,
      ...(attempt.info ?? fromHeaders),
      headers: Secrets.redactHeaders(headers, redact),
      body: Redacted.make(json)
    }
    return Effect.zipRight(onResponse(raw), result)
  }

  const resultOf = (
    outcome: Refusal | Extract<Body.Payload, { _tag: "Payload" }>,
    { text }: Body.Body
  ): Exit.Exit<unknown, OpenApiError> => {
    if (outcome._tag !== "Payload") {
      const uncertain = operation.repeat === "once" ? ResponseErrors.uncertainWrite(operation, outcome) : undefined
      return Exit.fail(uncertain ?? outcome)
    }
    const { value } = outcome
    if (!operation.enveloped) return Exit.succeed(value)
    return Exit.succeed(value === undefined && text.trim() !== "" ? undefined : Body.wrap(value ?? null))
  }

  return { limit: isSuccess ? maxSuccessBytes : maxErrorBytes, interpret }
}

const envelopeFailure: Body.Payload = { _tag: "Failure" }

/** Larger than any response of the contract, and small enough to buffer. */
const maxSuccessBytes = 16 * 1024 * 1024
const maxErrorBytes = 64 * 1024
