import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { InvalidClient, InvalidRequest, RateLimited } from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Crypto from "node:crypto"
import { Applications, wrongCredentials, type Application } from "../../oauth/Applications.ts"
import { Audit } from "../../audit/Audit.ts"
import * as IpAddress from "../../internal/IpAddress.ts"
import * as MonotonicClock from "@heddle/core/MonotonicClock"
import * as Attempts from "../../limits/Attempts.ts"
import type { Parameters } from "../../internal/Parameters.ts"
import * as ApiError from "../../internal/ApiError.ts"
import { RateLimits } from "../../limits/RateLimits.ts"
import { RequestContext } from "../message/RequestContext.ts"

/**
 * Authenticates applications (contract 4.2, decision 45) by credentials in the body or as HTTP Basic, never in the
 * query. After too many failures for one application from one address it refuses that pair without a check. A guesser
 * elsewhere therefore cannot lock the application out. Failures after authentication, such as invalid codes, do not
 * count.
 */
export class ClientAuthentication extends Context.Tag("@heddle/server/http/oauth/ClientAuthentication")<
  ClientAuthentication,
  {
    /**
     * Returns the application that sent a form. The device flow names an inactive one as such (contract decision 9).
     */
    readonly check: (
      form: Parameters,
      options?: { readonly isDeviceFlow?: boolean }
    ) => Effect.Effect<Application, InvalidClient | InvalidRequest | RateLimited, HttpServerRequest.HttpServerRequest>
  }
>() {}

export const layer: Layer.Layer<ClientAuthentication, never, Applications | Audit | RateLimits> = Layer.effect(
  ClientAuthentication,
  Effect.gen(function* () {
    const applications = yield* Applications
    const audit = yield* Audit
    const windowMillis = Duration.toMillis("10 minutes")
    const limits = yield* RateLimits
    // Requests with random client ids must not fill the audit log.
    const auditAttempts = Attempts.make({ limit: 100, windowMillis })

    return {
      check: Effect.fn("ClientAuthentication.check")(function* (form, options) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { clientId, clientSecret } = yield* readCredentials(request, form)
        const address = Option.getOrElse(request.remoteAddress, () => "unknown")
        const rateLimited = limits.tokenBlocked(clientId, address)
        if (rateLimited !== undefined) return yield* rateLimited
        const now = yield* MonotonicClock.now
        const application = yield* applications.identify(clientId, clientSecret).pipe(
          Effect.tapError(({ code }) => {
            limits.tokenFailed(clientId, address)
            return auditAttempts.begin(IpAddress.network(address), now) === undefined
              ? Effect.flatMap(applications.get(clientId), (registered) =>
                  audit.record({
                    action: "client_failed",
                    outcome: code,
                    clientId: Option.isSome(registered) ? clientId : hashUnknownClient(clientId)
                  })
                )
              : Effect.void
          })
        )
        const context = yield* RequestContext
        context.clientId = application.clientId
        if (application.active) return application
        return yield* options?.isDeviceFlow === true
          ? ApiError.unauthorizedClient("The application is not active.")
          : ApiError.invalidClient(wrongCredentials)
      })
    }
  })
)

/**
 * An unknown client_id may be a secret in the wrong field, so the audit log has its hash only.
 */
const hashUnknownClient = (clientId: string) => `unknown:${Crypto.hash("sha256", clientId).slice(0, 32)}`

interface Credentials {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted | undefined
}

const readCredentials = (
  request: HttpServerRequest.HttpServerRequest,
  form: Parameters
): Effect.Effect<Credentials, InvalidClient | InvalidRequest> =>
  Effect.gen(function* () {
    const authorization = request.headers["authorization"]
    const clientId = form.optional("client_id")
    const clientSecret = form.optional("client_secret")
    if (authorization !== undefined && /^basic /i.test(authorization)) {
      const basic = parseBasicCredentials(authorization)
      if (basic === undefined) return yield* ApiError.invalidClient("The Authorization header cannot be read.")
      if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
        return yield* ApiError.invalidRequest(
          "Send the client credentials in the body or in Authorization, not in both."
        )
      }
      return basic
    }
    if (clientId === undefined) return yield* ApiError.invalidClient("The client_id of the application is missing.")
    return { clientId, clientSecret: clientSecret === undefined ? undefined : Redacted.make(clientSecret) }
  })

/** Parses HTTP Basic, in which OAuth form-encodes both parts (RFC 6749 2.3.1). */
const parseBasicCredentials = (authorization: string): Credentials | undefined => {
  const text = Buffer.from(authorization.slice("basic ".length).trim(), "base64").toString("utf8")
  const colon = text.indexOf(":")
  if (colon < 0) return undefined
  const clientId = formDecode(text.slice(0, colon))
  const clientSecret = formDecode(text.slice(colon + 1))
  return clientId === undefined || clientSecret === undefined
    ? undefined
    : { clientId, clientSecret: Redacted.make(clientSecret) }
}

const formDecode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    // Broken percent-encoding: the caller answers that the header cannot be read.
    return undefined
  }
}
