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

/** The session that a request's cookie names. */
export const current = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
  Option.map(
    Option.fromNullable(
      pages.map(({ cookie }) => request.cookies[cookie]).find((value) => value?.startsWith("oa_ss_"))
    ),
    (value) => Redacted.make(value)
  )
)

/** Lets the browser keep a session, for the pages of this service and no other address. */
export const keep = (response: HttpServerResponse.HttpServerResponse, session: Redacted.Redacted) =>
  withCookies(response, Redacted.value(session), sessionTtl)

/**
 * Lets the browser keep a new session with a page that a person opened. What other sites make a browser load beside
 * their own pages gets none: it would take the place of the session that the person has.
 */
export const begin = (response: HttpServerResponse.HttpServerResponse, session: Redacted.Redacted) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method }) =>
    method === "GET" && (headers["sec-fetch-dest"] ?? "document") === "document"
      ? keep(response, session)
      : Effect.succeed(response)
  )

/** Makes the browser forget its session. */
export const forget = (response: HttpServerResponse.HttpServerResponse) => withCookies(response, "", Duration.zero)

/**
 * Whether the browser says that a form was sent from a page of this service. Other sites are refused, also on the same
 * domain. Where it says nothing, the form's own token has to do. An `Origin` of `null` says
 * nothing: these pages send no referrer, and so their own forms carry it.
 */
export const fromOwnPage = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { publicUrl } = yield* ServerConfig
  const origin = headers["origin"] ?? "null"
  return (
    ["same-origin", "none"].includes(headers["sec-fetch-site"] ?? "none") &&
    (origin === "null" || origin === new URL(publicUrl).origin || hostOf(origin) === headers["host"]?.toLowerCase())
  )
})

/** Sends the browser elsewhere, leaving nothing behind. */
export const redirect = (location: string, status: 302 | 303): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(location, { status, headers: Layout.guards })

// The same service under another name, such as localhost: no other site's pages have this host.
const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined)

const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  value: string,
  maxAge: Duration.Duration
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, ServerConfig> =>
  Effect.map(ServerConfig, ({ contract, publicUrl }) =>
    pages
      .filter(({ device }) => contract.deviceFlow || !device)
      .reduce(
        (kept, { cookie, path }) =>
          HttpServerResponse.unsafeSetCookie(kept, cookie, value, {
            path: PublicPath.of(publicUrl, path),
            httpOnly: true,
            sameSite: "lax",
            secure: publicUrl.startsWith("https:"),
            maxAge
          }),
        response
      )
  )

// A cookie each, because one for a common path would go to the sandboxes too. Hoisted by use: `current` reads it late.
const pages = [
  { cookie: "heddle_session", path: "/openapi/v2/authorize", device: false },
  { cookie: "heddle_apps_session", path: "/connected-apps", device: false },
  { cookie: "heddle_device_session", path: "/device", device: true }
] as const
