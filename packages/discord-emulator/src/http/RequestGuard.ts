import type { IncomingMessage } from "node:http"

/**
 * Why the `Host` header of a request is refused, if it is. It must be an address of this machine or the configured
 * host: otherwise a web page could reach the emulator by DNS rebinding.
 */
export const hostRefusal = (request: IncomingMessage, configuredHost: string): string | undefined => {
  const name = (request.headers.host ?? "").replace(/:\d+$/, "").toLowerCase()
  const configured = configuredHost.toLowerCase()
  const listensEverywhere = configured === "0.0.0.0" || configured === "::"
  const isAddress = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])$/.test(name)
  const isLoopback = name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name)
  const isConfigured = name === configured || name === `[${configured}]`
  if (isLoopback || isConfigured || (listensEverywhere && isAddress)) return undefined
  return `The host ${name || "(none)"} is not this machine; use its address.`
}

/** Why a request that another web page caused is refused, if it is. Other clients send no such headers. */
export const foreignPageRefusal = (request: IncomingMessage): string | undefined => {
  const { host = "", origin, "sec-fetch-site": site } = request.headers
  const isForeignOrigin = origin !== undefined && origin !== `http://${host}`
  // Not every request of a page has an origin, but each has `sec-fetch-site`.
  const isCrossSite = site !== undefined && site !== "same-origin" && site !== "none"
  return isForeignOrigin || isCrossSite ? "Requests from other pages are refused." : undefined
}

/** Why a request to the page API is refused, if it is: only the page itself may act as a person. */
export const pageApiRefusal = (request: IncomingMessage): string | undefined => {
  const refusal = foreignPageRefusal(request)
  if (refusal !== undefined) return refusal
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (!isRead && request.headers.origin === undefined && request.headers["sec-fetch-site"] !== "same-origin")
    return "This acts as a person: send the page's own address as Origin."
  return undefined
}

/** Whether a person follows a link in a window; false for frames and submitted forms. */
export const isNavigation = ({ headers, method }: IncomingMessage): boolean =>
  method === "GET" &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document" &&
  headers.origin === undefined
