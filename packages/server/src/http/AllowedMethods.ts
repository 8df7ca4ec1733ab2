import type * as HttpRouter from "@effect/platform/HttpRouter"
import * as Chunk from "effect/Chunk"

/** The methods that a path answers, sorted; none when there is no such path. For the `Allow` header of a 405. */
export const of = (router: HttpRouter.HttpRouter<unknown, unknown>, url: string): ReadonlyArray<string> => {
  const path = segments(url.split(/[?#]/, 1)[0] ?? "")
  const methods = new Set<string>()
  for (const route of Chunk.toReadonlyArray(router.routes)) {
    if (route.method !== "*" && matches(segments(route.path), path)) {
      methods.add(route.method)
      if (route.method === "GET") methods.add("HEAD")
    }
  }
  return [...methods].sort()
}

const segments = (path: string): ReadonlyArray<string> => path.replace(/\/$/, "").split("/")

const matches = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern[pattern.length - 1] === "*"
    ? path.length >= pattern.length && same(pattern.slice(0, -1), path)
    : path.length === pattern.length && same(pattern, path)

const same = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  pattern.every((part, index) => (part.startsWith(":") ? path[index] !== "" : part === path[index]))
