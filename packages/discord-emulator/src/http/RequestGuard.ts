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

/** Why a request that another web page caused is refused, if it is. Other clients send no such headers. */
export const foreignPage = (request: IncomingMessage): string | undefined => {
  const { host = "", origin, "sec-fetch-site": site } = request.headers
  const foreign = origin !== undefined && origin !== `http://${host}`
  // Not every request of a page has an origin, but each has `sec-fetch-site`.
  const elsewhere = site !== undefined && site !== "same-origin" && site !== "none"
  return foreign || elsewhere ? "Requests from other pages are refused." : undefined
}

/** Why a request to the page API is refused, if it is: only the page itself may act as a person. */
export const pageRefusal = (request: IncomingMessage): string | undefined => {
  const foreign = foreignPage(request)
  if (foreign !== undefined) return foreign
  const reads = request.method === "GET" || request.method === "HEAD"
  if (!reads && request.headers.origin === undefined && request.headers["sec-fetch-site"] !== "same-origin")
    return "This acts as a person: send the page's own address as Origin."
  return undefined
}

/** Whether a person follows a link, in a whole window: not a frame, and not a form that is sent. */
export const isNavigation = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document" &&
  headers.origin === undefined
