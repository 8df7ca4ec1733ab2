import type { BucketName } from "../../limits/RateRules.ts"
import type { Context } from "../../context/Context.ts"
import type { Body } from "../../http/RequestBody.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { Form } from "../../validate/Form.ts"

/** A matched request. */
export interface Call extends Body {
  /** The id of the user whose permissions apply: the bot, or a person who acts. */
  readonly actorId: string
  /** The requested locale, such as `de`. */
  readonly locale?: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** A status and a JSON body, if there is one. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
}

/** One route; `:name` in the path is a parameter. */
export interface Route {
  readonly method: string
  readonly path: string
  /** The buckets that count the request. */
  readonly bucket?: (call: Call) => ReadonlyArray<BucketName>
  /** The token in the path authorizes the request, and the global limit does not count it. */
  readonly tokenInPath?: boolean
  /** Its JSON may contain a picture as base64, so a larger body is allowed. */
  readonly acceptsPicture?: boolean
  readonly handle: (call: Call) => Reply
}

/** Makes a route. */
export const route = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  handle: Route["handle"],
  options: Omit<Route, "method" | "path" | "handle"> = {}
): Route => ({ method, path, handle, ...options })

/** A matched route and the parameters of its path. */
export interface MatchedRoute {
  readonly result: "route"
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The route of a method and path, or why there is none. */
export type RouteMatch = MatchedRoute | { readonly result: "method not allowed" | "not found" }

/** Reads a boolean of the query, which libraries write in several ways. */
export const isSet = ({ query }: Call, name: string): boolean => /^(true|1)$/i.test(query.get(name) ?? "")

/** Makes the function that finds the route of a path; the first match wins. */
export const makeRouter = (routes: ReadonlyArray<Route>): ((method: string, path: string) => RouteMatch) => {
  const compiled = routes.map((route) => ({ route, pattern: route.path.split("/") }))
  return (method, path) => {
    const parts = path.split("/")
    let hasOtherMethod = false
    for (const { pattern, route } of compiled) {
      const params = matchPath(pattern, parts)
      if (params === undefined) continue
      if (route.method === method) return { result: "route", route, params }
      hasOtherMethod = true
    }
    return { result: hasOtherMethod ? "method not allowed" : "not found" }
  }
}

/** Handles a request that passed its rate limits. */
export const handleCall = (route: Route, call: Call): Reply => {
  requireIds(call.params)
  return route.handle(call)
}

/** Throws 50035 unless every id in the path is one. */
const requireIds = (params: Call["params"]): void => {
  const form = new Form()
  for (const [name, value] of Object.entries(params)) {
    const alias = idAliases[name]
    if (alias !== undefined && value !== alias) form.id({ [`${name}_id`]: value }, `${name}_id`, [])
  }
  form.throwIfInvalid()
}

/** The parameters that are ids, each with the alias that a path may use instead. */
const idAliases: Readonly<Record<string, string>> = {
  application: "@me",
  channel: "",
  command: "",
  guild: "",
  interaction: "",
  message: "@original",
  overwrite: "",
  role: "",
  user: "@me",
  webhook: ""
}

/** A parameter that the path of the route declares. */
export const param = (call: Call, name: string): string => call.params[name] ?? ""

/** Routes below `/guilds/:guild`: throws 10004 for another guild and 50001 for a user who is no member. */
export const inGuild = ({ store }: Context, routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.map((route) => ({
    ...route,
    handle: (call) => {
      if (param(call, "guild") !== store.guild.guildId) throw apiErrors.unknownGuild()
      if (!store.members.has(call.actorId)) throw apiErrors.missingAccess()
      return route.handle(call)
    }
  }))

/** 200 with JSON. */
export const ok = (body: unknown): Reply => ({ status: 200, body })

/** 204 without a body, and so without a content type. */
export const noContent: Reply = { status: 204 }

/** The parameters of a path that matches the pattern. */
const matchPath = (
  pattern: ReadonlyArray<string>,
  parts: ReadonlyArray<string>
): Record<string, string> | undefined => {
  if (pattern.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, patternPart] of pattern.entries()) {
    const part = parts[index] ?? ""
    if (!patternPart.startsWith(":")) {
      if (decodePart(part) !== patternPart) return undefined
      continue
    }
    const value = decodePart(part)
    if (value === undefined || value === "") return undefined
    params[patternPart.slice(1)] = value
  }
  return params
}

const decodePart = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    // A path that cannot be decoded matches no route.
    return undefined
  }
}
