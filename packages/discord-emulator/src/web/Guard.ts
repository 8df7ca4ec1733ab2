import type { IncomingMessage } from "node:http"

/**
 * Why the host that a request names is refused, if it is: it must be this machine, or what `--host` says. A name that
 * somebody else points here does not count, or any web page could read along.
 */
export const foreignHost = (request: IncomingMessage, configuredHost: string): string | undefined => {
  const name = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase()
  const configured = configuredHost.toLowerCase()
  const anywhere = configured === "0.0.0.0" || configured === "::"
  const isAddress = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])$/.test(name)
  const isLoopback = name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name)
  const isConfigured = name === configured || name === `[${configured}]`
  if (isLoopback || isConfigured || (anywhere && isAddress)) return undefined
  return `The host ${name || "(none)"} is not this machine; use its address.`
}

/** Why a request that a web page made is refused, if it is; clients outside of browsers send no origin. */
export const foreignOrigin = (request: IncomingMessage): string | undefined => {
  const { host = "", origin } = request.headers
  return origin === undefined || origin === `http://${host}` ? undefined : "Requests from other pages are refused."
}

/** Why a request to the page is refused, if it is: what acts as a person must come from the page itself. */
export const refusalOf = (request: IncomingMessage): string | undefined => {
  const foreign = foreignOrigin(request)
  if (foreign !== undefined) return foreign
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return "Requests from other pages are refused."
  const reads = request.method === "GET" || request.method === "HEAD"
  if (!reads && request.headers.origin === undefined && site !== "same-origin")
    return "This acts as a person: send the page's own address as Origin."
  return undefined
}
