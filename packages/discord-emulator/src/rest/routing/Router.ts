import type { BucketName } from "../../limits/Limits.ts"
import type { Context } from "../../context/Context.ts"
import type { Body } from "../../http/RequestBody.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import { Form } from "../../validate/Form.ts"

/** A matched request. */
export interface Call extends Body {
  /** The id of the user whose permissions apply: the bot, or a person who acts. */
  readonly by: string
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
  readonly pictures?: boolean
  readonly handle: (call: Call) => Reply
}

/** Makes a route. */
export const route = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  handle: Route["handle"],
  options: Omit<Route, "method" | "path" | "handle"> = {}
): Route => ({ method, path, handle, ...options })

/** A route and the parameters in the path that led to it. */
export interface Found {
  readonly found: "route"
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** What a method and path lead to. */
export type Match = Found | { readonly found: "other method" | "nothing" }

/** Makes the function that finds the route of a path; the first that fits wins. */
export const makeRouter = (routes: ReadonlyArray<Route>): ((method: string, path: string) => Match) => {
  const compiled = routes.map((route) => ({ route, parts: route.path.split("/") }))
  return (method, path) => {
    const parts = path.split("/")
    let otherMethod = false
    for (const { parts: wanted, route } of compiled) {
      const params = match(wanted, parts)
      if (params === undefined) continue
      if (route.method === method) return { found: "route", route, params }
      otherMethod = true
    }
    return { found: otherMethod ? "other method" : "nothing" }
  }
}

/** Answers a request that its limits let through. */
export const callRoute = (route: Route, call: Call): Reply => {
  requireIds(call.params)
  return route.handle(call)
}

/** Refuses paths with something else where an id has to be. */
const requireIds = (params: Call["params"]): void => {
  const form = new Form()
  for (const [name, value] of Object.entries(params)) {
    const word = idAliases[name]
    if (word !== undefined && value !== word) form.id({ [`${name}_id`]: value }, `${name}_id`, [])
  }
  form.check()
}

/** The parameters that are ids, each with the word that may stand for one. */
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

/** A parameter that the path surely has. */
export const param = (call: Call, name: string): string => call.params[name] ?? ""

/** Routes below a guild, which only its members reach: another one is unknown. */
export const inGuild = ({ store }: Context, routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.map((route) => ({
    ...route,
    handle: (call) => {
      if (param(call, "guild") !== store.realm.guildId) throw apiErrors.unknownGuild()
      if (!store.members.has(call.by)) throw apiErrors.missingAccess()
      return route.handle(call)
    }
  }))

/** 200 with JSON. */
export const ok = (body: unknown): Reply => ({ status: 200, body })

/** 204 without a body, and so without a content type. */
export const noContent: Reply = { status: 204 }

const match = (wanted: ReadonlyArray<string>, parts: ReadonlyArray<string>): Record<string, string> | undefined => {
  if (wanted.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, want] of wanted.entries()) {
    const part = parts[index] ?? ""
    if (!want.startsWith(":")) {
      if (decode(part) !== want) return undefined
      continue
    }
    const value = decode(part)
    if (value === undefined || value === "") return undefined
    params[want.slice(1)] = value
  }
  return params
}

const decode = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    // A path that cannot be decoded matches no route.
    return undefined
  }
}
