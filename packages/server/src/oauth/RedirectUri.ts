import * as Loopback from "../internal/Loopback.ts"

/** Why a redirect URI cannot be registered, as the end of a sentence; `undefined` if it can. */
export const registrationProblem = (uri: string): string | undefined => {
  if (uri.length > 2000) return "is longer than 2000 characters"
  if (!/^[\x21-\x7e]+$/.test(uri)) return "contains characters that a URL must percent-encode"
  if (!URL.canParse(uri)) return "is not an absolute URL"
  const url = new URL(uri)
  if (uri.includes("#")) return "has a fragment"
  if (url.username !== "" || url.password !== "") return "contains a user name"
  if (url.port === "0") return "has port 0, where nothing can listen"
  if (url.protocol === "https:") return undefined
  if (url.protocol !== "http:") return "is not an https URL"
  return Loopback.isLoopback(url.hostname) ? undefined : "uses http outside this machine; use https"
}

/**
 * Whether a redirect URI is the registered one, by exact string comparison (RFC 6749 3.1.2.3). With `any` the port of a
 * loopback IP address may differ, because programs listen on any free port (RFC 8252 7.3).
 */
export const matches =
  (loopbackPort: "exact" | "any") =>
  (registered: string, requested: string): boolean =>
    requested === registered ||
    (loopbackPort === "any" &&
      registrationProblem(requested) === undefined &&
      withoutPort(requested) === withoutPort(registered))

// Not parsed: a URL parser normalizes look-alikes such as `http://127.1` to the same address.
const withoutPort = (uri: string): string => uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?=[/?]|$)/, "$1")

/** Adds response parameters to a registered redirect URI; its own query stays unchanged (contract decision 40). */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) added.append(name, value)
  const separator = !uri.includes("?") ? "?" : uri.endsWith("?") || uri.endsWith("&") ? "" : "&"
  return uri + separator + added.toString()
}
