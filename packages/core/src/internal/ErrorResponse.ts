import type * as Redacted from "effect/Redacted"
import { known as knownScopes } from "../domain/Scope.ts"
import type { Refusal } from "../Refusal.ts"
import * as Challenge from "../Challenge.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as ErrorCode from "./ErrorCode.ts"
import * as RetryAfter from "./RetryAfter.ts"
import * as Secrets from "./Secrets.ts"

/** An error response, as received over HTTP. */
export interface HttpErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly operation: string
  readonly secrets?: ReadonlyArray<Redacted.Redacted>
}

/** The class of an error and its fields. */
export interface ErrorFields {
  readonly tag: ErrorCode.Tag
  readonly status: number
  readonly code: string
  readonly description: string
  readonly requestId?: string
  readonly retryAfter?: number
  /** The scopes that the operation needs, of an `InsufficientScope`. */
  readonly required: ReadonlyArray<string>
}

/** Reads an error response from its status, headers and body. The result contains none of the `secrets`. */
export const read = ({ operation, status, secrets = [], ...answer }: HttpErrorResponse): ErrorFields => {
  const header = lookup(answer.headers)
  const redact = Secrets.redactor(secrets)
  const challenges = Challenge.parse(header("www-authenticate") ?? "")
  const bearer = challenges.find((challenge) => challenge.scheme === "bearer")?.params
  const body = ErrorBody.read(answer.body)
  const errorCode = ErrorCode.choose(status, body.code, bearer?.get("error"))
  const atTokenEndpoint = operation.startsWith("token") || challenges.some(({ scheme }) => scheme === "basic")
  const tag = ErrorCode.classify(status, errorCode ?? (status === 401 && atTokenEndpoint ? "invalid_client" : ""))
  const rawDescription = body.description ?? bearer?.get("error_description") ?? ""
  const description = ErrorBody.sanitize(rawDescription, 500, redact) || `${operation} answered ${status}`
  // Redacts before the code is normalized, because a secret in another spelling would not be found.
  const redactCode = (code: string) => (ErrorCode.isKnown(code) ? code : redact(code))
  const redactedCode = ErrorCode.choose(status, mapped(body.code, redactCode), mapped(bearer?.get("error"), redactCode))
  const rawCode = redactedCode ?? (tag === "EnvelopeError" ? body.number : undefined) ?? ""
  const code = ErrorCode.isKnown(rawCode)
    ? rawCode
    : ErrorBody.sanitize(rawCode, 64, redact) || ErrorCode.defaultCode(tag, status)
  const requestId = ErrorBody.requestId(body.requestId ?? header("x-request-id") ?? header("request-id") ?? "", redact)
  const retryAfter = RetryAfter.seconds(header("retry-after"), header("date"))
  return {
    tag,
    status,
    code,
    description,
    ...(requestId === "" ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    required:
      tag === "InsufficientScope" ? requiredScopes(bearer?.get("scope") ?? body.scope, rawDescription, redact) : []
  }
}

/** How an error is written: what the request carried, and which of the two shapes a service gives. */
export interface WriteOptions {
  readonly credentials?: "none" | "basic"
  readonly shape?: "superset" | "oauth" | "envelope"
  readonly envelope?: boolean
}

/** Writes a refusal as a response: status, headers and the one body of contract decision 4. */
export const write = (
  error: Refusal,
  requestId: string,
  options?: WriteOptions
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } => {
  const status = ErrorCode.statusOf(error)
  const code = ErrorCode.wordFor(error, status)
  const description = ErrorBody.sanitize(error.description, 500)
  const challenge = challengeOf(error, description, options?.credentials)
  const trace = ErrorBody.requestId(requestId)
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-request-id": trace,
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      ...(error.retryAfter === undefined ? {} : { "retry-after": String(Math.max(0, Math.ceil(error.retryAfter))) })
    },
    body: JSON.stringify({
      ...(options?.shape === "envelope" ? {} : { error: code, error_description: description }),
      ...(options?.shape === "oauth" ? {} : { code: options?.envelope === true ? status : code, msg: description }),
      request_id: trace
    })
  }
}

const challengeOf = (
  error: Refusal,
  description: string,
  credentials: "none" | "basic" | undefined
): string | undefined => {
  switch (error._tag) {
    case "InvalidToken":
      return credentials === "none"
        ? Challenge.format("Bearer", { realm: "openapi" })
        : Challenge.format("Bearer", { realm: "openapi", error: "invalid_token", error_description: description })
    case "InsufficientScope":
      return Challenge.format("Bearer", {
        realm: "openapi",
        error: "insufficient_scope",
        error_description: description,
        scope: error.required.join(" ")
      })
    case "InvalidClient":
      return credentials === "basic" ? Challenge.format("Basic", { realm: "openapi" }) : undefined
    default:
      return undefined
  }
}

/** The scopes that a refusal names, or else the known ones that its description mentions (contract decision 51). */
const requiredScopes = (
  scope: string | undefined,
  description: string,
  redact: (text: string) => string
): ReadonlyArray<string> =>
  scope === undefined
    ? knownScopes.filter((known) => description.includes(known))
    : [...new Set(ErrorBody.sanitize(scope, 1000, redact).split(/\s+/))].filter((word) => word !== "")

const mapped = (text: string | undefined, change: (text: string) => string): string | undefined =>
  text === undefined ? undefined : change(text)

const lookup = (headers: Readonly<Record<string, string | undefined>>) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string): string | undefined => lower.get(name)
}
