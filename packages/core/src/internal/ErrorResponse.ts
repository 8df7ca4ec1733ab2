import type * as Redacted from "effect/Redacted"
import { knownScopes } from "../domain/Scope.ts"
import type { Refusal } from "../Refusal.ts"
import * as Challenge from "../Challenge.ts"
import * as ErrorBody from "./ErrorBody.ts"
import * as ErrorCode from "./ErrorCode.ts"
import * as RetryAfter from "../RetryAfter.ts"
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
  /** The scopes that the operation needs; empty unless the error is `InsufficientScope`. */
  readonly required: ReadonlyArray<string>
}

/** Reads an error response from its status, headers and body. The result contains none of the `secrets`. */
export const read = ({ operation, status, secrets = [], ...response }: HttpErrorResponse): ErrorFields => {
  const header = caseInsensitive(response.headers)
  const redact = Secrets.redactor(secrets)
  const challenges = Challenge.parse(header("www-authenticate") ?? "")
  const bearer = challenges.find((challenge) => challenge.scheme === "bearer")?.params
  const body = ErrorBody.read(response.body)
  const errorCode = ErrorCode.resolve(status, body.code, bearer?.get("error"))
  const isTokenEndpoint = operation.startsWith("token") || challenges.some(({ scheme }) => scheme === "basic")
  // A request for tokens carries no token of a user that could be renewed.
  const saysNothing = errorCode === undefined || (errorCode === "unauthorized" && operation.startsWith("token"))
  const isClientRefused = status === 401 && isTokenEndpoint && saysNothing
  // Only the token endpoint says this of a device code.
  const hasTokenExpired = status === 401 && !isTokenEndpoint && errorCode === "expired_token"
  const meantCode = isClientRefused ? "invalid_client" : hasTokenExpired ? "invalid_token" : (errorCode ?? "")
  const tag = ErrorCode.classify(status, meantCode)
  const rawDescription = body.description ?? bearer?.get("error_description") ?? ""
  const description = ErrorBody.sanitize(rawDescription, 500, redact) || `${operation} answered ${status}`
  // Redacts before the code is normalized, because a secret in another spelling would not be found.
  const redactCode = (code: string) => (ErrorCode.isKnown(code) ? code : redact(code))
  const redactedCode = ErrorCode.resolve(
    status,
    mapDefined(body.code, redactCode),
    mapDefined(bearer?.get("error"), redactCode)
  )
  const rawCode = redactedCode ?? (tag === "EnvelopeError" ? body.numericCode : undefined) ?? ""
  const code = ErrorCode.isKnown(rawCode)
    ? rawCode
    : ErrorBody.sanitize(rawCode, 64, redact) || ErrorCode.defaultCode(tag, status)
  const requestId = ErrorBody.sanitizeRequestId(
    body.requestId ?? header("x-request-id") ?? header("request-id") ?? "",
    redact
  )
  const retryAfter = RetryAfter.parseSeconds(header("retry-after"), header("date"), Date.now())
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

/** How an error is written: the credentials of the request, and the shape of the body. */
export interface WriteOptions {
  readonly credentials?: "none" | "basic"
  readonly shape?: "superset" | "oauth" | "envelope"
  /** Sends the HTTP status as `code`, as the enveloped endpoints do. */
  readonly hasNumericCode?: boolean
}

/** Writes a refusal as a response: status, headers and the body of contract decision 4. */
export const write = (
  error: Refusal,
  requestId: string,
  options?: WriteOptions
): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } => {
  const status = ErrorCode.statusOf(error)
  const code = ErrorCode.codeFor(error, status)
  const description = ErrorBody.sanitize(error.description, 500)
  const challenge = challengeOf(error, description, options?.credentials)
  const safeRequestId = ErrorBody.sanitizeRequestId(requestId)
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-request-id": safeRequestId,
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      ...(error.retryAfter === undefined ? {} : { "retry-after": String(Math.max(0, Math.ceil(error.retryAfter))) })
    },
    body: JSON.stringify({
      ...(options?.shape === "envelope" ? {} : { error: code, error_description: description }),
      ...(options?.shape === "oauth"
        ? {}
        : { code: options?.hasNumericCode === true ? status : code, msg: description }),
      request_id: safeRequestId
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

/** The scopes that a refusal lists, or else the contract's scopes in its description (contract decision 51). */
const requiredScopes = (
  scope: string | undefined,
  description: string,
  redact: (text: string) => string
): ReadonlyArray<string> =>
  scope === undefined
    ? knownScopes.filter((known) => description.includes(known))
    : [...new Set(ErrorBody.sanitize(scope, 1000, redact).split(/\s+/))].filter((name) => name !== "")

const mapDefined = (text: string | undefined, change: (text: string) => string): string | undefined =>
  text === undefined ? undefined : change(text)

const caseInsensitive = (headers: Readonly<Record<string, string | undefined>>) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string): string | undefined => lower.get(name)
}
