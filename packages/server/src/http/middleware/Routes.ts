import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as Chunk from "effect/Chunk"

/** What a path means, whatever the method. */
export interface Route {
  /** The pattern that the path fits, such as `/openapi/v2/tasks/:task_id`; it contains no value of the caller. */
  readonly pattern: string
  /** The methods that are answered there, sorted; none when there is no such path. For the `Allow` header. */
  readonly methods: ReadonlyArray<string>
}

/** Maximum length of a path parameter, in characters after decoding. */
export const maxParameter = 512

/**
 * Finds paths among the routes of a router, as they are when this is called. It reads a path as the router does: what is
 * percent-encoded wrongly or has a parameter above {@link maxParameter} is no path of any route.
 */
export const of = (router: HttpRouter.HttpRouter<unknown, unknown>): ((url: string) => Route) => {
  const fixed = new Map<string, Route>()
  const open: Array<{ readonly parts: ReadonlyArray<string>; readonly route: Route }> = []
  const methodsOf = new Map<string, Set<string>>()
  for (const { method, path } of Chunk.toReadonlyArray(router.routes)) {
    const methods = methodsOf.get(path) ?? new Set(["OPTIONS"])
    if (method !== "*") methods.add(method)
    if (method === "GET") methods.add("HEAD")
    methodsOf.set(path, methods)
  }
  for (const [pattern, methods] of methodsOf) {
    const route = { pattern, methods: [...methods].sort() }
    if (/[:*]/.test(pattern)) open.push({ parts: pattern.split("/"), route })
    else fixed.set(pattern, route)
  }
  const find = (path: string): Route | undefined => {
    const parts = path.split("/")
    return fixed.get(path) ?? open.find((each) => matches(each.parts, parts))?.route
  }
  return (url) => {
    const path = url.replace(/^https?:\/\/[^/]*(?=\/)/, "")
    const end = path.search(/[?;#]/)
    const bare = decoded(end < 0 ? path : path.slice(0, end))?.replace(/(?<=.)\/$/, "")
    return (bare === undefined ? undefined : find(bare)) ?? noRoute
  }
}

/** The path with its letters as what they mean; an encoded delimiter stays one, and undefined for a wrong encoding. */
const decoded = (path: string): string | undefined => {
  if (!path.includes("%")) return path
  try {
    return decodeURI(path.replaceAll("%25", "%2525"))
  } catch {
    return undefined
  }
}

const noRoute: Route = { pattern: "none", methods: [] }

const matches = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern[pattern.length - 1] === "*"
    ? path.length >= pattern.length && same(pattern.slice(0, -1), path)
    : path.length === pattern.length && same(pattern, path)

const same = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.every((part, index) => (part.startsWith(":") ? isParameter(path[index] ?? "") : part === path[index]))

const isParameter = (text: string): boolean =>
  text !== "" && (text.length <= maxParameter || decodeURIComponent(text).length <= maxParameter)
