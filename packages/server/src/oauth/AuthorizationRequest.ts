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

/** An authorization request that is in order (contract 4.1). */
export interface AuthorizationRequest {
  readonly application: Application
  readonly redirectUri: string
  readonly scopes: ReadonlySet<Scope>
  readonly state: string | undefined
  readonly codeChallenge: string | undefined
}

/** The client_id or redirect_uri is invalid: the error is shown here, without a redirect (RFC 6749 4.1.2.1). */
export interface Untrusted {
  readonly _tag: "Untrusted"
  readonly refusal: InvalidRequest | InvalidClient
}

/** The request has a fault that its application has to know: the person is sent back with it. */
export interface Faulty {
  readonly _tag: "Faulty"
  readonly refusal: InvalidRequest | InvalidScope | Unsupported
  readonly redirectUri: string
  readonly state: string | undefined
}

/** The names of the parameters that make up a request; everything else is ignored (contract decision 22). */
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

/** Checks a request: first whom it comes from, then what it asks (contract decisions 36–40). */
export const parse = (
  parameters: URLSearchParams
): Effect.Effect<AuthorizationRequest, Untrusted | Faulty, Applications | ServerConfig> =>
  Effect.gen(function* () {
    const { application, redirectUri } = yield* origin(parameters).pipe(
      Effect.mapError((refusal): Untrusted => ({ _tag: "Untrusted", refusal }))
    )
    const states = parameters.getAll("state")
    const state = states.length === 1 && (states[0] ?? "").length <= 2048 ? states[0] : undefined
    return yield* question(parameters, application).pipe(
      Effect.map((asked) => ({ ...asked, application, redirectUri, state })),
      Effect.mapError((refusal): Faulty => ({ _tag: "Faulty", refusal, redirectUri, state }))
    )
  })

/**
 * What is granted of the scopes that were asked for: all, or where users may choose what they ticked (contract
 * decision 33). `chosen` is undefined where they were not offered a choice; choosing nothing is saying no.
 */
export const granted = (
  scopes: ReadonlySet<Scope>,
  chosen: ReadonlyArray<string> | undefined,
  partialConsent: boolean
): ReadonlySet<Scope> =>
  partialConsent && chosen !== undefined ? new Set([...scopes].filter((scope) => chosen.includes(scope))) : scopes

const origin = Effect.fnUntraced(function* (parameters: URLSearchParams) {
  for (const name of ["client_id", "redirect_uri"]) {
    const count = parameters.getAll(name).length
    if (count !== 1) {
      return yield* ApiError.invalidRequest(
        `The parameter ${name} is ${count === 0 ? "missing" : "given more than once"}.`
      )
    }
  }
  const { contract } = yield* ServerConfig
  const found = yield* (yield* Applications).get(parameters.get("client_id") ?? "")
  const application = Option.getOrUndefined(
    Option.filter(found, (each) => each.active && (contract.publicClients || !each.public))
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

const question = Effect.fnUntraced(function* (parameters: URLSearchParams, application: Application) {
  const form = yield* Parameters.parse(known(parameters))
  const responseType = yield* form.required("response_type")
  if (responseType !== "code") return yield* ApiError.unsupportedResponseType("The response_type must be code.")
  if ((form.optional("state") ?? "").length > 2048) {
    return yield* ApiError.invalidRequest("The state is longer than 2048 characters.")
  }
  const codeChallenge = yield* challenge(form, application)

  if (application.scopes.size === 0) return yield* ApiError.invalidScope("The application has no bound scope.")
  const asked = form.optional("scope")
  const scopes = asked === undefined ? application.scopes : decodeScopes(asked)
  const beyond = [...scopes].filter((scope) => !application.scopes.has(scope))
  if (beyond.length > 0 || scopes.size === 0) {
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

const known = (parameters: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...parameters].filter(([name]) => parameterNames.some((parameter) => parameter === name)))

const decodeScopes = Schema.decodeSync(ScopeSet)
