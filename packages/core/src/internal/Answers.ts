import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import {
  ContractViolation,
  fromResponse,
  type OpenApiError,
  OutcomeUnknown,
  type Refusal,
  Unreachable
} from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { Answer, Attempt } from "./Attempt.ts"
import * as Body from "./Body.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Secrets from "./Secrets.ts"

/** Reads an answer whole: the success that the contract declares, or a failure with its error. */
export const settle = (
  { onAnswer, operation }: Attempt,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, OpenApiError> =>
  Effect.gen(function* () {
    const { headers, request, status } = response
    const succeeded = status >= 200 && status < 300
    const secrets = Secrets.of(request)
    const safe = Secrets.remover(secrets)
    const said = (requestId = headers["x-request-id"] ?? headers["request-id"] ?? ""): Answer => ({
      status,
      requestId: ErrorBody.traceId(requestId, safe) || undefined
    })
    yield* onAnswer(said())
    const body = yield* Body.read(response, succeeded ? successLimit : errorLimit)
    if (succeeded && body.broken) return yield* lost(operation, "the connection broke in the middle of the answer")
    if (succeeded && !body.whole) return yield* violation(operation, "body", said())
    const payload = succeeded ? Body.unwrap(body.text) : failure
    if (payload._tag === "Failure") {
      const error: Refusal = fromResponse({ status, headers, body: body.text, operation: operation.name, secrets })
      yield* onAnswer(said(error.requestId))
      return yield* error
    }
    yield* onAnswer(said(payload.requestId))
    // Every 2xx counts as the success that the contract declares (decision 86).
    return HttpClientResponse.fromWeb(
      request,
      new Response(operation.enveloped ? Body.wrap(payload.json) : payload.json, {
        status: operation.success,
        headers: { "content-type": "application/json" }
      })
    )
  })

/** A request whose answer did not come: of a write nobody knows whether it was received. */
export const lost = (operation: Operation, reason: string): Unreachable | OutcomeUnknown =>
  operation.repeat === "safe"
    ? new Unreachable({ operation: operation.name, reason })
    : new OutcomeUnknown({ operation: operation.name, reason })

/** An answer of success that does not keep the contract at `path`. */
export const violation = (operation: Operation, path: string, answer?: Answer): ContractViolation =>
  new ContractViolation({
    operation: operation.name,
    path,
    ...(answer === undefined ? {} : { status: answer.status }),
    ...(answer?.requestId === undefined ? {} : { requestId: answer.requestId })
  })

const failure: Body.Payload = { _tag: "Failure" }

/** More than any answer of the contract needs, and little enough to hold. */
const successLimit = 16 * 1024 * 1024
const errorLimit = 64 * 1024
