// A small ACP agent for tests, in plain JSON-RPC. What it does in a turn stands in the prompt, one command a line.
// Flags: media (takes pictures and audio), plain (takes no files), resumes (says so only), exit, chatter, rubbish, rubbish-key, mute, auth, auth-key (wants the method api-key), auth-later (has methods), auth-terminal (has methods for a terminal only), auth-person (has a method that needs a person), version2, noload, forget, mute-after-start
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Readline from "node:readline"

const flags = new Set(process.argv.slice(2))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis))

if (flags.has("exit")) {
  process.stderr.write("a first line\nno licence found\n")
  process.exit(3)
}
if (flags.has("chatter")) process.stdout.write("Welcome!\nI am no agent.\nWhat now?\n> \n")
if (flags.has("rubbish-key")) process.stdout.write(`${"x".repeat(180)} key=${process.env.HEDDLE_TEST_KEY}\n`)
if (flags.has("rubbish")) process.stdout.write("Welcome to a program that is no agent\n")

const pending = new Map()
let nextId = 0
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = nextId++
    pending.set(id, resolve)
    send({ id, method, params })
  })

let sessionId
let abilities
let servers
const turn = { cancelled: false, free: undefined, result: undefined }
let turns = 0
const authMethods = [
  { id: "login", name: "Log in", description: "Opens a browser.", _meta: { "terminal-auth": {} } },
  { id: "api-key", name: "API key", type: "env_var", vars: [{ name: "HEDDLE_TEST_KEY" }] }
]
const terminalMethods = ["openai", "qwen-oauth"].map((id) => ({ id, name: id, _meta: { type: "terminal", args: [] } }))
const personMethods = [{ id: "iOA", name: "iOA", description: "Login with iOA" }]
let isSignedIn = !["auth-key", "auth-terminal", "auth-person"].some((flag) => flags.has(flag))
const requireSignIn = () => {
  if (!isSignedIn) throw Object.assign(new Error("Authentication required"), { code: -32000 })
}
const update = (fields) => send({ method: "session/update", params: { sessionId, update: fields } })
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })

/** Asks a person to choose; gives the answer as JSON. */
const choose = async (title, options) => {
  const toolCall = { toolCallId: "call-1", title }
  const { result, error } = await ask("session/request_permission", { sessionId, toolCall, options })
  return JSON.stringify(result?.outcome ?? error)
}

const commands = {
  echo: (text) => say(text),
  wait: (millis) => sleep(Number(millis)),
  async count(rest) {
    const [to, pace] = rest.split(" ").map(Number)
    for (let n = 1; n <= to && !turn.cancelled; n++) {
      say(`${n} `)
      if (pace > 0) await sleep(pace)
    }
  },
  async ask(text) {
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Deny", kind: "reject_once" }
    ]
    say(`answer ${await choose(text, options)}`)
  },
  async offer(kinds) {
    const options = JSON.parse(kinds).map((kind) => ({ optionId: kind, name: kind, kind }))
    say(`answer ${await choose("May I?", options)}`)
  },
  async question(json) {
    const { result, error } = await ask("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "call-3", title: "Ask", rawInput: { questions: JSON.parse(json) } },
      options: [
        { optionId: "go", name: "Submit", kind: "allow_once" },
        { optionId: "skip", name: "Skip", kind: "reject_once" }
      ]
    })
    say(`answer ${JSON.stringify(error ?? { ...result.outcome, ...result._meta })}`)
  },
  async form(json) {
    const { result, error } = await ask("elicitation/create", { sessionId, ...JSON.parse(json) })
    say(`form ${JSON.stringify(result ?? error)}`)
  },
  async flood(rest) {
    const [count, size] = rest.split(" ").map(Number)
    const asked = Array.from({ length: count }, (_, n) =>
      ask("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: `flood-${n}`, title: "x".repeat(size) },
        options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }]
      }).then(({ error }) => (error?.code === -32602 ? say("refused ") : undefined))
    )
    await Promise.all(asked)
  },
  servers: () => say(`servers ${JSON.stringify(servers)}`),
  abilities: () => say(JSON.stringify(abilities)),
  async askBriefly() {
    const id = nextId
    const answer = ask("session/request_permission", {
      sessionId,
      toolCall: { toolCallId: "call-2" },
      options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }]
    })
    await sleep(150)
    send({ method: "$/cancel_request", params: { requestId: id } })
    const { error } = await answer
    say(`withdrawn ${error.code}`)
  },
  write(rest) {
    const [path, ...text] = rest.split(" ")
    Fs.mkdirSync(Path.dirname(path), { recursive: true })
    Fs.writeFileSync(path, path.endsWith(".png") ? Buffer.from(text.join(""), "base64") : text.join(" "))
  },
  remove: (path) => Fs.rmSync(path),
  link(rest) {
    const [target, path] = rest.split(" ")
    Fs.symlinkSync(target, path)
  },
  update: (json) => update(JSON.parse(json)),
  async approve(json) {
    const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }]
    await ask("session/request_permission", { sessionId, toolCall: JSON.parse(json), options })
  },
  /** Says of the turn whether it is free, in JSON. */
  free: (json) => void (turn.free = JSON.parse(json)),
  /** Runs a command when the turn is over. */
  later(rest) {
    const [millis, command, ...args] = rest.split(" ")
    setTimeout(() => commands[command](args.join(" ")), Number(millis))
  },
  plan: (json) => update({ sessionUpdate: "plan", entries: JSON.parse(json) }),
  artifact: (json) => send({ method: "_vendor.ai/artifact", params: { sessionId, ...JSON.parse(json) } }),
  artifacts(rest) {
    const [from, to, size] = rest.split(" ").map(Number)
    for (let n = from; n < to; n++) {
      const artifact = { type: "overview", uri: `agent:///artifacts/o${n}`, text: "x".repeat(size) }
      send({ method: "_vendor.ai/artifact", params: { sessionId, event: "created", artifact } })
    }
  },
  raw: (text) => process.stdout.write(`${text}\n`),
  meta: (_, __, meta) => say(`meta ${JSON.stringify(meta)}`),
  async askWithoutOptions(title) {
    const toolCall = { toolCallId: "call-4", title }
    const { result } = await ask("session/request_permission", { sessionId, toolCall, options: [] })
    say(`answer ${JSON.stringify(result.outcome)}`)
  },
  env: () => say(JSON.stringify(process.env)),
  foreign: () =>
    send({
      method: "session/update",
      params: {
        sessionId: "another",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "?" } }
      }
    }),
  blocks(_, prompt) {
    Fs.writeFileSync(".blocks.json", JSON.stringify(prompt))
    say(JSON.stringify(prompt))
  },
  sizes(_, prompt) {
    const { uri, size } = prompt.find(({ type }) => type === "resource_link")
    say(`file ${size} ${Fs.statSync(new URL(uri)).size}`)
  },
  unknown: async () =>
    say(`unknown ${(await ask("fs/read_text_file", { sessionId, path: "/etc/passwd" })).error.code}`),
  big: (bytes) => say("x".repeat(Number(bytes)))
}

/** The commands that end or disturb the agent. */
const troubles = {
  /** Ends the turn with this result, in JSON. */
  end: (json) => void (turn.result = JSON.parse(json)),
  hang: () => new Promise(() => {}),
  child: () => import("node:child_process").then(({ spawn }) => say(`child ${spawn("sleep", ["600"]).pid}`)),
  quota() {
    const data = { details: "You have exceeded your current quota", reason: "no_credits" }
    throw Object.assign(new Error("Internal error"), { data })
  },
  stderr: (text) => process.stderr.write(`${text}\n`),
  crash: () => process.kill(process.pid, "SIGKILL"),
  unauthorized() {
    throw Object.assign(new Error("the key has expired"), { code: -32000 })
  },
  fail(text) {
    const data = text === "" ? undefined : { details: [text] }
    throw Object.assign(new Error(text || "the model is overloaded"), { code: -32050, data })
  },
  die() {
    process.stderr.write(
      "file:///agent.js:3\n  throw new Error('out of memory')\n  ^\n\nRangeError: out of memory\n    at work (agent.js:3:9) {\n}\n\nNode.js v20.1.0\n"
    )
    process.exit(9)
  }
}

const prompt = async (blocks, sentMeta) => {
  Object.assign(turn, { cancelled: false, free: undefined, result: undefined })
  turns += 1
  update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "(repeated)" } })
  const text = blocks.find(({ type }) => type === "text")?.text ?? ""
  for (const line of text.split("\n")) {
    const [command, ...rest] = line.split(" ")
    if (turn.cancelled) break
    await { ...commands, ...troubles }[command]?.(rest.join(" "), blocks, sentMeta)
  }
  Fs.writeFileSync(`.session-${sessionId}`, String(turns))
  if (turn.result !== undefined) return turn.result
  const meta = turn.free === undefined ? {} : { _meta: { "heddle/free": turn.free } }
  return { stopReason: turn.cancelled ? "cancelled" : "end_turn", ...meta }
}

const methods = {
  initialize: ({ clientCapabilities }) => ({
    ...((abilities = clientCapabilities), {}),
    protocolVersion: flags.has("version2") ? 2 : 1,
    agentInfo: { name: ["OpenCode", "gemini-cli"].find((name) => flags.has(name)) ?? "fixture", version: "1" },
    ...(flags.has("auth-key") || flags.has("auth-later") ? { authMethods } : {}),
    ...(flags.has("auth-terminal") ? { authMethods: terminalMethods } : {}),
    ...(flags.has("auth-person") ? { authMethods: personMethods } : {}),
    agentCapabilities: {
      loadSession: !flags.has("noload"),
      ...(flags.has("resumes") ? { sessionCapabilities: { resume: {} } } : {}),
      promptCapabilities: { embeddedContext: !flags.has("plain"), image: flags.has("media"), audio: flags.has("media") }
    }
  }),
  authenticate({ methodId }) {
    if (methodId !== "api-key") return new Promise(() => {})
    if (!process.env.HEDDLE_TEST_KEY) throw new Error("HEDDLE_TEST_KEY is not set")
    isSignedIn = true
    return {}
  },
  "session/new"({ mcpServers }) {
    servers = mcpServers
    requireSignIn()
    if (flags.has("auth")) throw Object.assign(new Error("please run login"), { code: -32000 })
    sessionId = `agent-${process.pid}`
    update({ sessionUpdate: "available_commands_update", availableCommands: [] })
    return { sessionId, modes: { currentModeId: "code", availableModes: [{ id: "code", name: "Code" }] } }
  },
  "session/load"({ mcpServers, sessionId: asked }) {
    servers = mcpServers
    requireSignIn()
    if (!Fs.existsSync(`.session-${asked}`)) throw Object.assign(new Error("no such session"), { code: -32002 })
    sessionId = asked
    turns = Number(Fs.readFileSync(`.session-${asked}`, "utf8"))
    const replay = () => {
      for (let n = 1; n <= turns; n++) say(`(replay of turn ${n})`)
    }
    if (flags.has("latehistory")) setTimeout(replay, 50)
    else replay()
    return null
  },
  "session/prompt": ({ prompt: blocks, _meta }) => prompt(blocks, _meta),
  "session/set_config_option": () => new Promise(() => {}),
  "session/set_mode"({ modeId }) {
    update({ sessionUpdate: "current_mode_update", currentModeId: modeId })
    return {}
  }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.method === undefined) {
    pending.get(message.id)?.(message)
    pending.delete(message.id)
  } else if (message.method === "session/cancel") {
    if (!flags.has("stubborn")) turn.cancelled = true
  } else if (message.id !== undefined && !flags.has("mute")) {
    Promise.resolve()
      .then(() => methods[message.method](message.params))
      .then(
        (result) => send({ id: message.id, result }),
        (error) =>
          send({ id: message.id, error: { code: error.code ?? -32603, message: error.message, data: error.data } })
      )
  }
}
process.exit(0)
