import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { TokenResponse } from "@heddle/core/domain/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Applications } from "../Applications.ts"
import { Grants } from "../Grants.ts"
import * as FormBody from "../internal/FormBody.ts"
import * as Refuse from "../internal/Refuse.ts"
import { RateLimits } from "../RateLimits.ts"
import { Exchange } from "./Exchange.ts"

/**
 * The token endpoint (4.2). The checks come in the order of decision 44: content type, repeated fields, grant type,
 * the application, fields, the grant.
 */
export const layer = HttpApiBuilder.group(OpenApi, "token", (handlers) =>
  Effect.gen(function* () {
    const applications = yield* Applications
    const grants = yield* Grants
    const limits = yield* RateLimits

    // Raw, because the contract's decoder would decide the order of the checks and accept JSON.
    return handlers.handleRaw("token", ({ request }) =>
      Effect.gen(function* () {
        const form = yield* FormBody.read(request)
        const grantType = yield* form.required("grant_type")
        if (grantType !== "authorization_code" && grantType !== "refresh_token") {
          return yield* Refuse.unsupportedGrantType("The grant_type must be authorization_code or refresh_token.")
        }
        const credentials = yield* clientCredentials(request, form)
        const caller = [credentials.clientId, Option.getOrElse(request.remoteAddress, () => "unknown")] as const
        const blocked = limits.tokenBlocked(...caller)
        if (blocked !== undefined) return yield* blocked
        const failed = Effect.sync(() => limits.tokenFailed(...caller))
        const { clientId } = yield* applications
          .authenticate(credentials.clientId, credentials.clientSecret)
          .pipe(Effect.tapError(() => failed))
        const exchange = yield* Exchange
        exchange.clientId = clientId

        if (grantType === "authorization_code") {
          const code = yield* form.required("code")
          const redirectUri = yield* form.required("redirect_uri")
          const codeVerifier = form.optional("code_verifier")
          return yield* grants
            .exchange({
              clientId,
              code: Redacted.make(code),
              redirectUri,
              codeVerifier: codeVerifier === undefined ? undefined : Redacted.make(codeVerifier)
            })
            .pipe(Effect.tapErrorTag("InvalidGrant", () => failed))
        }
        const refreshToken = yield* form.required("refresh_token")
        return yield* grants
          .refresh({ clientId, refreshToken: Redacted.make(refreshToken), scope: form.optional("scope") })
          .pipe(Effect.tapErrorTag("InvalidGrant", () => failed))
      }).pipe(
        Effect.flatMap((tokens) => Effect.orDie(encode(tokens))),
        Effect.map((body) =>
          HttpServerResponse.unsafeJson(body, { headers: { "cache-control": "private, no-store", pragma: "no-cache" } })
        )
      )
    )
  })
)

const encode = Schema.encode(TokenResponse)

const clientCredentials = (request: HttpServerRequest.HttpServerRequest, form: FormBody.Form) =>
  Effect.gen(function* () {
    const authorization = request.headers["authorization"]
    const clientId = form.optional("client_id")
    const clientSecret = form.optional("client_secret")
    if (authorization !== undefined && /^basic /i.test(authorization)) {
      const basic = basicCredentials(authorization)
      if (basic === undefined) return yield* Refuse.invalidClient("The Authorization header cannot be read.")
      if (clientSecret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
        return yield* Refuse.invalidRequest("Send the client credentials in the body or in Authorization, not in both.")
      }
      return basic
    }
    if (clientId === undefined || clientSecret === undefined) {
      return yield* Refuse.invalidClient("The client_id and client_secret of the application are missing.")
    }
    return { clientId, clientSecret: Redacted.make(clientSecret) }
  })

/** HTTP Basic as OAuth uses it: both halves are form-encoded first (RFC 6749 2.3.1). */
const basicCredentials = (authorization: string) => {
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
