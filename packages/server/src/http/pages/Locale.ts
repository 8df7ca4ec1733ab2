import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Query from "../message/Query.ts"
import { chinese } from "./Chinese.ts"
import { english } from "./English.ts"
import type { Messages } from "./Messages.ts"

/** The messages in the language of `ui_locales`, else of the browser. */
export const current: Effect.Effect<Messages, never, HttpServerRequest.HttpServerRequest> = Effect.map(
  HttpServerRequest.HttpServerRequest,
  (request) => messagesFor(request, Query.of(request.url).get("ui_locales"))
)

/**
 * The same with the `ui_locales` of a form; languages in the order of preference (OpenID Connect Core 3.1.2.1).
 */
export const fromForm = (parameters: URLSearchParams) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => messagesFor(request, parameters.get("ui_locales")))

/** The messages for a request with these `ui_locales`. */
export const messagesFor = (
  { headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">,
  locales: string | null
): Messages =>
  firstSupported((locales ?? "").split(/\s+/)) ??
  firstSupported(acceptedLocales(headers["accept-language"] ?? "")) ??
  english

/** The first supported language. Traditional Chinese is not supported. */
const firstSupported = (locales: ReadonlyArray<string>): Messages | undefined => {
  for (const locale of locales) {
    if (/^en(-|$)/i.test(locale)) return english
    if (/^zh(-(hans|cn|sg|my)\b.*)?$/i.test(locale)) return chinese
  }
  return undefined
}

/** The languages of an `Accept-Language`, highest weight first (RFC 9110 12.5.4). */
const acceptedLocales = (header: string): ReadonlyArray<string> =>
  header
    .slice(0, 1000)
    .split(",")
    .flatMap((entry) => {
      const [locale = "", ...parameters] = entry.split(";").map((part) => part.trim())
      const weight = Number(parameters.find((part) => /^q=/i.test(part))?.slice(2) ?? 1)
      return weight > 0 ? [{ locale, weight }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .map(({ locale }) => locale)
