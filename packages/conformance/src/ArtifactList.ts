import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import type { Expectation } from "./Expectation.ts"
import * as Fixtures from "./Fixtures.ts"
import type { Response } from "./HttpMessage.ts"
import { at, isRecord } from "./internal/Json.ts"

/** The REST URL of the sandbox of the channel's task, and the task's token. */
export const sandbox = Effect.gen(function* () {
  const { sandboxUrl, token } = yield* Fixtures.channelTask
  if (sandboxUrl === undefined) return yield* Api.skip("the link does not end in /acp, so there is no {sandbox_url}")
  return { sandboxUrl, token }
})

/** Lists the artifacts of the common turn's session, or of that in `query`, which begins with "?". */
export const listArtifacts = (query = "", ...expectations: ReadonlyArray<Expectation>) =>
  Effect.gen(function* () {
    yield* Fixtures.turn
    const { taskId } = yield* Fixtures.channelTask
    const { sandboxUrl, token } = yield* sandbox
    return yield* Api.send(Api.get(listUrl(sandboxUrl, taskId, query), { token: { token } }), ...expectations)
  })

/** The URL of a list. It names the session, as a sandbox with several sessions requires (contract 4.14). */
export const listUrl = (sandboxUrl: string, taskId: string, query = ""): string => {
  const parameters = new URLSearchParams(query)
  if (!parameters.has("sessionId")) parameters.set("sessionId", taskId)
  return `${sandboxUrl}/api/session/artifacts?${parameters}`
}

export function entries(response: Response): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const values = at(response.json, "data.artifacts")
  return Array.isArray(values) ? values.filter(isRecord) : []
}

export function artifacts(response: Response) {
  return entries(response)
    .map(({ artifact }) => artifact)
    .filter(isRecord)
}

export function uris(response: Response): ReadonlyArray<string> {
  return artifacts(response).map(({ uri }) => String(uri))
}
