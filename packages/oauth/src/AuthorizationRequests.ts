import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type { InvalidBaseUrl } from "@heddle/core/BaseUrl"
import type { Refusal } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as AuthorizationRequest from "./AuthorizationRequest.ts"
import * as AuthorizationResponse from "./AuthorizationResponse.ts"
import type { EncryptionKey } from "./EncryptionKey.ts"
import * as PendingRequests from "./internal/PendingRequests.ts"
import type { TokenStoreUnavailable } from "./TokenStore.ts"

/** An authorization code with the request that it answers, and who asked. */
export interface Answered {
  readonly code: Redacted.Redacted
  readonly request: AuthorizationRequest.AuthorizationRequest
  readonly askedBy: string
}

/** How a callback is checked. */
export interface Expectation extends AuthorizationResponse.Options {
  /**
   * Who is signed in where the callback arrives: a request that somebody else made is refused, and stays open.
   * Undefined only where nobody can be: then whoever follows a link that was meant for another connects their account
   * to that other, unless it is confirmed in another way.
   */
  readonly askedBy: string | undefined
}

/**
 * The authorizations that are under way, shared by every process: each is bound to whoever asked for it, good for one
 * callback and ten minutes.
 */
export class AuthorizationRequests extends Context.Tag("@heddle/oauth/AuthorizationRequests")<
  AuthorizationRequests,
  {
    /** Makes a request and keeps it for its callback; `askedBy` names the user in the caller's own words. */
    readonly begin: (
      options: AuthorizationRequest.Options & { readonly askedBy: string }
    ) => Effect.Effect<AuthorizationRequest.AuthorizationRequest, InvalidBaseUrl | TokenStoreUnavailable>
    /**
     * Takes the request that a callback answers out of use, whatever the answer is, and returns its authorization code.
     * Of two callbacks with one `state` exactly one succeeds; the other fails as `stateUsed`.
     */
    readonly finish: (
      params: URLSearchParams,
      expected: Expectation
    ) => Effect.Effect<Answered, AuthorizationResponse.CallbackRejected | Refusal | TokenStoreUnavailable>
  }
>() {}

const make = (pending: PendingRequests.PendingRequests): Context.Tag.Service<AuthorizationRequests> => ({
  begin: Effect.fn("AuthorizationRequests.begin")(function* ({ askedBy, ...options }) {
    const request = yield* AuthorizationRequest.make(options)
    yield* pending.add(request, askedBy)
    return request
  }),
  finish: Effect.fn("AuthorizationRequests.finish")(function* (params, { askedBy: expected, ...options }) {
    const state = yield* AuthorizationResponse.stateOf(params)
    const taken = yield* pending.take(state, expected)
    if (taken === "unknown" || taken === "used") {
      const reason = taken === "used" ? "stateUsed" : "stateForeign"
      return yield* new AuthorizationResponse.CallbackRejected({ reason })
    }
    const { code } = yield* AuthorizationResponse.read(params, taken.request, options)
    return { code, ...taken }
  })
})

/** Requests that end with the process. */
export const layerMemory: Layer.Layer<AuthorizationRequests> = Layer.sync(AuthorizationRequests, () =>
  make(PendingRequests.makeMemory())
)

/** Requests in the SQL database, their verifiers encrypted; needs the table that {@link migrate} creates. */
export const layerSql: Layer.Layer<AuthorizationRequests, never, SqlClient.SqlClient | EncryptionKey> = Layer.effect(
  AuthorizationRequests,
  Effect.map(PendingRequests.makeSql, make)
)

/** Creates the table `oauth_authorization_requests` unless it is there. */
export const migrate: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = PendingRequests.migrate
