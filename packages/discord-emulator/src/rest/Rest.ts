import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import { type BucketName, makeRateLimits, type Verdict } from "../limits/RateLimits.ts"
import type { Parts } from "../Parts.ts"
import { readBody } from "./Body.ts"
import { type Exchange, exchanges } from "./Exchange.ts"
import { DiscordError, refuse } from "./DiscordError.ts"
import { type Call, makeRouter, type Reply, type Route } from "./Router.ts"
import { routesOf } from "./Routes.ts"

/** Answers everything below `/api`. */
export type Rest = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>

/** The REST server: faults, authorization, limits, then the route. */
export const makeRest = (parts: Parts): Rest => {
  const find = makeRouter(routesOf(parts))
  const limits = makeRateLimits(parts.settings.limits)
  const reported = new Set<string>()

  const unknown = (method: string, path: string, found: "nothing" | "other method"): DiscordError => {
    const shape = `${method} ${path.replaceAll(/\d{17,19}/g, ":id")}`
    if (!reported.has(shape) && reported.size < 1000) {
      reported.add(shape)
      parts.settings.log(`discord-emulator: no route for ${shape}`)
    }
    return found === "nothing" ? refuse.notFound() : refuse.methodNotAllowed()
  }

  const limit = (route: Route, call: Call): Verdict => {
    const major = call.params["channel"] ?? call.params["guild"] ?? call.params["token"] ?? ""
    const names: ReadonlyArray<BucketName> = route.bucket?.(call) ?? ["other"]
    let verdict: Verdict = { headers: {} }
    for (const [index, name] of names.entries()) {
      const next = limits.take(
        name,
        name === "other" ? `${route.method} ${route.path} ${major}` : major,
        index === 0 && route.open !== true
      )
      verdict = { ...next, headers: { ...verdict.headers, ...next.headers } }
      if (next.refused !== undefined) break
    }
    return verdict
  }

  const answer = async (request: IncomingMessage, path: string, query: URLSearchParams): Promise<Answered> => {
    const method = request.method ?? "GET"
    const match = find(method, path)
    const body = await readBody(request).catch((cause: unknown) => ({ failed: cause }))
    if (match.found !== "route") throw unknown(method, path, match.found)
    const { params, route } = match
    if (route.open !== true && request.headers.authorization !== `Bot ${parts.world.realm.botToken}`)
      throw refuse.unauthorized()
    if ("failed" in body) throw body.failed
    const call: Call = { ...body, by: parts.world.realm.botId, params, query }
    const { headers, refused } =
      route.bucket === undefined && route.open === true ? { headers: {} } : limit(route, call)
    if (refused !== undefined) {
      const limited = {
        message: "You are being rate limited.",
        retry_after: refused.retryAfter,
        global: refused.global
      }
      return { reply: { status: 429, body: limited }, headers }
    }
    return { reply: attempt(parts, () => route.handle(call)), headers, sent: call.json }
  }

  return async (request, response, url) => {
    const path = url.pathname.replace(/^\/api(\/v\d+)?/, "").replace(/(?<=.)\/$/, "")
    const fault = parts.faults.take(request.method ?? "GET", path)
    if (fault?.delayMs !== undefined) await wait(fault.delayMs)
    const fails = fault !== undefined && (fault.status !== undefined || fault.dropSocket === true)
    if (fails && fault.after !== true) {
      if (fault.dropSocket === true) return void request.socket.resetAndDestroy()
      await readBody(request).catch(() => undefined) // The body is not looked at: the answer is the fault anyway.
      return send(response, faultReply(fault.status ?? 500))
    }
    const answered = await answer(request, path, url.searchParams).catch((cause: unknown): Answered => ({
      reply: replyFor(parts, cause),
      headers: {}
    }))
    if (exchanges.hasSubscribers)
      exchanges.publish({
        method: request.method ?? "GET",
        path,
        sent: answered.sent,
        ...answered.reply
      } satisfies Exchange)
    if (!fails) return send(response, answered)
    if (fault.dropSocket === true) return void request.socket.resetAndDestroy()
    return send(response, faultReply(fault.status ?? 500))
  }
}

interface Answered {
  readonly reply: Reply
  /** The JSON that was asked with. */
  readonly sent?: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A refusal keeps the headers of its bucket. */
const attempt = (parts: Parts, handle: () => Reply): Reply => {
  try {
    return handle()
  } catch (cause) {
    return replyFor(parts, cause)
  }
}

const replyFor = (parts: Parts, cause: unknown): Reply => {
  if (cause instanceof DiscordError) return { status: cause.status, body: cause.body }
  parts.settings.log(`discord-emulator: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
  return { status: 500, body: { message: "500: Internal Server Error", code: 0 } }
}

const faultReply = (status: number): Answered =>
  status === 429
    ? {
        reply: { status, body: { message: "You are being rate limited.", retry_after: 1, global: false } },
        headers: { "retry-after": "1", "x-ratelimit-scope": "shared" }
      }
    : { reply: { status, body: { message: `${status}: fault on demand`, code: 0 } }, headers: {} }

const send = (response: ServerResponse, { headers, reply }: Answered): void => {
  if (response.destroyed) return
  // A content type on an empty answer makes clients parse nothing as JSON.
  if (reply.body === undefined) return void response.writeHead(reply.status, headers).end()
  const text = Buffer.from(JSON.stringify(reply.body))
  response
    .writeHead(reply.status, { ...headers, "content-type": "application/json", "content-length": text.length })
    .end(text)
}
