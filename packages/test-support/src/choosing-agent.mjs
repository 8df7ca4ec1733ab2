// An ACP agent for tests that has modes, models, options and commands. What it does in a turn stands in the prompt.
// Flags: modes, models, options, commands (what it offers), quiet (no update after a request), forgets (a loaded session
// has the defaults), vague (a loaded session says nothing of modes), boundless (long
// names of options, one of which is the mode; the prompt `all` changes each), depends (only the large model has the
// option `effort`), refuses (every choice, of models with a
// reason), waits (a model is taken when there is a file `go`). The file `offers.json` of its folder replaces what it
// offers; every request that it gets is a line of `requests.log` there, and `agent.pid` has the id of its process.
import * as Fs from "node:fs"
import * as Readline from "node:readline"

const flags = new Set(process.argv.slice(2))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

Fs.writeFileSync("agent.pid", String(process.pid))

const offers = {
  modes: [
    { id: "ask", name: "Always ask", description: "Asks before each change" },
    { id: "plan", name: "Plan" },
    { id: "auto", name: "Accept edits", description: "Writes files without asking" }
  ],
  models: [
    { modelId: "small", name: "Small model" },
    { modelId: "large", name: "Large model" }
  ],
  options: [
    {
      id: "effort",
      name: "Effort",
      type: "select",
      category: "thought_level",
      currentValue: "low",
      options: [
        { value: "low", name: "Low" },
        { value: "high", name: "High" }
      ]
    },
    { id: "web", name: "Web search", type: "boolean", currentValue: false }
  ],
  ...(Fs.existsSync("offers.json") ? JSON.parse(Fs.readFileSync("offers.json", "utf8")) : {})
}

if (flags.has("boundless")) {
  const options = ["ask", "auto"].map((value) => ({ value, name: `The ${value}\nmode ${"*".repeat(3000)}` }))
  const option = { name: "*".repeat(3000), type: "select", currentValue: "ask", options }
  offers.options = [...Array(9).keys()].map((at) => ({ ...option, id: `option${at}` }))
  offers.options.push({ ...option, id: "mode", name: "Mode", category: "mode" })
}

let sessionId
let knowsBooleans = false
let state = {
  mode: offers.modes[0]?.id,
  model: offers.models[0]?.modelId,
  ...Object.fromEntries(offers.options.map(({ currentValue, id }) => [id, currentValue]))
}

const update = (fields) => send({ method: "session/update", params: { sessionId, update: fields } })
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
const configOptions = () =>
  offers.options
    .filter(({ type }) => type !== "boolean" || knowsBooleans)
    .filter(({ id }) => id !== "effort" || isEffortOffered())
    .map((option) => ({ ...option, currentValue: state[option.id] }))
const isEffortOffered = () => !flags.has("depends") || state.model === "large"
const session = () => ({
  ...(flags.has("modes") ? { modes: { currentModeId: state.mode, availableModes: offers.modes } } : {}),
  ...(flags.has("models") ? { models: { currentModelId: state.model, availableModels: offers.models } } : {}),
  ...(flags.has("options") ? { configOptions: configOptions() } : {})
})
const refuse = (message, code = -32602, data) => {
  throw Object.assign(new Error(message), { code, data })
}
const refuseChoices = (details) => {
  if (flags.has("refuses")) refuse("Internal error", -32603, details === undefined ? undefined : { details })
}
const announceCommands = () => {
  if (!flags.has("commands")) return
  const availableCommands = [
    { name: "review", description: "Reviews the changes", input: { hint: "which files" } },
    { name: "compact", description: "Shortens what it remembers" },
    { name: "/init", description: "Has a slash in its name" },
    { name: "$deploy", description: "A skill" },
    { name: " ", description: "Has no name" },
    { name: "bare", description: "" }
  ]
  update({ sessionUpdate: "available_commands_update", availableCommands })
}
const changeMode = (mode) => {
  state.mode = mode
  update({ sessionUpdate: "current_mode_update", currentModeId: mode })
}

const changeAll = () => {
  for (const { id } of offers.options) state[id] = "auto"
  update({ sessionUpdate: "config_option_update", configOptions: configOptions() })
}

const commands = {
  all: changeAll,
  echo: say,
  state: () => say(JSON.stringify(state)),
  mode: changeMode,
  wait: (millis) => new Promise((resolve) => setTimeout(resolve, Number(millis))),
  die: () => process.exit(9)
}

const methods = {
  initialize: ({ clientCapabilities }) => {
    knowsBooleans = clientCapabilities?.session?.configOptions?.boolean !== undefined
    return { protocolVersion: 1, agentCapabilities: { loadSession: true } }
  },
  "session/new"() {
    sessionId = `agent-${process.pid}`
    setImmediate(announceCommands)
    return { sessionId, ...session() }
  },
  "session/load"(params) {
    if (!Fs.existsSync(`.session-${params.sessionId}`)) refuse("no such session", -32002)
    sessionId = params.sessionId
    if (!flags.has("forgets")) state = { ...state, ...JSON.parse(Fs.readFileSync(`.session-${sessionId}`, "utf8")) }
    say("(replay)")
    setImmediate(announceCommands)
    return flags.has("vague") ? null : session()
  },
  async "session/prompt"({ prompt }) {
    Fs.writeFileSync(`.session-${sessionId}`, JSON.stringify(state))
    const text = prompt.find(({ type }) => type === "text")?.text ?? ""
    for (const line of text.split("\n")) {
      const [command, ...rest] = line.split(" ")
      if (/^[/$]/.test(line)) say(`command ${line}`)
      else await commands[command]?.(rest.join(" "))
    }
    return { stopReason: "end_turn" }
  },
  "session/set_mode"({ modeId }) {
    if (!flags.has("modes")) refuse("Method not found", -32601)
    refuseChoices()
    if (!offers.modes.some(({ id }) => id === modeId)) refuse(`There is no mode ${modeId}`)
    if (flags.has("quiet")) state.mode = modeId
    else changeMode(modeId)
    return {}
  },
  async "session/set_model"({ modelId }) {
    while (flags.has("waits") && !Fs.existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20))
    if (!flags.has("models")) refuse("Method not found", -32601)
    refuseChoices("This account may not use the large model.")
    if (!offers.models.some((model) => model.modelId === modelId)) refuse(`There is no model ${modelId}`)
    state.model = modelId
    if (flags.has("depends")) update({ sessionUpdate: "config_option_update", configOptions: configOptions() })
    return {}
  },
  "session/set_config_option"({ configId, value }) {
    if (!flags.has("options") || !configOptions().some(({ id }) => id === configId)) refuse(`There is no ${configId}`)
    state[configId] = value
    return { configOptions: configOptions() }
  }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  Fs.appendFileSync("requests.log", `${JSON.stringify([method, params?.modeId ?? params?.modelId ?? params?.value])}\n`)
  if (id === undefined || method === undefined) continue
  Promise.resolve()
    .then(() => (methods[method] ?? (() => refuse("Method not found", -32601)))(params))
    .then(
      (result) => send({ id, result }),
      (error) => send({ id, error: { code: error.code ?? -32603, message: error.message, data: error.data } })
    )
}
process.exit(0)
