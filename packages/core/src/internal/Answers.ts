import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ContractViolation, fromResponse, type OpenApiError, OutcomeUnknown, Unreachable } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { Answer, Attempt } from "./Attempt.ts"
import * as Body from "./Body.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as Secrets from "./Secrets.ts"
import { Settled } from "./Settled.ts"

/** Reads an answer whole: the success that the contract declares, or a failure with its error. */
export const settle = (
  { onAnswer, onResponse, operation }: Attempt,
  response: HttpClientResponse.HttpClientResponse
): Effect.Effect<HttpClientResponse.HttpClientResponse, OpenApiError> =>
  Effect.gen(function* () {
    const { headers, request, status } = response
    const succeeded = status >= 200 && status < 300
    const secrets = Secrets.of(request)
    const safe = Secrets.remover(secrets)
    const said = (requestId: string): Answer => ({ status, requestId: ErrorBody.traceId(requestId, safe) || undefined })
    const begun = said(headers["x-request-id"] ?? headers["request-id"] ?? "")
    onAnswer(begun)
    const body = yield* Body.read(response, succeeded ? successLimit : errorLimit)
    if (succeeded && body.broken) return yield* lost(operation, "the connection broke in the middle of the answer")
    if (succeeded && !body.whole) return yield* violation(operation, "body", begun)
    const payload = succeeded ? Body.unwrap(body.text) : failure
    const settled =
      payload._tag === "Payload"
        ? payload
        : fromResponse({ status, headers, body: body.text, operation: operation.name, secrets })
    const answer = settled.requestId === undefined ? begun : said(settled.requestId)
    onAnswer(answer)
    if (onResponse !== undefined) {
      yield* onResponse({
        operation: operation.name,
        ...answer,
        headers: Secrets.headersWithout(headers, safe),
        body: Redacted.make(Body.json(body.text))
      })
    }
    if (settled._tag !== "Payload") {
      return yield* operation.repeat === "once" ? (doubt(operation, settled) ?? settled) : settled
    }
    // Every 2xx counts as the success that the contract declares (decision 86).
    return new Settled(request, operation.success, operation.enveloped ? Body.wrap(settled.json) : settled.json)
  })

/** A request whose answer did not come: of a write nobody knows whether it was received. */
export const lost = (operation: Operation, reason: string): Unreachable | OutcomeUnknown =>
  operation.repeat === "safe"
    ? new Unreachable({ operation: operation.name, reason })
    : new OutcomeUnknown({ operation: operation.name, reason })

/**
 * The doubt that a failure of the service leaves about a write: with 500, 502 or 504 it may have been carried out.
 * With 503 the service says that it was not.
 */
export const doubt = ({ name, repeat }: Operation, error: OpenApiError): OutcomeUnknown | undefined => {
  if (repeat === "safe" || error._tag !== "ServiceFailure" || error.status === 503) return undefined
  const { description, requestId, status } = error
  return new OutcomeUnknown({
    operation: name,
    reason: description,
    status,
    ...(requestId === undefined ? {} : { requestId })
  })
}

/** The same error with what is known of its answer, where it does not tell that itself. */
export const withAnswer = (error: OpenApiError, answer: Answer | undefined): OpenApiError => {
  if (answer === undefined) return error
  if ((error._tag !== "Unreachable" && error._tag !== "OutcomeUnknown") || error.status !== undefined) return error
  const { operation, reason } = error
  const told = { operation, reason, ...seen(answer) }
  return error._tag === "Unreachable" ? new Unreachable(told) : new OutcomeUnknown(told)
}

/** An answer of success that does not keep the contract at `path`. */
export const violation = (operation: Operation, path: string, answer?: Answer): ContractViolation =>
  new ContractViolation({
    operation: operation.name,
    path,
    ...(answer === undefined ? {} : seen(answer))
  })

const seen = ({ requestId, status }: Answer) => ({ status, ...(requestId === undefined ? {} : { requestId }) })

const failure: Body.Payload = { _tag: "Failure" }

/** More than any answer of the contract needs, and little enough to hold. */
const successLimit = 16 * 1024 * 1024
const errorLimit = 64 * 1024
