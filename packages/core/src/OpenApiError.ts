import * as Schema from "effect/Schema"
import * as ErrorResponse from "./internal/ErrorResponse.ts"
import { withFullStop, requestNote } from "./internal/Sentence.ts"
import { Refusal, UnexpectedStatus } from "./Refusal.ts"

export * from "./Refusal.ts"

/**
 * The service answered with success, but a used field is missing or of the wrong type. `path` names it; the error
 * never holds its value. A write has taken effect all the same.
 */
export class ContractViolation extends Schema.TaggedError<ContractViolation>()("ContractViolation", {
  operation: Schema.String,
  path: Schema.String,
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    return `The service's answer to ${this.operation} does not keep its contract at "${this.path}".${requestNote(this.requestId)} If it was a write, it has taken effect: do not send it again.`
  }
}

/** The HTTP status and the request id of the response, if there was one. */
const responseFields = {
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * The request did not reach the service, or it only reads and its answer was lost. Nothing was changed. `status` and
 * `requestId` are those of an incomplete response, or of the response that refused to renew the token.
 */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  operation: Schema.String,
  reason: Schema.String,
  ...responseFields
}) {
  override get message(): string {
    return `${this.operation} got no answer: ${this.reason}.${requestNote(this.requestId)} Nothing was changed. Try again later.`
  }
}

/**
 * A write may or may not have been carried out. The connection broke or timed out after it was sent, or the answer was
 * 500, 502, 503 or 504. For a new task or message, 409 and statuses outside the document count, too. The client does
 * not repeat it. `status` and `requestId` are those of the response, if one arrived; `retryAfter` is the time in seconds
 * that the service asked to wait.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  reason: Schema.String,
  ...responseFields,
  retryAfter: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message(): string {
    const problem =
      this.status !== undefined && (this.status < 200 || this.status >= 300)
        ? `but the service answered ${this.status}`
        : "but its answer was lost"
    return `${this.operation} was sent, ${problem}: ${withFullStop(this.reason)}${requestNote(this.requestId)} It may have taken effect; look before trying again.`
  }
}

/**
 * The grant has ended and its user has to connect again. Raised by implementations of {@link AccessToken}; `status`,
 * `description` and `requestId` are those of the refusal that ended it, where one did.
 */
export class Reauthorize extends Schema.TaggedError<Reauthorize>()("Reauthorize", {
  reason: Schema.String,
  ...responseFields,
  description: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    const quotedDescription = this.description === undefined ? "." : ` (“${this.description}”).`
    return `The account has to be connected again: ${this.reason}${quotedDescription}${requestNote(this.requestId)}`
  }
}

/** Every error of a call of the Open API. */
export type OpenApiError = Refusal | ContractViolation | Unreachable | OutcomeUnknown | Reauthorize

/**
 * Turns an error response into its error, whatever its status, body and headers.
 * `operation` decides what a bare 401 means: at the token endpoint the client is wrong, elsewhere the token.
 * `secrets` of the request never appear in the result, even where the service echoes them.
 */
export const fromResponse = (answer: ErrorResponse.HttpErrorResponse): Refusal => {
  const { tag, ...fields } = ErrorResponse.read(answer)
  const refusalClass = Refusal.members.find((member) => member._tag === tag) ?? UnexpectedStatus
  return new refusalClass(fields)
}

/**
 * Writes an error as a response: the body of contract decision 4 and its headers. `credentials` says what the request
 * carried. With `none` the challenge names no error (contract decision 11). With `basic` the client used HTTP Basic and
 * gets a Basic challenge. `shape` selects the fields of the body. With `hasNumericCode`, `code` is the HTTP status, as
 * on the enveloped endpoints (contract decision 6).
 */
export const toResponse: (
  error: Refusal,
  requestId: string,
  options?: ErrorResponse.WriteOptions
) => { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } =
  ErrorResponse.write
