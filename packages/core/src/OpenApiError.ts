import * as Schema from "effect/Schema"
import * as ErrorResponse from "./internal/ErrorResponse.ts"
import { ended, requestNote } from "./internal/Sentence.ts"
import { Refusal } from "./Refusal.ts"

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

/** What came of a response that is no refusal: its HTTP status and its request id. */
const response = {
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * The request did not reach the service, or it only reads and its answer was lost. Nothing was changed. `status` and
 * `requestId` are those of the part of an answer that came, or of the answer that kept the token from being renewed.
 */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  operation: Schema.String,
  reason: Schema.String,
  ...response
}) {
  override get message(): string {
    return `${this.operation} got no answer: ${this.reason}.${requestNote(this.requestId)} Nothing was changed. Try again later.`
  }
}

/**
 * A write may or may not have been carried out: the connection broke or timed out after it was sent, or the answer was
 * 500, 502 or 504. It is not sent again. `status` and `requestId` are those of what came of an answer.
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  operation: Schema.String,
  reason: Schema.String,
  ...response
}) {
  override get message(): string {
    const happened =
      this.status !== undefined && this.status >= 500
        ? `but the service answered ${this.status}`
        : "but its answer was lost"
    return `${this.operation} was sent, ${happened}: ${ended(this.reason)}${requestNote(this.requestId)} It may have taken effect; look before trying again.`
  }
}

/**
 * The grant is dead and its user has to connect again. Raised by implementations of {@link AccessToken}; `status`,
 * `description` and `requestId` are those of the refusal that ended it, where one did.
 */
export class Reauthorize extends Schema.TaggedError<Reauthorize>()("Reauthorize", {
  reason: Schema.String,
  ...response,
  description: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message(): string {
    const words = this.description === undefined ? "." : ` (“${this.description}”).`
    return `The account has to be connected again: ${this.reason}${words}${requestNote(this.requestId)}`
  }
}

/** Everything that a call of the Open API can fail with. */
export type OpenApiError = Refusal | ContractViolation | Unreachable | OutcomeUnknown | Reauthorize

/**
 * Turns an answer that is no success into its error: total over every status, body and header.
 * `operation` decides what a bare 401 means: at the token endpoint the client is wrong, elsewhere the token.
 * `secrets` of the request never appear in the result, even where the service echoes them.
 */
export const fromResponse = (answer: ErrorResponse.HttpErrorResponse): Refusal => {
  const { tag, ...fields } = ErrorResponse.read(answer)
  return new classes[tag](fields)
}

/**
 * Writes an error as the service's answer: the one body of contract decision 4 and the headers that belong to it.
 * `credentials` says what the request carried: with `none` the challenge names no error (contract decision 11),
 * with `basic` the client tried HTTP Basic and is challenged for it. `shape` leaves out what only the other of the two
 * shapes has; with `envelope` the numeric `code` of the enveloped endpoints stands where the word would (contract
 * decision 6).
 */
export const toResponse: (
  error: Refusal,
  requestId: string,
  options?: ErrorResponse.WriteOptions
) => { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } =
  ErrorResponse.write

type Class = new (fields: Omit<ErrorResponse.ErrorFields, "tag">) => Refusal

const classes = Object.fromEntries(Refusal.members.map((member) => [member._tag, member])) as unknown as Readonly<
  Record<Refusal["_tag"], Class>
>
