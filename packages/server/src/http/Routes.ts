import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as Chunk from "effect/Chunk"

/** What a path means, whatever the method. */
export interface Known {
  /** The pattern that the path fits, such as `/openapi/v2/tasks/:task_id`; it holds nothing of the caller's. */
  readonly pattern: string
  /** The methods that are answered there, sorted; none when there is no such path. For the `Allow` header. */
  readonly methods: ReadonlyArray<string>
}

/** Finds paths among the routes of a router, as they are when this is called. */
export const of = (router: HttpRouter.HttpRouter<unknown, unknown>): ((url: string) => Known) => {
  const fixed = new Map<string, Known>()
  const open: Array<{ readonly parts: ReadonlyArray<string>; readonly known: Known }> = []
  const methodsOf = new Map<string, Set<string>>()
  for (const { method, path } of Chunk.toReadonlyArray(router.routes)) {
    const methods = methodsOf.get(path) ?? new Set(["OPTIONS"])
    if (method !== "*") methods.add(method)
    if (method === "GET") methods.add("HEAD")
    methodsOf.set(path, methods)
  }
  for (const [pattern, methods] of methodsOf) {
    const known = { pattern, methods: [...methods].sort() }
    if (/[:*]/.test(pattern)) open.push({ parts: pattern.split("/"), known })
    else fixed.set(pattern, known)
  }
  const find = (path: string): Known | undefined => {
    const parts = path.split("/")
    return fixed.get(path) ?? open.find((route) => matches(route.parts, parts))?.known
  }
  return (url) => {
    const end = url.search(/[?#]/)
    const path = (end < 0 ? url : url.slice(0, end)).replace(/(?<=.)\/$/, "")
    // The router takes percent-encoded letters for what they mean.
    return find(path) ?? (path.includes("%") ? find(decoded(path)) : undefined) ?? nothing
  }
}

const decoded = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    // A stray percent sign fits no route.
    return ""
  }
}

const nothing: Known = { pattern: "none", methods: [] }

const matches = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern[pattern.length - 1] === "*"
    ? path.length >= pattern.length && same(pattern.slice(0, -1), path)
    : path.length === pattern.length && same(pattern, path)

const same = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.every((part, index) => (part.startsWith(":") ? path[index] !== "" : part === path[index]))
