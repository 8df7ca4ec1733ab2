import { assert, describe, it } from "@effect/vitest"
import { choosingAgent } from "@heddle/test-support/Agents"
import * as Duration from "effect/Duration"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Client, type Message } from "../support/client.ts"
import { isAlive } from "../support/processes.ts"
import { temporary } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

const agent = (...flags: ReadonlyArray<string>) => ({ agentCommand: [process.execPath, choosingAgent, ...flags] })

const isMode = (modeId: string) => (message: Message) =>
  message.params?.update?.sessionUpdate === "current_mode_update" && message.params.update.currentModeId === modeId

const isOptions = (fits: (values: Record<string, unknown>) => boolean) => (message: Message) =>
  message.params?.update?.sessionUpdate === "config_option_update" && fits(valuesOf(message.params.update))

const valuesOf = ({ configOptions = [] }: { configOptions?: ReadonlyArray<{ id: string; currentValue: unknown }> }) =>
  Object.fromEntries(configOptions.map(({ currentValue, id }) => [id, currentValue]))

/** A client that knows options that are on or off. */
const withSwitches = async (task: Client["task"]) => {
  const client = await Client.open(task)
  await client.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: { session: { configOptions: { boolean: {} } } }
  })
  return client
}

const setMode = (client: Client, modeId: string) =>
  client.request("session/set_mode", { sessionId: client.task.taskId, modeId })

const setOption = (client: Client, configId: string, value: string | boolean) =>
  client.request("session/set_config_option", {
    sessionId: client.task.taskId,
    configId,
    ...(typeof value === "boolean" ? { type: "boolean" } : {}),
    value
  })

/** What the agent has, as it says it in a turn. */
const stateOf = async (client: Client) => {
  const before = client.text.length
  await client.prompt("state")
  const text = client.text.slice(before)
  return JSON.parse(text.slice(text.lastIndexOf("{")))
}

const requests = ({ task }: Client): ReadonlyArray<readonly [string, unknown]> =>
  Fs.readFileSync(Path.join(task.folder, "requests.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

const forgetRequests = ({ task }: Client) => Fs.rmSync(Path.join(task.folder, "requests.log"))

describe("modes, models and options", () => {
  const start = serviceOfTest()

  it("reach a client that loads the session, and one that asks for a new one", async () => {
    const service = await start(agent("modes", "models", "options"))
    const one = await withSwitches(await service.task())
    const { result } = await one.load()
    assert.strictEqual(result.modes.currentModeId, "ask")
    assert.lengthOf(result.modes.availableModes, 3)
    assert.strictEqual(result.models.currentModelId, "small")
    assert.deepStrictEqual(valuesOf(result), { effort: "low", web: false, model: "small" })
    const created = await one.request("session/new", { cwd: "/", mcpServers: [] })
    assert.deepStrictEqual(created.result, { ...result, sessionId: one.task.taskId })
  })

  it("leave out the options that are on or off for a client that does not know them", async () => {
    const service = await start(agent("options"))
    const task = await service.task()
    const [plain, other] = [await Client.loaded(task), await withSwitches(task)]
    await other.load()
    assert.deepStrictEqual(valuesOf((await plain.load()).result), { effort: "low" })
    assert.deepStrictEqual(valuesOf((await setOption(other, "web", true)).result), { effort: "low", web: true })
    assert.deepStrictEqual(valuesOf((await setOption(plain, "effort", "high")).result), { effort: "high" })
    await other.message(isOptions(({ effort, web }) => effort === "high" && web === true))
    const update = await plain.message(isOptions(({ effort }) => effort === "high"))
    assert.deepStrictEqual(valuesOf(update.params.update), { effort: "high" })
    const again = await Client.loaded(task)
    const replayed = again.messages.filter(isOptions(({ effort }) => effort === "high"))
    assert.deepStrictEqual(valuesOf(replayed[0]?.params.update), { effort: "high" })
  })

  it("are heard of once by every client when one chooses", async () => {
    for (const flags of [["modes"], ["modes", "quiet"]]) {
      const service = await start(agent(...flags, "options", "models"))
      const task = await service.task()
      const [one, two] = [await Client.loaded(task), await Client.loaded(task)]
      assert.deepStrictEqual((await setMode(one, "plan")).result, {})
      await two.message(isMode("plan"))
      await setOption(one, "effort", "high")
      await two.message(isOptions(({ effort }) => effort === "high"))
      const { result } = await one.request("session/set_model", { sessionId: task.taskId, modelId: "large" })
      assert.deepStrictEqual(result, {})
      await two.message(isOptions(({ model }) => model === "large"))
      const answer = await setOption(two, "model", "small")
      assert.deepStrictEqual(valuesOf(answer.result), { effort: "high", model: "small" })
      await one.message(isOptions(({ effort, model }) => effort === "high" && model === "small"))
      await one.prompt("mode auto")
      await two.message(isMode("auto"))
      for (const mode of ["plan", "auto"]) assert.lengthOf(two.messages.filter(isMode(mode)), 1)
      assert.include(await stateOf(one), { mode: "auto", model: "small", effort: "high" })
      await service.stop()
    }
  })

  it("are read and not chosen by a client whose ticket may only read", async () => {
    const service = await start(agent("modes"))
    const task = await service.task({ mayInvoke: false })
    const reader = await Client.loaded(task)
    const writer = await Client.loaded(await service.reopen(task.taskId))
    const { taskId: sessionId } = task
    const prompt = [{ type: "text", text: "echo hello" }]
    for (const [method, params] of [
      ["session/set_mode", { sessionId, modeId: "plan" }],
      ["session/set_model", { sessionId, modelId: "large" }],
      ["session/set_config_option", { sessionId, configId: "effort", value: "high" }],
      ["session/prompt", { sessionId, prompt }],
      ["session/cancel", { sessionId }],
      ["session/load", { sessionId, cwd: "/", mcpServers: [{ name: "m", command: "sh", args: [], env: [] }] }]
    ] as const) {
      const response = await reader.post({ jsonrpc: "2.0", id: 100, method, params })
      assert.strictEqual(response.status, 403, method)
      assert.match(await response.text(), /user\.task\.invokable[^]*Nothing was done/)
    }
    const answer = await reader.post({ jsonrpc: "2.0", id: 1, result: { outcome: { outcome: "cancelled" } } })
    assert.strictEqual(answer.status, 403)
    await setMode(writer, "plan")
    await reader.message(isMode("plan"))
    assert.strictEqual((await reader.load()).result.modes.currentModeId, "plan")
  })

  it("stay as they were when the agent refuses", async () => {
    const service = await start(agent("modes"))
    const one = await Client.loaded(await service.task())
    assert.include(String((await setMode(one, "nothing")).error?.message), "There is no mode nothing")
    assert.isDefined((await setOption(one, "effort", "high")).error)
    assert.strictEqual((await one.load()).result.modes.currentModeId, "ask")
  })

  it("are kept over the end of an unused agent: only what differs is set again, before the next prompt", async () => {
    for (const flag of ["forgets", "vague"]) {
      const service = await start({
        ...agent("modes", "models", "options", flag),
        sandbox: { agentIdle: Duration.millis(200) }
      })
      const one = await withSwitches(await service.task())
      await one.load()
      await one.prompt("echo hello")
      await setMode(one, "plan")
      await setOption(one, "web", true)
      await setOption(one, "model", "large")
      // The same as the default of the agent.
      await setOption(one, "effort", "low")
      await agentEnded(one)
      forgetRequests(one)
      const before = one.messages.length
      assert.include(await stateOf(one), { mode: "plan", model: "large", effort: "low", web: true }, flag)
      const options = flag === "forgets" ? 1 : 2
      assert.deepStrictEqual(
        requests(one).map(([method]) => method),
        [
          "initialize",
          "session/load",
          "session/set_model",
          ...Array.from({ length: options }, () => "session/set_config_option"),
          "session/set_mode",
          "session/prompt"
        ],
        flag
      )
      // For the clients nothing has changed.
      assert.deepStrictEqual(one.messages.slice(before).filter(isChoice), [])
      await service.stop()
    }
  })

  it("are kept over the end of an agent where only the chosen model has the option", async () => {
    const service = await start({
      ...agent("models", "options", "forgets", "depends"),
      sandbox: { agentIdle: Duration.millis(200) }
    })
    const one = await Client.loaded(await service.task())
    await one.prompt("echo hello")
    await setOption(one, "model", "large")
    await setOption(one, "effort", "high")
    await agentEnded(one)
    const before = one.messages.length
    assert.include(await stateOf(one), { model: "large", effort: "high" })
    assert.notMatch(one.text, /no longer/)
    // For the clients nothing has changed.
    assert.deepStrictEqual(one.messages.slice(before).filter(isChoice), [])
    // The agent is stopped, and starts with another model.
    await agentEnded(one)
    assert.deepStrictEqual(valuesOf((await setOption(one, "effort", "low")).result), { effort: "low", model: "large" })
    assert.include(await stateOf(one), { model: "large", effort: "low" })
    assert.notMatch(one.text, /no longer/)
  })

  it("are taken while the agent starts or is stopped, and kept over a restart of the service", async () => {
    const dataDir = temporary()
    const options = {
      ...agent("modes", "options", "forgets"),
      dataDir,
      sandbox: { agentIdle: Duration.millis(200) }
    } as const
    const service = await start(options)
    const first = await Client.open(await service.task())
    // The agent is starting.
    assert.deepStrictEqual((await setMode(first, "plan")).result, {})
    await agentEnded(first)
    const one = await Client.loaded(first.task)
    // The agent is stopped.
    await setOption(one, "effort", "high")
    assert.include(await stateOf(one), { mode: "plan", effort: "high" })
    // Nothing was said before that the agent could have forgotten.
    assert.notMatch(one.text, /started anew/)
    await service.stop()

    const again = await start(options)
    const two = await Client.loaded(await again.reopen(one.task.taskId))
    const { result } = await two.load()
    assert.strictEqual(result.modes.currentModeId, "plan")
    assert.deepStrictEqual(valuesOf(result), { effort: "high" })
    assert.include(await stateOf(two), { mode: "plan", effort: "high" })
  })

  it("follow the agent that changes its mode in a turn, also after its death", async () => {
    const service = await start(agent("modes", "forgets"))
    const one = await Client.loaded(await service.task())
    await setMode(one, "plan")
    await one.prompt("mode auto")
    await one.prompt("die")
    assert.include(await stateOf(one), { mode: "auto" })
  })

  it("are dropped with a word when the agent no longer offers them", async () => {
    const service = await start({
      ...agent("modes", "options", "forgets"),
      sandbox: { agentIdle: Duration.millis(200) }
    })
    const one = await Client.loaded(await service.task())
    await one.prompt("echo hello")
    await setMode(one, "plan")
    await setOption(one, "effort", "high")
    await agentEnded(one)
    const modes = [{ id: "ask", name: "Always ask" }]
    Fs.writeFileSync(Path.join(one.task.folder, "offers.json"), JSON.stringify({ modes }))
    assert.include(await stateOf(one), { mode: "ask", effort: "high" })
    const notice =
      /The agent no longer offers the mode "Plan", which was chosen for this task. It goes on with mode "Always ask"/
    assert.match(one.text, notice)
    await one.message(isMode("ask"))
    const length = one.text.length
    await agentEnded(one)
    assert.include(await stateOf(one), { mode: "ask", effort: "high" })
    assert.notMatch(one.text.slice(length), /no longer/)
  })
})

const isChoice = ({ params }: Message) =>
  ["current_mode_update", "config_option_update"].includes(params?.update?.sessionUpdate)

/** Waits until the agent has ended because it is not used. */
const agentEnded = async ({ task }: Client) => {
  const pid = Number(Fs.readFileSync(Path.join(task.folder, "agent.pid"), "utf8"))
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}
