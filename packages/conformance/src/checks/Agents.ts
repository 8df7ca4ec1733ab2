import * as Effect from "effect/Effect"
import * as Api from "../Api.ts"
import { decided, type Check } from "../Check.ts"
import { errorResponse, field, status } from "../Expectation.ts"
import { at } from "../internal/Json.ts"
import * as Matcher from "../Matcher.ts"

/** The names of the agents, at a service that knows this extension. */
const agents = Effect.gen(function* () {
  const response = yield* Api.send(Api.get("/agents"))
  if ([404, 405, 501].includes(response.status)) return yield* Api.skip("the service offers no choice of agents")
  yield* Api.verify(response, status(200))
  const offered = at(response.json, "agents")
  const names = (Array.isArray(offered) ? offered : []).map((agent: unknown) => at(agent, "name"))
  yield* Api.assert(
    names.length > 0 && names.every((name) => typeof name === "string" && name !== ""),
    "agents is a list of objects with a name, and not empty"
  )
  yield* Api.assert(new Set(names).size === names.length, "each agent has a name of its own")
  return names.map(String)
})

const taskWith = (fields: Readonly<Record<string, unknown>>) =>
  Api.post("/tasks", { prompt: "Say hello.", name: "Conformance: agents", ...fields })

/** The choice of an agent, an extension (contract decision 122). */
export const checks: ReadonlyArray<Check> = [
  decided(
    "4.9",
    "a task without an agent has the first one that the service lists",
    { decisions: [122] },
    function* () {
      const [first] = yield* agents
      yield* Api.send(taskWith({}), status(200, 201), field("agent", Matcher.is(first)))
    }
  ),
  decided(
    "4.9",
    "a task has the agent that its creation names, also when it is read",
    { decisions: [122] },
    function* () {
      const last = (yield* agents).at(-1)
      const { json } = yield* Api.send(taskWith({ agent: last }), status(200, 201), field("agent", Matcher.is(last)))
      const path = `/tasks/${encodeURIComponent(String(at(json, "task_id")))}`
      yield* Api.send(Api.get(path), status(200), field("agent", Matcher.is(last)))
    }
  ),
  decided("4.9", "an agent that the service does not list is 400 invalid_request", { decisions: [122] }, function* () {
    yield* agents
    yield* Api.send(taskWith({ agent: "conformance-no-such-agent" }), errorResponse(400, "invalid_request"))
  }),
  decided("5.1", "the agents are not listed without an access token", { decisions: [122] }, function* () {
    yield* agents
    yield* Api.send(Api.get("/agents", { token: "none" }), status(401))
  })
]
