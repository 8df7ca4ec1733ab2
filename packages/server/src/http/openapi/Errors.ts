import * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Option from "effect/Option"
import * as AST from "effect/SchemaAST"
import type { ContractOptions } from "../../config/ContractOptions.ts"
import type { Json } from "./StrictSchema.ts"

/**
 * The error schemas: `Error`, and `EnvelopedError` of the endpoints that answer in envelopes (contract decisions 4,
 * 6).
 */
export const schemas = ({ errorShape }: ContractOptions): Json => {
  const oauth = {
    error: { type: "string", description: "The error as one word.", "x-extensible-enum": words },
    error_description: { type: "string", description: "The error and the remedy, for people." }
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

/**
 * The responses for errors of the contract, by status. The status and the description of each error are its annotations;
 * errors without a description and those of `neverSent` are left out. `page` says that a browser gets them as a page.
 */
export const responses = (
  errors: AST.AST,
  options: { readonly enveloped: boolean; readonly page?: boolean; readonly neverSent?: ReadonlyArray<AST.AST> }
): Json => {
  const descriptions = new Map<number, ReadonlyArray<string>>()
  for (const error of membersOf(errors)) {
    if (error === HttpApiError.HttpApiDecodeError.ast || options.neverSent?.includes(error) === true) continue
    const status = HttpApiSchema.getStatusErrorAST(error)
    descriptions.set(status, [...(descriptions.get(status) ?? []), ...descriptionOf(error)])
  }
  return Object.fromEntries(
    [...descriptions].map(([status, texts]) => [status, response(status, texts.join(" "), options)])
  )
}

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> => (AST.isUnion(ast) ? ast.types.flatMap(membersOf) : [ast])

const descriptionOf = (error: AST.AST): ReadonlyArray<string> =>
  Option.toArray(
    Option.orElse(AST.getDescriptionAnnotation(error), () =>
      AST.isTransformation(error) ? AST.getDescriptionAnnotation(error.to) : Option.none()
    )
  )

/** A page for a browser. */
export const htmlPage: Json = { "text/html": { schema: { type: "string" } } }

const response = (
  status: number,
  description: string,
  { enveloped, page = false }: Parameters<typeof responses>[1]
): Json => ({
  description,
  headers: {
    "x-request-id": header("RequestId"),
    ...(status === 429 || status === 503 ? { "retry-after": header("RetryAfter") } : {}),
    ...(status === 401 || status === 403 ? { "www-authenticate": header("WwwAuthenticate") } : {})
  },
  content: {
    "application/json": { schema: { $ref: `#/components/schemas/${enveloped ? "EnvelopedError" : "Error"}` } },
    ...(page ? htmlPage : {})
  }
})

/** A reference to a header of {@link headers}. */
export const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` })

/** The headers that answers share. */
export const headers: Json = {
  RequestId: { description: "The trace id of this request.", required: true, schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", required: true, schema: { type: "integer", minimum: 1 } },
  WwwAuthenticate: {
    description: "The challenge; for `insufficient_scope` with the required scopes (RFC 6750).",
    schema: { type: "string" }
  },
  Location: { description: "The address of the new resource.", required: true, schema: { type: "string" } },
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
