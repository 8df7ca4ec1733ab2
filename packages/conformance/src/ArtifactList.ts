import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import type { Run } from "./Check.ts"
import { CheckContext } from "./CheckContext.ts"
import type { Response } from "./HttpMessage.ts"
import { at, isRecord } from "./internal/Json.ts"

/** Lists artifacts with this query. */
export function list(query: string) {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* CheckContext).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* Api.send(Api.get(`${sandboxUrl}/api/session/artifacts${query}`, { token: { token } }))
  })
}

export function withSandbox(use: (sandboxUrl: string, token: string) => Run): Run {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* CheckContext).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* use(sandboxUrl, token)
  })
}

export function entries(response: Response): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const found = at(response.json, "data.artifacts")
  return Array.isArray(found) ? found.filter(isRecord) : []
}

export function artifacts(response: Response) {
  return entries(response)
    .map(({ artifact }) => artifact)
    .filter(isRecord)
}

export function uris(response: Response): ReadonlyArray<string> {
  return artifacts(response).map(({ uri }) => String(uri))
}
