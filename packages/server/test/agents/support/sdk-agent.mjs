// An agent on the official SDK for tests, without a model. It does what the last line of a prompt says: `say TEXT`,
// `write PATH TEXT` (it asks first), `slow` (a word every 50 ms until it is cancelled), and `recall` (what was said).
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"

const running = new Map()
const fileOf = (sessionId) => `.sdk-session-${sessionId}`

const app = agent({ name: "sdk-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "sdk-agent", version: "1" },
    agentCapabilities: { loadSession: true }
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = randomUUID()
    writeFileSync(fileOf(sessionId), "")
    return { sessionId }
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    if (!existsSync(fileOf(sessionId))) throw RequestError.sessionNotFound(sessionId)
    const text = readFileSync(fileOf(sessionId), "utf8")
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
    await client.notify(methods.client.session.update, { sessionId, update })
    return {}
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { prompt, sessionId }, client }) => {
    const turn = new AbortController()
    running.set(sessionId, turn)
    const update = (fields) => client.notify(methods.client.session.update, { sessionId, update: fields })
    const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
    const [command, ...rest] = prompt
      // The service adds texts for the agent alone, such as where files for people go.
      .filter(({ annotations }) => annotations?.audience?.includes("user") ?? true)
      .map(({ text = "" }) => text)
      .join("\n")
      .split("\n")
      .at(-1)
      .split(" ")
    if (command === "recall") await say(readFileSync(fileOf(sessionId), "utf8"))
    if (command === "say") {
      await say(rest.join(" "))
      writeFileSync(fileOf(sessionId), rest.join(" "), { flag: "a" })
    }
    if (command === "slow") {
      for (let n = 1; !turn.signal.aborted; n++) {
        await say(`word${n} `)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    if (command === "write") {
      const toolCall = { toolCallId: randomUUID(), title: `Write ${rest[0]}`, kind: "edit" }
      await update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" })
      const { outcome } = await client.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall,
        options: [
          { optionId: "yes", name: "Allow", kind: "allow_once" },
          { optionId: "no", name: "Reject", kind: "reject_once" }
        ]
      })
      const allowed = outcome.outcome === "selected" && outcome.optionId === "yes"
      if (allowed) writeFileSync(rest[0], rest.slice(1).join(" "))
      await update({
        sessionUpdate: "tool_call_update",
        toolCallId: toolCall.toolCallId,
        status: allowed ? "completed" : "failed"
      })
      await say(allowed ? "It is written." : "I may not.")
    }
    return { stopReason: turn.signal.aborted ? "cancelled" : "end_turn" }
  })
  .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => running.get(sessionId)?.abort())

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
await connection.closed
