import { isRecord } from "../IsRecord.ts"
import type { Readings } from "../Readings.ts"
import type { Task } from "../tasks/Task.ts"
import type { Connection } from "./Connection.ts"
import type { ContentBlock } from "./Journal.ts"
import { RpcError } from "./RpcError.ts"

type Params = Readonly<Record<string, unknown>>

/** A request on a connection of a task. */
interface Incoming {
  readonly task: Task
  readonly connection: Connection
  readonly readings: Readings
  readonly params: Params
  /** Sends the result or the error. */
  readonly respond: (outcome: { readonly result: unknown } | { readonly error: unknown }) => void
}

/** The requests that a client may make, each with its rules (4.13). */
export const methods: Readonly<Record<string, (incoming: Incoming) => void>> = {
  initialize: ({ connection, params, readings, respond }) => {
    if (!Number.isInteger(params["protocolVersion"])) throw RpcError.invalidParams("protocolVersion must be an integer")
    if (connection.initialized) throw RpcError.invalidRequest("initialize was already called")
    connection.initialized = true
    respond({ result: readings.initialize === "bare" ? { protocolVersion: 1 } : fullAnswer(readings) })
  },

  "session/load": ({ connection, params, readings, respond, task }) => {
    if (!connection.initialized) throw RpcError.invalidRequest("initialize comes first")
    if (typeof params["cwd"] !== "string") throw RpcError.invalidParams("cwd must be a string")
    if (!Array.isArray(params["mcpServers"])) throw RpcError.invalidParams("mcpServers must be an array")
    if (params["sessionId"] !== task.id) throw new RpcError(-32002, "no such session")
    task.session.load(connection)
    respond({ result: readings.loadResult === "null" ? null : {} })
    task.session.askWaiting(connection)
  },

  "session/prompt": ({ connection, params, readings, respond, task }) => {
    if (!connection.loaded) throw RpcError.invalidRequest("the session is not loaded")
    if (params["sessionId"] !== task.id) throw new RpcError(-32002, "no such session")
    const blocks = blocksOf(params["prompt"], readings)
    if (task.rounds.running) throw RpcError.invalidRequest("a prompt is already running")
    void task.run(blocks).then((end) => {
      if ("failed" in end) return respond({ error: { code: -32603, message: end.failed } })
      const usage = readings.usage === "tokens" ? { inputTokens: 12, outputTokens: 30, totalTokens: 42 } : {}
      return respond({ result: { stopReason: end.stopReason, usage } })
    })
  }
}

const fullAnswer = ({ promptCapabilities }: Readings): unknown => ({
  protocolVersion: 1,
  agentCapabilities: { loadSession: true, promptCapabilities },
  agentInfo: { name: "plain-agent", title: "Plain agent", version: "1.0.0" },
  authMethods: []
})

const blocksOf = (prompt: unknown, { promptCapabilities }: Readings): ReadonlyArray<ContentBlock> => {
  if (!Array.isArray(prompt) || prompt.length === 0) throw RpcError.invalidParams("prompt must have an element")
  return prompt.map((block: unknown) => {
    if (!isRecord(block) || typeof block["type"] !== "string") throw RpcError.invalidParams("a block has no type")
    const { text, type } = block
    if (type === "text" && typeof text !== "string") throw RpcError.invalidParams("a text block has no text")
    const accepted: Readonly<Record<string, boolean>> = {
      text: true,
      resource_link: true,
      image: promptCapabilities.image,
      audio: promptCapabilities.audio,
      resource: promptCapabilities.embeddedContext
    }
    if (accepted[type] !== true) throw RpcError.invalidParams(`blocks of type ${type} are not supported`)
    return { ...block, type }
  })
}
