import type { IncomingMessage } from "node:http"

/**
 * Why a request to the page is refused, if it is: it must name this machine as its host (a name that somebody else
 * points here does not count), and what acts as a person must come from the page itself.
 */
export const refusalOf = (request: IncomingMessage, configuredHost: string): string | undefined => {
  const host = request.headers.host ?? ""
  const name = host.replace(/:\d+$/, "").toLowerCase()
  const anywhere = configuredHost === "0.0.0.0" || configuredHost === "::"
  const isAddress = /^(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])$/.test(name)
  const isLoopback = name === "localhost" || name === "[::1]" || /^127(\.\d{1,3}){3}$/.test(name)
  if (!isLoopback && name !== configuredHost && !(anywhere && isAddress))
    return `The host ${name || "(none)"} is not this machine; open the page by its address.`

  const site = request.headers["sec-fetch-site"]
  const { origin } = request.headers
  if (origin !== undefined && origin !== `http://${host}`) return "Requests from other pages are refused."
  if (site !== undefined && site !== "same-origin" && site !== "none") return "Requests from other pages are refused."
  const reads = request.method === "GET" || request.method === "HEAD"
  if (!reads && origin === undefined && site !== "same-origin")
    return "This acts as a person: send the page's own address as Origin."
  return undefined
}
