import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * The checked base address of a service: absolute, without trailing slash; a path prefix is kept (contract decision
 * 3).
 */
export type BaseUrl = string & Brand.Brand<"BaseUrl">

/**
 * A base address that credentials must not be sent to. `reason` never repeats the address, which may hold a password.
 */
export class InvalidBaseUrl extends Schema.TaggedError<InvalidBaseUrl>()("InvalidBaseUrl", { reason: Schema.String }) {
  override get message(): string {
    return `The base URL ${this.reason}. Nothing was sent.`
  }
}

/** Checks a base address; `http` is refused beyond this machine unless `allowInsecure`. */
export const make = (
  text: string,
  options?: { readonly allowInsecure?: boolean | undefined }
): Effect.Effect<BaseUrl, InvalidBaseUrl> => {
  if (!URL.canParse(text)) return refuse("is not an absolute URL such as https://example.com")
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return refuse("must begin with https://")
  if (url.username !== "" || url.password !== "") return refuse("must not hold a user name or password")
  if (url.search !== "" || url.hash !== "") return refuse("must not hold a query or fragment")
  if (url.protocol === "http:" && !isLoopback(url.hostname) && options?.allowInsecure !== true) {
    return refuse("uses http, which would send tokens unencrypted; use https, or allow it explicitly")
  }
  return Effect.succeed(checked(`${url.origin}${url.pathname.replace(/\/+$/, "")}`))
}

const checked = Brand.nominal<BaseUrl>()

const refuse = (reason: string) => Effect.fail(new InvalidBaseUrl({ reason }))

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
