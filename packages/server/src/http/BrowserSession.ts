import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ServerConfig } from "../ServerConfig.ts"
import { sessionLife } from "../SignIns.ts"
import * as PublicPath from "./PublicPath.ts"
import * as Layout from "./pages/Layout.ts"

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
  Effect.map(ServerConfig, ({ contract, publicUrl }) =>
    pages
      .filter(({ device }) => contract.deviceFlow || !device)
      .reduce(
        (kept, { cookie, path }) =>
          HttpServerResponse.unsafeSetCookie(kept, cookie, Redacted.value(session), {
            path: PublicPath.of(publicUrl, path),
            httpOnly: true,
            sameSite: "lax",
            secure: publicUrl.startsWith("https:"),
            maxAge: sessionLife
          }),
        response
      )
  )

/** Sends the browser elsewhere, leaving nothing behind. */
export const redirect = (location: string, status: 302 | 303): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(location, { status, headers: Layout.guards })

// A cookie each, because one for a common path would go to the sandboxes too. Hoisted by use: `current` reads it late.
const pages = [
  { cookie: "heddle_session", path: "/openapi/v2/authorize", device: false },
  { cookie: "heddle_device_session", path: "/device", device: true }
] as const
