import type * as ParseResult from "effect/ParseResult"
import {
  type Conflict,
  ContractViolation,
  InvalidRequest,
  type OpenApiError,
  OutcomeUnknown,
  type ServiceFailure,
  type UnexpectedStatus,
  Unreachable
} from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { ResponseInfo } from "./Request.ts"

/** A request without a response: a write may have been received. */
export const lostResponse = (operation: Operation, reason: string): Unreachable | OutcomeUnknown =>
  operation.repeat === "safe"
    ? new Unreachable({ operation: operation.name, reason })
    : new OutcomeUnknown({ operation: operation.name, reason })

/**
 * The `OutcomeUnknown` of a write that a response leaves in doubt: 500, 502, 503 or 504, and for a write that creates
 * something also 409 or an unexpected status. With 503 a token request, which has no key, stays a failure: sent again,
 * it creates nothing twice.
 */
export const uncertainWrite = (operation: Operation, error: OpenApiError): OutcomeUnknown | undefined => {
  if (operation.repeat === "safe" || !leavesDoubt(operation, error)) return undefined
  const { description, requestId, status } = error
  return new OutcomeUnknown({ operation: operation.name, reason: description, ...infoFields({ status, requestId }) })
}

const leavesDoubt = (
  { creates = false, keyIn }: Operation,
  error: OpenApiError
): error is Conflict | ServiceFailure | UnexpectedStatus => {
  switch (error._tag) {
    case "ServiceFailure":
      return error.status !== 503 || keyIn !== undefined
    // The document's guard against duplicates answers so to a request that it has handled.
    case "Conflict":
      return creates
    case "UnexpectedStatus":
      return creates && !statusesBeforeWrite.has(error.status)
    default:
      return false
  }
}

/** Statuses outside the document that say that the service did not take the request. */
const statusesBeforeWrite: ReadonlySet<number> = new Set([402, 405, 413, 415, 422])

/** Adds the status and request id of the response to an error without them. */
export const withResponse = (error: OpenApiError, response: ResponseInfo | undefined): OpenApiError => {
  if (response === undefined) return error
  if ((error._tag !== "Unreachable" && error._tag !== "OutcomeUnknown") || error.status !== undefined) return error
  const { operation, reason } = error
  const fields = { operation, reason, ...infoFields(response) }
  return error._tag === "Unreachable" ? new Unreachable(fields) : new OutcomeUnknown(fields)
}

/** A success that does not keep the contract at `path`. */
export const contractViolation = (operation: Operation, path: string, response?: ResponseInfo): ContractViolation =>
  new ContractViolation({
    operation: operation.name,
    path,
    ...(response === undefined ? {} : infoFields(response))
  })

/** An invalid request of the caller, refused here in place of the service. */
export const invalidRequest = (part: string): InvalidRequest =>
  new InvalidRequest({ code: "invalid_request", description: `The request cannot be sent because of ${part}` })

/** A value that its schema refused: one to send, or with a response one that arrived. */
export const undecoded = (
  operation: Operation,
  issue: ParseResult.ParseIssue,
  response: ResponseInfo | undefined
): InvalidRequest | ContractViolation => {
  const path = pathOf(issue)
  return response === undefined ? invalidRequest(`its field ${path}`) : contractViolation(operation, path, response)
}

const infoFields = ({ requestId, status }: ResponseInfo) => ({
  status,
  ...(requestId === undefined ? {} : { requestId })
})

/**
 * The path of the first field that did not decode, such as `tasks.0.status`, or `body` for the whole body.
 * Never reads a value, which may be secret, huge or deeply nested.
 */
const pathOf = (issue: ParseResult.ParseIssue): string => {
  const keys: Array<string> = []
  let current: ParseResult.ParseIssue | undefined = issue
  while (current !== undefined) {
    if (current._tag === "Pointer") keys.push(...[current.path].flat().map(String))
    current = "issues" in current ? [current.issues].flat()[0] : "issue" in current ? current.issue : undefined
  }
  return keys.join(".").slice(0, 200) || "body"
}
