// An agent on the official SDK that only asks: a permission, an AskUserQuestion, and two forms.
// It says the results as JSON, one line each.
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import { Readable, Writable } from "node:stream"

let abilities

const app = agent({ name: "asking-agent" })
  .onRequest(methods.agent.initialize, ({ params: { clientCapabilities } }) => {
    abilities = clientCapabilities
    return { protocolVersion: PROTOCOL_VERSION, agentInfo: { name: "asking-agent", version: "1" } }
  })
  .onRequest(methods.agent.session.new, () => ({ sessionId: randomUUID() }))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId }, client }) => {
    const say = (name, value) =>
      client.notify(methods.client.session.update, {
        sessionId,
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: `${name} ${JSON.stringify(value)}\n` }
        }
      })
    await say("able", abilities.elicitation)
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" }
    ]
    const ask = (toolCall) => client.request(methods.client.session.requestPermission, { sessionId, toolCall, options })
    const write = {
      toolCallId: "w",
      title: "Write notes.txt",
      kind: "edit",
      content: [{ type: "diff", path: "notes.txt", oldText: "old", newText: "new" }]
    }
    await say("permission", await ask(write))
    const questions = [
      { question: "Which database?", header: "Database", options: [{ label: "SQLite" }, { label: "PostgreSQL" }] },
      { question: "Which parts?", options: ["api", "page", "bot"], multiSelect: true }
    ]
    await say("user", await ask({ toolCallId: "u", title: "Ask", rawInput: { questions } }))
    const requestedSchema = {
      type: "object",
      properties: {
        name: { type: "string", title: "Name", minLength: 2 },
        ratio: { type: "number", title: "Ratio", minimum: 0, maximum: 1 },
        count: { type: "integer", title: "Count" },
        sure: { type: "boolean", title: "Sure" },
        size: {
          type: "string",
          title: "Size",
          oneOf: [
            { const: "s", title: "Small" },
            { const: "l", title: "Large" }
          ]
        },
        tags: { type: "array", title: "Tags", items: { type: "string", enum: ["a", "b", "c"] }, minItems: 2 }
      },
      required: ["name", "sure"]
    }
    const form = (message) =>
      client.request(methods.client.elicitation.create, { mode: "form", sessionId, message, requestedSchema })
    await say("form", await form("The release"))
    await say("again", await form("Another release"))
    return { stopReason: "end_turn" }
  })

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
await connection.closed
