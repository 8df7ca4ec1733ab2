import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The validated base URL of a service: absolute, without trailing slash; a path prefix is kept (contract decision
 * 3).
 */
export type BaseUrl = string & Brand.Brand<"BaseUrl">

/**
 * A base URL that must not receive credentials. `reason` never repeats the address, which may hold a password.
 */
export class InvalidBaseUrl extends Schema.TaggedError<InvalidBaseUrl>()("InvalidBaseUrl", { reason: Schema.String }) {
  override get message(): string {
    return `The base URL ${this.reason}. Nothing was sent.`
  }
}

/** Validates a base URL; `http` beyond this machine needs `allowInsecure`. */
export const make = (
  text: string,
  options?: { readonly allowInsecure?: boolean | undefined }
): Effect.Effect<BaseUrl, InvalidBaseUrl> => {
  if (!URL.canParse(text)) return fail("is not an absolute URL such as https://example.com")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return fail("must begin with https://")
  if (url.username !== "" || url.password !== "") return fail("must not hold a user name or password")
  if (url.search !== "" || url.hash !== "") return fail("must not hold a query or fragment")
  if (url.protocol === "http:" && !isLoopback(url.hostname) && options?.allowInsecure !== true) {
    return fail("uses http, which would send tokens unencrypted; use https, or allow it explicitly")
  }
  return Effect.succeed(brand(`${url.origin}${url.pathname.replace(/\/+$/, "")}`))
}

const brand = Brand.nominal<BaseUrl>()

const fail = (reason: string) => Effect.fail(new InvalidBaseUrl({ reason }))

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
