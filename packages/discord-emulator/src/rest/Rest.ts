import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { RequestFault } from "../faults/FaultRule.ts"
import { banHeaders, banText, makeInvalidRequests } from "../limits/InvalidRequests.ts"
import { makeRateLimits, tooManyRequests, type RateLimitResult } from "../limits/RateLimits.ts"
import type { Context } from "../context/Context.ts"
import { readBody, skipBody } from "../http/RequestBody.ts"
import { type RecordedRequest, recordedRequests } from "./RecordedRequest.ts"
import { DiscordError, apiErrors } from "../model/DiscordError.ts"
import { type Call, type Found, handle, makeRouter, type Reply, type Route } from "./routing/Router.ts"
import { routesOf } from "./Routes.ts"

/** The largest JSON with a picture in it, in bytes: 10 MiB and what writing them as text adds. */
const pictureJson = 14 * 1024 * 1024

/** Answers everything below `/api`. */
export type Rest = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>

/** The REST server: faults, authorization, limits, then the route. */
export const makeRest = (context: Context): Rest => {
  const find = makeRouter(routesOf(context))
  const limits = makeRateLimits(context.settings.limits, context.settings.clock.now)
  const invalid = makeInvalidRequests(context.settings.limits, context.settings.clock.now)
  const reported = new Set<string>()

  const unknown = (method: string, path: string, found: "nothing" | "other method"): DiscordError => {
    const shape = `${method} ${routeShape(path)}`
    if (!reported.has(shape) && reported.size < 1000) {
      reported.add(shape)
      context.settings.log(`discord-emulator: no route for ${shape}`)
    }
    return found === "nothing" ? apiErrors.notFound() : apiErrors.methodNotAllowed()
  }

  /** The route of a request, or why it gets none: known before its body is read. */
  const admit = (request: IncomingMessage, path: string): Found | DiscordError => {
    const method = request.method ?? "GET"
    const match = find(method, path)
    if (match.found !== "route") return unknown(method, path, match.found)
    const authorized = request.headers.authorization === `Bot ${context.store.realm.botToken}`
    return match.route.tokenInPath === true || authorized ? match : apiErrors.unauthorized()
  }

  const limit = (route: Route, call: Call): RateLimitResult => {
    const { channel, guild, token, webhook } = call.params
    return limits.take({
      buckets: route.bucket?.(call) ?? ["other"],
      route: `${route.method} ${route.path}`,
      major: channel ?? guild ?? (token === undefined ? "" : `${webhook} ${token}`),
      global: route.tokenInPath !== true
    })
  }

  const answer = async (request: IncomingMessage, path: string, query: URLSearchParams): Promise<Answered> => {
    const found = admit(request, path)
    if (found instanceof DiscordError) {
      await skipBody(request)
      throw found
    }
    const { params, route } = found
    const body = await readBody(request, route.pictures === true ? pictureJson : undefined)
    const locale = localeOf(request)
    const by = context.store.realm.botId
    const call: Call = { ...body, by, params, query, ...(locale === undefined ? {} : { locale }) }
    const { headers, refused } =
      route.bucket === undefined && route.tokenInPath === true ? { headers: {} } : limit(route, call)
    if (refused !== undefined) return { reply: { status: 429, body: refused }, headers }
    return { reply: attempt(context, () => handle(route, call)), headers, sent: call.json }
  }

  const serve = async (request: IncomingMessage, path: string, url: URL): Promise<Answered | "reset" | "nothing"> => {
    const fault = context.faults.request(request.method ?? "GET", path)
    const { after = false, delayMs } = fault ?? {}
    if (delayMs !== undefined && !after) await wait(delayMs)
    const failure = fault === undefined ? undefined : faultAnswer(fault)
    if (failure !== undefined && !after) {
      // Of no interest: the answer is the fault anyway. Where there is none the client may still be sending.
      if (typeof failure === "object") await skipBody(request)
      return failure
    }
    const answered = await answer(request, path, url.searchParams).catch((cause: unknown): Answered => ({
      reply: replyFor(context, cause),
      headers: {}
    }))
    if (recordedRequests.hasSubscribers)
      recordedRequests.publish({
        method: request.method ?? "GET",
        path,
        sent: answered.sent,
        ...answered.reply
      } satisfies RecordedRequest)
    if (delayMs !== undefined && after) await wait(delayMs)
    return failure ?? answered
  }

  return async (request, response, url) => {
    const address = request.socket.remoteAddress ?? ""
    const banned = invalid.bannedSeconds(address)
    if (banned !== undefined) return void response.writeHead(429, banHeaders(banned)).end(banText)
    const path = url.pathname.replace(/^\/api(\/v\d+)?/, "").replace(/(?<=.)\/$/, "")
    const served = await serve(request, path, url)
    if (served === "reset") return void request.socket.resetAndDestroy()
    if (served === "nothing") return
    // The gateway gathers events until the next tick: clients forget what they deleted once they have the answer, and
    // then make nothing of the event.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    invalid.record(address, served.reply.status, served.headers["x-ratelimit-scope"] === "shared")
    send(response, served)
  }
}

/** A path without what tells one thing from another: its ids, and the tokens of webhooks and interactions. */
const routeShape = (path: string): string =>
  path.replace(/^\/(webhooks|interactions)\/[^/]+\/[^/]+/, "/$1/:id/:token").replaceAll(/\d{17,19}/g, ":id")

/** Discord's own header comes before that of browsers. */
const localeOf = ({ headers }: IncomingMessage): string | undefined => {
  const own = headers["x-discord-locale"]
  return typeof own === "string" ? own : headers["accept-language"]?.split(/[,;]/)[0]?.trim()
}

interface Answered {
  readonly reply: Reply
  /** The JSON that was asked with. */
  readonly sent?: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Sent in place of JSON. */
  readonly html?: string
}

/** A refusal keeps the headers of its bucket. */
const attempt = (context: Context, handle: () => Reply): Reply => {
  try {
    return handle()
  } catch (cause) {
    return replyFor(context, cause)
  }
}

const replyFor = (context: Context, cause: unknown): Reply => {
  if (cause instanceof DiscordError) return { status: cause.status, body: cause.body }
  context.settings.log(`discord-emulator: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  return { status: 500, body: { message: "500: Internal Server Error", code: 0 } }
}

/** What a fault puts in place of the answer; nothing when it only delays. */
const faultAnswer = (fault: RequestFault): Answered | "reset" | "nothing" | undefined => {
  if (fault.dropSocket === true) return "reset"
  if (fault.noAnswer === true) return "nothing"
  const status = fault.status ?? (fault.html === undefined ? undefined : 502)
  if (status === undefined) return undefined
  const html = fault.html === undefined ? {} : { html: fault.html }
  if (status !== 429)
    return { reply: { status, body: { message: `${status}: fault on demand`, code: 0 } }, headers: {}, ...html }
  const { retryAfter = 1, scope = "shared" } = fault
  const { headers, refused } = tooManyRequests(scope, retryAfter === false ? 1 : retryAfter)
  const { "retry-after": told = "", ...others } = headers
  return {
    reply: { status, body: refused },
    headers: retryAfter === false ? others : { ...others, "retry-after": told },
    ...html
  }
}

const send = (response: ServerResponse, { headers, html, reply }: Answered): void => {
  if (response.destroyed) return
  if (html !== undefined)
    return void response.writeHead(reply.status, { ...headers, "content-type": "text/html; charset=UTF-8" }).end(html)
  // A content type on an empty answer makes clients parse nothing as JSON.
  if (reply.body === undefined) return void response.writeHead(reply.status, headers).end()
  const text = Buffer.from(JSON.stringify(reply.body))
  response
    .writeHead(reply.status, { ...headers, "content-type": "application/json", "content-length": text.length })
    .end(text)
}
