// The agent of the chaos test: a prompt is a JSON script of steps. It keeps a file of its own on what reached it:
// one line for each prompt that it executes and for each answer to a permission request.
import * as Fs from "node:fs"
import * as Readline from "node:readline"

const note = (line) => Fs.appendFileSync("agent.log", `${line}\n`)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (fields) => send({ method: "session/update", params: { sessionId: "one", update: fields } })
const chunk = (kind, text, messageId) =>
  update({ sessionUpdate: kind, content: { type: "text", text }, ...(messageId ? { messageId } : {}) })

const asked = new Map()
/** How often each question was asked: the same words may be asked again. */
const times = new Map()
let nextId = 0
let cancelled = false

const steps = {
  say: (text, messageId) => chunk("agent_message_chunk", text, messageId),
  large: (name, size) => chunk("agent_message_chunk", `${name} ${"=".repeat(size)} `),
  think: (text) => chunk("agent_thought_chunk", text),
  count: (name, to) => {
    for (let n = 1; n <= to; n++) chunk("agent_message_chunk", `${name}.${n} `)
  },
  tool: (toolCallId, title) =>
    update({ sessionUpdate: "tool_call", toolCallId, title, kind: "edit", status: "in_progress", rawInput: { title } }),
  toolDone: (toolCallId, text) =>
    update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "completed",
      content: [{ type: "content", content: { type: "text", text } }]
    }),
  plan: (...entries) => update({ sessionUpdate: "plan", entries }),
  usage: (used) => update({ sessionUpdate: "usage_update", used, size: 200_000 }),
  wait: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
  async ask(question, toolCallId) {
    const id = nextId++
    const time = (times.get(question) ?? 0) + 1
    times.set(question, time)
    note(`asked ${question}#${time}`)
    const answer = await new Promise((resolve) => {
      asked.set(id, { question: `${question}#${time}`, resolve })
      send({
        id,
        method: "session/request_permission",
        params: {
          sessionId: "one",
          toolCall: { toolCallId, title: question },
          options: [
            { optionId: "yes", name: "Allow", kind: "allow_once" },
            { optionId: "no", name: "Deny", kind: "reject_once" }
          ]
        }
      })
    })
    steps.toolDone(toolCallId, answer)
    chunk("agent_message_chunk", `${question}: ${answer} `)
  }
}

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: "chaos", version: "1" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} }, promptCapabilities: {} }
  }),
  "session/new": () => ({ sessionId: "one" }),
  "session/resume": () => ({}),
  async "session/prompt"({ prompt }) {
    const { turn, script } = JSON.parse(prompt[0].text)
    note(`prompt ${turn}`)
    cancelled = false
    for (const [step, ...args] of script) {
      if (cancelled) break
      await steps[step](...args)
    }
    note(`${cancelled ? "cancelled" : "ended"} ${turn}`)
    return { stopReason: cancelled ? "cancelled" : "end_turn" }
  }
}

for await (const line of Readline.createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.method === undefined) {
    const { question, resolve } = asked.get(message.id) ?? { question: "nothing" }
    const { outcome } = message.result ?? { outcome: { outcome: "error" } }
    note(`answer ${question} ${outcome.optionId ?? outcome.outcome}`)
    resolve?.(outcome.optionId ?? outcome.outcome)
  } else if (message.method === "session/cancel") cancelled = true
  else if (message.id !== undefined) {
    void Promise.resolve(methods[message.method]?.(message.params)).then((result) => send({ id: message.id, result }))
  }
}
process.exit(0)
