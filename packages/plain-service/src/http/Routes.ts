import type { ApiRequest } from "./ApiRequest.ts"
import { Refusal } from "./Refusal.ts"
import type { Reply } from "./Reply.ts"

/** An operation of the document at its address (4). */
export interface Route {
  readonly method: string
  /** Matches the whole path; its groups are the arguments. */
  readonly path: RegExp
  readonly handle: (request: ApiRequest, ...groups: ReadonlyArray<string>) => Reply
}

/** Answers a request by the route that fits, or with 404 (7.1). */
export const route = (routes: ReadonlyArray<Route>, request: ApiRequest): Reply => {
  for (const { handle, method, path } of routes) {
    const match = method === request.method ? path.exec(request.path) : null
    if (match !== null) return handle(request, ...match.slice(1).map((group) => group ?? ""))
  }
  throw Refusal.api(404, "not_found", `no ${request.method} ${request.path}`)
}
