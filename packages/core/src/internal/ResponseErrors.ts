import { ContractViolation, type OpenApiError, OutcomeUnknown, Unreachable } from "../OpenApiError.ts"
import type { Operation } from "../Operation.ts"
import type { ResponseInfo } from "./Attempt.ts"

/** A request without a response: a write may have been received. */
export const lostResponse = (operation: Operation, reason: string): Unreachable | OutcomeUnknown =>
  operation.repeat === "safe"
    ? new Unreachable({ operation: operation.name, reason })
    : new OutcomeUnknown({ operation: operation.name, reason })

/**
 * The `OutcomeUnknown` of a write that a failure of the service leaves in doubt: 500, 502, 503 or 504. With 503 a token
 * request, which has no key, stays a failure: sent again, it creates nothing twice.
 */
export const uncertainWrite = ({ keyIn, name, repeat }: Operation, error: OpenApiError): OutcomeUnknown | undefined => {
  if (repeat === "safe" || error._tag !== "ServiceFailure") return undefined
  if (error.status === 503 && keyIn === undefined) return undefined
  const { description, requestId, status } = error
  return new OutcomeUnknown({ operation: name, reason: description, ...infoFields({ status, requestId }) })
}

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

const infoFields = ({ requestId, status }: ResponseInfo) => ({
  status,
  ...(requestId === undefined ? {} : { requestId })
})
