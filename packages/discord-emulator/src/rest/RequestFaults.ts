import type { IncomingMessage } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { RequestFault } from "../faults/FaultRule.ts"
import type { Faults } from "../faults/Faults.ts"
import { tooManyRequests } from "../limits/RateLimits.ts"
import type { RestResponse } from "./RestResponse.ts"

/** A response, or what a fault does instead of one. */
type Outcome = RestResponse | "reset" | "no answer"

/** Handles a request, or applies the fault that matches it: a delay, another response, or none. */
export const withRequestFault = (
  faults: Faults,
  request: IncomingMessage,
  path: string,
  handle: () => Promise<RestResponse>
): Promise<Outcome> => {
  const fault = faults.request(request.method ?? "GET", path)
  return fault === undefined ? handle() : applyFault(fault, handle)
}

const applyFault = async (fault: RequestFault, handle: () => Promise<RestResponse>): Promise<Outcome> => {
  const { after = false, delayMs = 0 } = fault
  const failure = failureOf(fault)
  if (!after) {
    if (delayMs > 0) await wait(delayMs)
    return failure ?? handle()
  }
  const response = await handle()
  if (delayMs > 0) await wait(delayMs)
  return failure ?? response
}

/** What a fault does instead of the response; nothing when it only delays. */
const failureOf = (fault: RequestFault): Outcome | undefined => {
  if (fault.dropSocket === true) return "reset"
  if (fault.noAnswer === true) return "no answer"
  // An HTML page comes from the proxy in front of Discord, as with a 502.
  const status = fault.status ?? (fault.html === undefined ? undefined : 502)
  if (status === undefined) return undefined
  const html = fault.html === undefined ? {} : { html: fault.html }
  if (status !== 429) {
    const body = { message: `${status}: fault on demand`, code: fault.code ?? 0 }
    return { reply: { status, body }, headers: {}, ...html }
  }
  const { retryAfter = 1, scope = "shared" } = fault
  const { headers, errorBody } = tooManyRequests(scope, retryAfter === false ? 1 : retryAfter)
  const { "retry-after": retryAfterHeader = "", ...otherHeaders } = headers
  const sentHeaders = retryAfter === false ? otherHeaders : { ...otherHeaders, "retry-after": retryAfterHeader }
  return { reply: { status, body: errorBody }, headers: sentHeaders, ...html }
}
