import type { IncomingMessage } from "node:http"
import type { Context } from "../context/Context.ts"
import { readBody, skipBody } from "../http/RequestBody.ts"
import { makeRateLimits, type RateLimits, type RateLimitResult } from "../limits/RateLimits.ts"
import { apiErrors, DiscordError } from "../model/DiscordError.ts"
import type { RestResponse } from "./RestResponse.ts"
import { routesOf } from "./Routes.ts"
import { type Call, type Found, callRoute, makeRouter, type Match, type Reply, type Route } from "./routing/Router.ts"

/** The largest JSON with a picture in it, in bytes: 10 MiB as base64. */
const maxPictureJson = 14 * 1024 * 1024
const maxReportedRoutes = 1000

type RequestHandler = (request: IncomingMessage, path: string, query: URLSearchParams) => Promise<RestResponse>

/** Makes the function that authorizes, limits and routes a request. Errors become responses. */
export const makeRequestHandler = (context: Context): RequestHandler => {
  const { settings, store } = context
  const findRoute = makeRouter(routesOf(context))
  const limits = makeRateLimits(settings.limits, settings.clock.now)
  const reportUnknown = makeUnknownRouteReport(settings.log)

  const handleAuthorized = async (
    request: IncomingMessage,
    { params, route }: Found,
    query: URLSearchParams
  ): Promise<RestResponse> => {
    const body = await readBody(request, route.pictures === true ? maxPictureJson : undefined)
    const locale = localeOf(request)
    const call: Call = { ...body, by: store.realm.botId, params, query, ...(locale === undefined ? {} : { locale }) }
    const { headers, refused } = countRequest(limits, route, call)
    if (refused !== undefined) return { reply: { status: 429, body: refused }, headers }
    return { reply: replyOrError(context, () => callRoute(route, call)), headers, sent: call.json }
  }

  return async (request, path, query) => {
    const method = request.method ?? "GET"
    try {
      const match = findRoute(method, path)
      if (match.found !== "route") reportUnknown(method, path)
      const found = authorize(match, request.headers.authorization === `Bot ${store.realm.botToken}`)
      if (!(found instanceof DiscordError)) return await handleAuthorized(request, found, query)
      await skipBody(request)
      throw found
    } catch (cause) {
      return { reply: errorReply(context, cause), headers: {} }
    }
  }
}

/** The matched route, or the error for a request that gets none. */
const authorize = (match: Match, isBot: boolean): Found | DiscordError => {
  if (match.found === "route") return match.route.tokenInPath === true || isBot ? match : apiErrors.unauthorized()
  return match.found === "nothing" ? apiErrors.notFound() : apiErrors.methodNotAllowed()
}

const countRequest = (limits: RateLimits, route: Route, call: Call): RateLimitResult => {
  if (route.bucket === undefined && route.tokenInPath === true) return { headers: {} }
  const { channel, guild, token, webhook } = call.params
  return limits.take({
    buckets: route.bucket?.(call) ?? ["other"],
    route: `${route.method} ${route.path}`,
    major: channel ?? guild ?? (token === undefined ? "" : `${webhook} ${token}`),
    global: route.tokenInPath !== true
  })
}

/** Logs each unknown route once, without ids and tokens. */
const makeUnknownRouteReport = (log: (line: string) => void): ((method: string, path: string) => void) => {
  const reported = new Set<string>()
  return (method, path) => {
    const shape = `${method} ${withoutIds(path)}`
    if (reported.has(shape) || reported.size >= maxReportedRoutes) return
    reported.add(shape)
    log(`discord-emulator: no route for ${shape}`)
  }
}

const withoutIds = (path: string): string =>
  path.replace(/^\/(webhooks|interactions)\/[^/]+\/[^/]+/, "/$1/:id/:token").replaceAll(/\d{17,19}/g, ":id")

/** Discord's own header wins over that of browsers. */
const localeOf = ({ headers }: IncomingMessage): string | undefined => {
  const own = headers["x-discord-locale"]
  return typeof own === "string" ? own : headers["accept-language"]?.split(/[,;]/)[0]?.trim()
}

/** An error response keeps the rate limit headers, so the error is caught here. */
const replyOrError = (context: Context, handler: () => Reply): Reply => {
  try {
    return handler()
  } catch (cause) {
    return errorReply(context, cause)
  }
}

const errorReply = ({ settings }: Context, cause: unknown): Reply => {
  if (cause instanceof DiscordError) return { status: cause.status, body: cause.body }
  settings.log(`discord-emulator: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  return { status: 500, body: { message: "500: Internal Server Error", code: 0 } }
}
