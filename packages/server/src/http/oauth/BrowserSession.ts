import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { sessionTtl } from "../../accounts/SignIns.ts"
import * as PublicPath from "../message/PublicPath.ts"
import * as Layout from "../pages/Layout.ts"

/** The session of a request's cookie. */
export const current = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
  Option.map(
    Option.fromNullable(
      cookiePages.map(({ cookie }) => request.cookies[cookie]).find((value) => value?.startsWith("oa_ss_"))
    ),
    (value) => Redacted.make(value)
  )
)

/** Sets the session cookies, for the pages of this service only. */
export const keep = (response: HttpServerResponse.HttpServerResponse, session: Redacted.Redacted) =>
  withCookies(response, Redacted.value(session), sessionTtl)

/**
 * Sets the cookies of a new session on a page that a person opened. Loads that another site embeds get none: they would
 * replace the person's session.
 */
export const keepNew = (response: HttpServerResponse.HttpServerResponse, session: Redacted.Redacted) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method }) =>
    method === "GET" && (headers["sec-fetch-dest"] ?? "document") === "document"
      ? keep(response, session)
      : Effect.succeed(response)
  )

/** Deletes the session cookies. */
export const forget = (response: HttpServerResponse.HttpServerResponse) => withCookies(response, "", Duration.zero)

/**
 * Whether a form was sent from a page of this service, by the browser's headers. Other sites are refused, also on the
 * same domain. Without these headers only the CSRF token counts. An `Origin` of `null` proves nothing, because these
 * pages send no referrer and so their own forms have it.
 */
export const isFromOwnPage = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { publicUrl } = yield* ServerConfig
  const origin = headers["origin"] ?? "null"
  return (
    ["same-origin", "none"].includes(headers["sec-fetch-site"] ?? "none") &&
    (origin === "null" || origin === new URL(publicUrl).origin || hostOf(origin) === headers["host"]?.toLowerCase())
  )
})

/** Redirects the browser with the headers of a page. */
export const redirect = (location: string, status: 302 | 303): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(location, { status, headers: Layout.securityHeaders })

// The same service under another name, such as localhost. No other site has this host.
const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined)

const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  value: string,
  maxAge: Duration.Duration
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, ServerConfig> =>
  Effect.map(ServerConfig, ({ contract, publicUrl }) =>
    cookiePages
      .filter(({ device }) => contract.deviceFlow || !device)
      .reduce(
        (nextResponse, { cookie, path }) =>
          HttpServerResponse.unsafeSetCookie(nextResponse, cookie, value, {
            path: PublicPath.of(publicUrl, path),
            httpOnly: true,
            sameSite: "lax",
            secure: publicUrl.startsWith("https:"),
            maxAge
          }),
        response
      )
  )

// One cookie for each page, because one for a common path would go to the sandboxes, too.
const cookiePages = [
  { cookie: "heddle_session", path: "/openapi/v2/authorize", device: false },
  { cookie: "heddle_apps_session", path: "/connected-apps", device: false },
  { cookie: "heddle_device_session", path: "/device", device: true }
] as const
