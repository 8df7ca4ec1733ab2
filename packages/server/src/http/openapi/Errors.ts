import type { ContractOptions } from "../../config/ContractOptions.ts"
import type { Json } from "./StrictSchema.ts"

/**
 * The error schemas: `Error`, and `EnvelopedError` of the endpoints that answer in envelopes (contract decisions 4,
 * 6).
 */
export const schemas = ({ errorShape }: ContractOptions): Json => {
  const oauth = {
    error: { type: "string", description: "What went wrong, as one word.", "x-extensible-enum": words },
    error_description: { type: "string", description: "What went wrong and what to do, for people." }
  }
  const requestId = { request_id: { type: "string", description: "The trace id, also in `x-request-id`. Report it." } }
  const msg = { msg: { type: "string", description: "The same as `error_description`." } }
  const shape = (code: Json): Json => {
    const properties = {
      ...(errorShape === "envelope" ? {} : oauth),
      ...(errorShape === "oauth" ? {} : { code, ...msg }),
      ...requestId
    }
    return { type: "object", required: Object.keys(properties), properties }
  }
  return {
    Error: shape({ type: "string", description: "The same word as `error`." }),
    EnvelopedError: shape({ type: "integer", description: "The HTTP status." })
  }
}

/** The answer of a status, with the words that it comes with there. */
export const response = (status: number, enveloped: boolean): Json => ({
  description: meanings[status] ?? "Something went wrong.",
  headers: {
    "x-request-id": header("RequestId"),
    ...(status === 429 || status === 503 ? { "retry-after": header("RetryAfter") } : {}),
    ...(status === 401 || status === 403 ? { "www-authenticate": header("WwwAuthenticate") } : {})
  },
  content: {
    "application/json": { schema: { $ref: `#/components/schemas/${enveloped ? "EnvelopedError" : "Error"}` } }
  }
})

/** A reference to a header of {@link headers}. */
export const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })

/** The headers that answers share. */
export const headers: Json = {
  RequestId: { description: "The trace id of this request.", required: true, schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", required: true, schema: { type: "integer", minimum: 1 } },
  WwwAuthenticate: {
    description: "The challenge; for `insufficient_scope` with the scopes that are needed (RFC 6750).",
    schema: { type: "string" }
  },
  Location: { description: "Where the new resource is read.", required: true, schema: { type: "string" } },
  CacheControl: { description: "`private, no-store`: the answer is one user's.", schema: { type: "string" } }
}

const words = [
  "invalid_request",
  "unsupported_grant_type",
  "invalid_grant",
  "invalid_scope",
  "invalid_token",
  "invalid_client",
  "access_denied",
  "insufficient_scope",
  "forbidden",
  "not_found",
  "rate_limited",
  "server_error",
  "temporarily_unavailable"
]

const meanings: Readonly<Record<number, string>> = {
  400: "`invalid_request`: something is missing or malformed; the description names the field. Or `invalid_grant`, final, and `unsupported_grant_type` and `invalid_scope` where they apply.",
  401: "`invalid_token`: the access token is missing, wrong or expired. At the token endpoint `invalid_client`.",
  403: "`insufficient_scope`: the token lacks the scope that `WWW-Authenticate` names. `access_denied`: the application is not active, or the account may not. `forbidden`: the local assistant refused.",
  404: "`not_found`: there is no such thing, or it belongs to someone else.",
  409: "`invalid_request`: the key was used with another body, or it was already handled. Do not send it again.",
  413: "`invalid_request`: the body is too large.",
  415: "`invalid_request`: the body is no `application/json`.",
  429: "`rate_limited`: too many requests. Wait as `Retry-After` says.",
  500: "`server_error`: the service failed. Report it with the `request_id`.",
  502: "`server_error`: the local assistant failed.",
  503: "`temporarily_unavailable`: not now. Wait as `Retry-After` says."
}
