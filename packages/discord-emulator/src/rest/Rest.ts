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
    const banned = invalidRequests.bannedSeconds(address)
    if (banned !== undefined) return void response.writeHead(429, banHeaders(banned)).end(banText)
    const path = url.pathname.replace(/^\/api(\/v\d+)?/, "").replace(/(?<=.)\/$/, "")
    const answered = await withRequestFault(context.faults, request, path, async () => {
      const handled = await handleRequest(request, path, url.searchParams)
      record(request, path, handled)
      return handled
    })
    if (answered === "reset") return void request.socket.resetAndDestroy()
    if (answered === "no answer") return
    // The gateway sends events with the next tick. Clients drop what they deleted when they receive the response, and
    // would ignore an event that arrives after it.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    const isShared = answered.headers["x-ratelimit-scope"] === "shared"
    invalidRequests.record(address, answered.reply.status, isShared)
    sendResponse(response, answered)
  }
}

const record = ({ method = "GET" }: IncomingMessage, path: string, { reply, sent }: RestResponse): void => {
  if (recordedRequests.hasSubscribers)
    recordedRequests.publish({ method, path, sent, ...reply } satisfies RecordedRequest)
}
