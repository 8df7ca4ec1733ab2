import type { HttpServerRequest } from "@effect/platform/HttpServerRequest"

/**
 * The headers that let a page of an allowed origin read the response (contract decision 22); none for others and for
 * requests without an origin. Cookies are never allowed: callers send their token.
 */
export const headers = (
  { headers, method }: HttpServerRequest,
  origins: ReadonlySet<string>
): Readonly<Record<string, string>> => {
  if (origins.size === 0) return {}
  const vary = { vary: "Origin" }
  const origin = headers["origin"]
  if (origin === undefined) return vary
  const allowsAnyOrigin = origins.has("*")
  if (!allowsAnyOrigin && !origins.has(origin)) return vary
  const readHeaders = {
    ...(allowsAnyOrigin ? {} : vary),
    "access-control-allow-origin": allowsAnyOrigin ? "*" : origin,
    "access-control-expose-headers":
      "x-request-id, retry-after, www-authenticate, location, accept-idempotency-key, deprecation, sunset, x-api-version, acp-connection-id, etag, content-range, content-disposition"
  }
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined
    ? {
        ...readHeaders,
        "access-control-allow-methods": "GET, HEAD, POST, DELETE",
        "access-control-allow-headers":
          "authorization, content-type, idempotency-key, accept, last-event-id, acp-connection-id, acp-session-id, range, if-range, if-none-match",
        "access-control-max-age": "600"
      }
    : readHeaders
}
