import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as Chunk from "effect/Chunk"

/** The route of a path for any method. */
export interface Route {
  /** The matching pattern, such as `/openapi/v2/tasks/:task_id`; it contains no value of the caller. */
  readonly pattern: string
  /** The supported methods for the `Allow` header, sorted; none for an unknown path. */
  readonly methods: ReadonlyArray<string>
}

/** Maximum length of a path parameter, in characters after decoding. */
export const maxParameterLength = 512

/**
 * Makes a lookup of routes by path. It reads a path as the router does: invalid percent-encoding or a parameter longer
 * than {@link maxParameterLength} matches no route.
 */
export const of = (router: HttpRouter.HttpRouter<unknown, unknown>): ((url: string) => Route) => {
  const staticRoutes = new Map<string, Route>()
  const patternRoutes: Array<{ readonly parts: ReadonlyArray<string>; readonly route: Route }> = []
  const methodsOf = new Map<string, Set<string>>()
  for (const { method, path } of Chunk.toReadonlyArray(router.routes)) {
    const methods = methodsOf.get(path) ?? new Set(["OPTIONS"])
    if (method !== "*") methods.add(method)
    if (method === "GET") methods.add("HEAD")
    methodsOf.set(path, methods)
  }
  for (const [pattern, methods] of methodsOf) {
    const route = { pattern, methods: [...methods].sort() }
    if (/[:*]/.test(pattern)) patternRoutes.push({ parts: pattern.split("/"), route })
    else staticRoutes.set(pattern, route)
  }
  const find = (path: string): Route | undefined => {
    const parts = path.split("/")
    return staticRoutes.get(path) ?? patternRoutes.find((candidate) => matches(candidate.parts, parts))?.route
  }
  return (url) => {
    // Most requests write the path as its route is written, without a query or an encoding.
    const exact = /[%;]/.test(url) ? undefined : staticRoutes.get(url)
    if (exact !== undefined) return exact
    const path = url.replace(/^https?:\/\/[^/]*(?=\/)/, "")
    const end = path.search(/[?;#]/)
    const decodedPath = decodePath(end < 0 ? path : path.slice(0, end))?.replace(/(?<=.)\/$/, "")
    return (decodedPath === undefined ? undefined : find(decodedPath)) ?? noRoute
  }
}

/** Decodes a path but keeps encoded delimiters; undefined for an invalid encoding. */
const decodePath = (path: string): string | undefined => {
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
    ? path.length >= pattern.length && matchesParts(pattern.slice(0, -1), path)
    : path.length === pattern.length && matchesParts(pattern, path)

const matchesParts = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.every((part, index) => (part.startsWith(":") ? isParameter(path[index] ?? "") : part === path[index]))

const isParameter = (text: string): boolean =>
  text !== "" && (text.length <= maxParameterLength || decodeURIComponent(text).length <= maxParameterLength)
