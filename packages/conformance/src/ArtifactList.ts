import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import type { Run } from "./Check.ts"
import { at } from "./Expect.ts"
import { isRecord } from "./internal/Words.ts"
import { Wire, type Answer } from "./Wire.ts"

/** The answer to the list with this query. */
export function list(query: string) {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* Wire).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* Api.send(Api.get(`${sandboxUrl}/api/session/artifacts${query}`, { token: { token } }))
  })
}

export function onSandbox(use: (sandboxUrl: string, token: string) => Run): Run {
  return Effect.gen(function* () {
    const { sandboxUrl, token } = yield* (yield* Wire).task
    if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
    return yield* use(sandboxUrl, token)
  })
}

export function entries(answer: Answer): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const found = at(answer.json, "data.artifacts")
  return Array.isArray(found) ? found.filter(isRecord) : []
}

export function artifacts(answer: Answer) {
  return entries(answer)
    .map(({ artifact }) => artifact)
    .filter(isRecord)
}

export function uris(answer: Answer): ReadonlyArray<string> {
  return artifacts(answer).map(({ uri }) => String(uri))
}
