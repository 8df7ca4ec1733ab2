import { ScopeSet, type Scope } from "@heddle/core/domain/Scope"
import type { InvalidClient, InvalidRequest, InvalidScope, Unsupported } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Applications, type Application } from "./Applications.ts"
import * as Parameters from "../internal/Parameters.ts"
import * as RedirectUri from "./RedirectUri.ts"
import * as ApiError from "../internal/ApiError.ts"
import { ServerConfig } from "../config/ServerConfig.ts"

/** A valid authorization request (contract 4.1). */
export interface AuthorizationRequest {
  readonly application: Application
  readonly redirectUri: string
  readonly scopes: ReadonlySet<Scope>
  readonly state: string | undefined
  readonly codeChallenge: string | undefined
}

/** The client_id or redirect_uri is invalid: the error is shown here, without a redirect (RFC 6749 4.1.2.1). */
export interface UntrustedRequest {
  readonly _tag: "Untrusted"
  readonly refusal: InvalidRequest | InvalidClient
}

/** The request is invalid: the person is redirected to the application with the error. */
export interface InvalidAuthorizationRequest {
  readonly _tag: "Faulty"
  readonly refusal: InvalidRequest | InvalidScope | Unsupported
  readonly redirectUri: string
  readonly state: string | undefined
}

/** The names of the parameters that make up a request; all others are ignored (contract decision 22). */
export const parameterNames = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "ui_locales"
] as const

/** Checks a request: first the client and its redirect URI, then the parameters (contract decisions 36–40). */
export const parse = (
  parameters: URLSearchParams
): Effect.Effect<AuthorizationRequest, UntrustedRequest | InvalidAuthorizationRequest, Applications | ServerConfig> =>
  Effect.gen(function* () {
    const { application, redirectUri } = yield* checkClient(parameters).pipe(
      Effect.mapError((refusal): UntrustedRequest => ({ _tag: "Untrusted", refusal }))
    )
    const states = parameters.getAll("state")
    const state = states.length === 1 && (states[0] ?? "").length <= 2048 ? states[0] : undefined
    return yield* checkParameters(parameters, application).pipe(
      Effect.map((checked) => ({ ...checked, application, redirectUri, state })),
      Effect.mapError((refusal): InvalidAuthorizationRequest => ({ _tag: "Faulty", refusal, redirectUri, state }))
    )
  })

/**
 * The granted scopes of a request: all, or with partial consent those that the user selected (contract decision 33).
 * `selected` is undefined if the page offered no choice; an empty selection denies the request.
 */
export const grantedScopes = (
  scopes: ReadonlySet<Scope>,
  selected: ReadonlyArray<string> | undefined,
  partialConsent: boolean
): ReadonlySet<Scope> =>
  partialConsent && selected !== undefined ? new Set([...scopes].filter((scope) => selected.includes(scope))) : scopes

const checkClient = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  for (const name of ["client_id", "redirect_uri"]) {
    const count = parameters.getAll(name).length
    if (count !== 1) {
      return yield* ApiError.invalidRequest(
        `The parameter ${name} is ${count === 0 ? "missing" : "given more than once"}.`
      )
    }
  }
  const { contract } = yield* ServerConfig
  const storedApplication = yield* (yield* Applications).get(parameters.get("client_id") ?? "")
  const application = Option.getOrUndefined(
    Option.filter(storedApplication, ({ active, public: isPublic }) => active && (contract.publicClients || !isPublic))
  )
  if (application === undefined) {
    return yield* ApiError.invalidClient("The application is not known here, or it is not active.")
  }
  const redirectUri = parameters.get("redirect_uri") ?? ""
  const matches = RedirectUri.matches(contract.loopbackPort)
  if (!application.redirectUris.some((registered) => matches(registered, redirectUri))) {
    return yield* ApiError.invalidRequest(
      `The redirect_uri is not one that ${application.name} has registered, to the letter.`
    )
  }
  return { application, redirectUri }
})

const checkParameters = Effect.fnUntraced(function* (parameters: URLSearchParams, application: Application) {
  const form = yield* Parameters.parse(knownParameters(parameters))
  const responseType = yield* form.required("response_type")
  if (responseType !== "code") return yield* ApiError.unsupportedResponseType("The response_type must be code.")
  if ((form.optional("state") ?? "").length > 2048) {
    return yield* ApiError.invalidRequest("The state is longer than 2048 characters.")
  }
  const codeChallenge = yield* challenge(form, application)

  if (application.scopes.size === 0) return yield* ApiError.invalidScope("The application has no bound scope.")
  const scope = form.optional("scope")
  const scopes = scope === undefined ? application.scopes : decodeScopes(scope)
  const exceedsApplication = [...scopes].some((name) => !application.scopes.has(name))
  if (exceedsApplication || scopes.size === 0) {
    return yield* ApiError.invalidScope("The requested scope exceeds what the application is bound to.")
  }
  return { scopes, codeChallenge }
})

/** The PKCE challenge (RFC 7636 4.3): S256 only, and a challenge without a method would mean `plain`. */
const challenge = Effect.fnUntraced(function* (form: Parameters.Parameters, application: Application) {
  const { contract } = yield* ServerConfig
  const value = form.optional("code_challenge")
  const method = form.optional("code_challenge_method")
  if (value === undefined) {
    if (method !== undefined) return yield* ApiError.invalidRequest("The parameter code_challenge is missing.")
    if (contract.requirePkce || application.public) {
      return yield* ApiError.invalidRequest("PKCE is required here: send a code_challenge.")
    }
    return undefined
  }
  if (method !== "S256") return yield* ApiError.invalidRequest("The code_challenge_method must be S256.")
  if (!/^[A-Za-z0-9_-]{43}$/.test(value)) {
    return yield* ApiError.invalidRequest("The code_challenge is not the base64url form of a SHA-256 hash.")
  }
  return value
})

const knownParameters = (parameters: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...parameters].filter(([name]) => parameterNames.some((parameter) => parameter === name)))

const decodeScopes = Schema.decodeSync(ScopeSet)
