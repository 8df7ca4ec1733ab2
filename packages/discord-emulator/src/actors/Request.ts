import type { Context } from "../context/Context.ts"
import { handleCall, makeRouter, type Reply } from "../rest/routing/Router.ts"
import { makeRoutes } from "../rest/Routes.ts"
import { DiscordError } from "../model/DiscordError.ts"
import { type RecordedRequest, recordedRequests } from "../rest/RecordedRequest.ts"
import { ActorError } from "./ActorError.ts"

/** Sends a request to Discord's API with a person's permissions, and returns the JSON of the response. */
export const requestAs = (context: Context, actorId: string, method: string, path: string, body: unknown): unknown => {
  const url = new URL(path, "http://discord")
  if (/^\/(applications|gateway|interactions|oauth2)\b/.test(url.pathname))
    throw new ActorError(`${url.pathname} is for applications`)
  const match = makeRouter(makeRoutes(context))(method, url.pathname)
  if (match.result !== "route") throw new ActorError(`There is no ${method} ${url.pathname}`)
  const { params, route } = match
  // A request on the network contains only JSON values.
  const json: unknown = body === undefined ? undefined : JSON.parse(JSON.stringify(body))
  const call = { actorId, params, query: url.searchParams, json, files: [], fields: new Map<string, string>() }
  const { body: responseBody } = publishRequest(method, url.pathname, json, () => handleCall(route, call))
  return responseBody === undefined ? undefined : JSON.parse(JSON.stringify(responseBody))
}

/** Publishes the request and its response, which may be an error. */
const publishRequest = (method: string, path: string, sent: unknown, handle: () => Reply): Reply => {
  const publish = (reply: Reply): void => {
    if (recordedRequests.hasSubscribers)
      recordedRequests.publish({ method, path, sent, ...reply } satisfies RecordedRequest)
  }
  try {
    const reply = handle()
    publish(reply)
    return reply
  } catch (cause) {
    if (cause instanceof DiscordError) publish({ status: cause.status, body: cause.body })
    throw cause
  }
}
