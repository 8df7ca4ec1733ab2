import * as AcpSession from "@heddle/acp/AcpSession"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionControls from "@heddle/acp/SessionControls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { peer, watch } from "./fixtures/Peer.ts"
import { says } from "./fixtures/Session.ts"

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "plan", name: "Plan", description: "Reads only" }
  ]
}
const models = { currentModelId: "small", availableModels: [{ modelId: "small", name: "Small" }, { modelId: "large" }] }
const select = (id: string, category: string | undefined, currentValue: string, values: ReadonlyArray<string>) => ({
  id,
  name: id,
  type: "select",
  currentValue,
  ...(category === undefined ? {} : { category }),
  options: values.map((value) => ({ value, name: value.toUpperCase() }))
})
const web = { id: "web", name: "Web search", type: "boolean", currentValue: false }

const open = Effect.fnUntraced(function* (answer: unknown, answers: Record<string, unknown> = {}) {
  const agent = peer({ "session/load": answer, ...answers })
  const session = yield* AcpSession.make(agent.transport, { sessionId: "s1" })
  const controls = Effect.map(session.state, SessionControls.of)
  return { agent, session, controls, ...(yield* watch(session)) }
})

const currents = ({ mode, model, options }: SessionControls.Controls) => ({
  mode: mode?.current,
  model: model?.current,
  options: Object.fromEntries(options.map(({ configId, current }) => [configId, current]))
})

describe("what a session offers to choose", () => {
  it.scoped("is read from modes, from models and from options", () =>
    Effect.gen(function* () {
      const nothing = yield* open(null)
      assert.deepStrictEqual(yield* nothing.controls, { options: [] })
      const older = yield* open({ modes, models, configOptions: null })
      assert.deepStrictEqual(currents(yield* older.controls), { mode: "ask", model: "small", options: {} })
      assert.deepStrictEqual((yield* older.controls).mode?.values[1], {
        id: "plan",
        name: "Plan",
        description: "Reads only"
      })
      assert.deepStrictEqual((yield* older.controls).model?.values[1], { id: "large", name: "large" })
      const grouped = {
        ...select("m", "model", "b", []),
        options: [{ group: "g", name: "G", options: [{ value: "b", name: "B" }] }]
      }
      const newer = yield* open({
        configOptions: [select("mode", "mode", "x", ["x", "y"]), grouped, web, { type: "odd" }]
      })
      assert.deepStrictEqual(currents(yield* newer.controls), { mode: "x", model: "b", options: { web: false } })
      assert.deepStrictEqual((yield* newer.controls).model?.values, [{ id: "b", name: "B" }])
    })
  )

  it.scoped("is chosen by whichever request the agent has, and changes at once", () =>
    Effect.gen(function* () {
      const effort = select("effort", "thought_level", "low", ["low", "high"])
      const older = yield* open(
        { modes, models, configOptions: [effort] },
        {
          "session/set_mode": {},
          "session/set_model": null,
          "session/set_config_option": { configOptions: [{ ...effort, currentValue: "high" }] }
        }
      )
      yield* older.session.setMode("plan")
      yield* older.session.setModel("large")
      yield* older.session.setConfigOption("effort", "high")
      assert.deepStrictEqual(currents(yield* older.controls), {
        mode: "plan",
        model: "large",
        options: { effort: "high" }
      })
      const { params } = yield* older.agent.received("session/set_mode")
      assert.deepStrictEqual(params, { sessionId: "s1", modeId: "plan" })

      const newer = yield* open(
        { configOptions: [select("m", "mode", "x", ["x", "y"]), select("n", "model", "a", ["a", "b"]), web] },
        { "session/set_config_option": {} }
      )
      yield* newer.session.setMode("y")
      yield* newer.session.setModel("b")
      yield* newer.session.setConfigOption("web", true)
      assert.deepStrictEqual(currents(yield* newer.controls), { mode: "y", model: "b", options: { web: true } })
      const third = yield* newer.agent.received("session/set_config_option", 3)
      assert.deepStrictEqual(third.params, { sessionId: "s1", configId: "web", type: "boolean", value: true })
    })
  )

  it.scoped("stays as it is when the agent refuses, and follows the agent and other clients", () =>
    Effect.gen(function* () {
      const refusal = new JsonRpc.RpcError({ code: -32602, message: "There is no such mode" })
      const { agent, controls, session, until } = yield* open({ modes }, { "session/set_mode": refusal })
      const error = yield* Effect.flip(session.setMode("nothing"))
      assert.strictEqual(error.message, "There is no such mode")
      assert.strictEqual((yield* controls).mode?.current, "ask")
      agent.update({ sessionUpdate: "current_mode_update", currentModeId: "plan" })
      agent.update({ sessionUpdate: "config_option_update", configOptions: [web] })
      yield* until("StateChanged", 2)
      assert.deepStrictEqual(currents(yield* controls), { mode: "plan", model: undefined, options: { web: false } })
    })
  )

  it.scoped("is kept over a replay without it", () =>
    Effect.gen(function* () {
      const { agent, controls, until } = yield* open({ modes, models, configOptions: [web] })
      agent.update(says("hello"))
      agent.answers["session/load"] = null
      agent.interrupt()
      agent.connect(true)
      yield* until("Ready")
      assert.deepStrictEqual(currents(yield* controls), { mode: "ask", model: "small", options: { web: false } })
    })
  )
})
