import type { IncomingMessage, ServerResponse } from "node:http"
import type { Context } from "../context/Context.ts"
import { banHeaders, banText, makeInvalidRequests } from "../limits/InvalidRequests.ts"
import { withRequestFault } from "./RequestFaults.ts"
import { type RestResponse, sendResponse } from "./RestResponse.ts"
import { makeRequestHandler } from "./RequestHandler.ts"
import { recordedRequests, type RecordedRequest } from "./RecordedRequest.ts"

/** Answers everything below `/api`. */
export type Rest = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>

/** The REST server: bans, faults, then authorization, limits and the route. */
export const makeRest = (context: Context): Rest => {
  const { clock, limits } = context.settings
  const handleRequest = makeRequestHandler(context)
  const invalidRequests = makeInvalidRequests(limits, clock.now)
  return async (request, response, url) => {
    const address = request.socket.remoteAddress ?? ""
    const bannedSeconds = invalidRequests.bannedSeconds(address)
    if (bannedSeconds !== undefined) return void response.writeHead(429, banHeaders(bannedSeconds)).end(banText)
    const { path, version } = readPath(url)
    const outcome = await withRequestFault(context.faults, request, path, async () => {
      const handledResponse = await handleRequest(request, { path, version, query: url.searchParams })
      record(request, path, handledResponse)
      return handledResponse
    })
    if (outcome === "reset") return void request.socket.resetAndDestroy()
    if (outcome === "no answer") return
    // The gateway sends events with the next tick, so the response waits for it. A client drops a deleted object when
    // it receives the response, and would ignore a later event.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const isShared = outcome.headers["x-ratelimit-scope"] === "shared"
    invalidRequests.record(address, outcome.reply.status, isShared)
    sendResponse(response, outcome)
  }
}

/** The path below the version, and the version if there is one. */
const readPath = ({ pathname }: URL) => {
  const [prefix = "", version] = /^\/api(?:\/v(\d+))?/.exec(pathname) ?? []
  return { path: pathname.slice(prefix.length).replace(/(?<=.)\/$/, ""), version }
}

const record = ({ method = "GET" }: IncomingMessage, path: string, { reply, sent }: RestResponse): void => {
  if (recordedRequests.hasSubscribers)
    recordedRequests.publish({ method, path, sent, ...reply } satisfies RecordedRequest)
}
