import type { IncomingMessage } from "node:http"
import type { Context } from "../context/Context.ts"
import { readBody } from "../http/RequestBody.ts"
import { makeRateLimits, type RateLimits, type RateLimitResult } from "../limits/RateLimits.ts"
import { apiErrors, DiscordError } from "../model/DiscordError.ts"
import type { RestResponse } from "./RestResponse.ts"
import { makeRoutes } from "./Routes.ts"
import {
  type Call,
  type MatchedRoute,
  handleCall,
  makeRouter,
  type RouteMatch,
  type Reply,
  type Route
} from "./routing/Router.ts"

/** The largest JSON with a picture in it: 10 MiB as base64. */
const maxPictureJsonBytes = 14 * 1024 * 1024
const maxReportedRoutes = 1000

/** Where a request goes: the path below the version of the API, and its query. */
interface Target {
  readonly path: string
  readonly version: string | undefined
  readonly query: URLSearchParams
}

type RequestHandler = (request: IncomingMessage, target: Target) => Promise<RestResponse>

/** The versions that Discord still serves. */
const versions: ReadonlyArray<string | undefined> = [undefined, "9", "10"]

/** Makes the function that authorizes, limits and routes a request. Errors become responses. */
export const makeRequestHandler = (context: Context): RequestHandler => {
  const { settings, store } = context
  const findRoute = makeRouter(makeRoutes(context))
  const limits = makeRateLimits(settings.limits, settings.clock.now)
  const reportUnknown = makeUnknownRouteReporter(settings.log)

  const handleAuthorized = async (
    request: IncomingMessage,
    { params, route }: MatchedRoute,
    query: URLSearchParams
  ): Promise<RestResponse> => {
    const body = await readBody(request, route.acceptsPicture === true ? maxPictureJsonBytes : undefined)
    const locale = requestedLocale(request)
    const call: Call = {
      ...body,
      actorId: store.guild.botId,
      params,
      query,
      ...(locale === undefined ? {} : { locale })
    }
    const { headers, errorBody } = countRequest(limits, route, call)
    if (errorBody !== undefined) return { reply: { status: 429, body: errorBody }, headers }
    return { reply: replyOrError(context, () => handleCall(route, call)), headers, sent: call.json }
  }

  return async (request, { path, query, version }) => {
    const method = request.method ?? "GET"
    try {
      if (!versions.includes(version)) throw apiErrors.invalidVersion()
      const match = findRoute(method, path)
      if (match.result !== "route") reportUnknown(method, path)
      const authorized = authorize(match, request.headers.authorization === `Bot ${store.guild.botToken}`)
      if (authorized instanceof DiscordError) throw authorized
      return await handleAuthorized(request, authorized, query)
    } catch (cause) {
      return { reply: errorReply(context, cause), headers: {} }
    }
  }
}

/** The matched route, or the error for a request that may not use one. */
const authorize = (match: RouteMatch, isBot: boolean): MatchedRoute | DiscordError => {
  if (match.result === "route") return match.route.tokenInPath === true || isBot ? match : apiErrors.unauthorized()
  return match.result === "not found" ? apiErrors.notFound() : apiErrors.methodNotAllowed()
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
const makeUnknownRouteReporter = (log: (line: string) => void): ((method: string, path: string) => void) => {
  const reported = new Set<string>()
  return (method, path) => {
    const pattern = `${method} ${withoutIds(path)}`
    if (reported.has(pattern) || reported.size >= maxReportedRoutes) return
    reported.add(pattern)
    log(`discord-emulator: no route for ${pattern}`)
  }
}

const withoutIds = (path: string): string =>
  path.replace(/^\/(webhooks|interactions)\/[^/]+\/[^/]+/, "/$1/:id/:token").replaceAll(/\d{17,19}/g, ":id")

/** Discord's header `x-discord-locale` wins over `accept-language`. */
const requestedLocale = ({ headers }: IncomingMessage): string | undefined => {
  const discordLocale = headers["x-discord-locale"]
  return typeof discordLocale === "string" ? discordLocale : headers["accept-language"]?.split(/[,;]/)[0]?.trim()
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
