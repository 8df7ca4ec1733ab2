// The wire of the agent is scripted JSON, read and written freely.
/* oxlint-disable typescript/no-explicit-any */
import { createHash, randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

/** What a scripted agent can do in a turn. */
export interface FakeTurn {
  readonly text: string
  readonly blocks: ReadonlyArray<any>
  readonly say: (text: string) => void
  readonly update: (update: object) => void
  readonly artifact: (event: "created" | "updated" | "deleted", artifact: object) => void
  /** Resolves with the chosen option id, or "cancelled". */
  readonly ask: (toolCall: object, options?: ReadonlyArray<object>) => Promise<string>
  /** Sends any request to the clients; resolves with the first result. */
  readonly request: (method: string, params: object) => Promise<any>
  readonly cancelled: Promise<void>
}

export type Script = (turn: FakeTurn) => Promise<string | { stopReason: string; usage?: object }>

export interface Task {
  readonly id: string
  readonly name: string
  readonly prompt: string
  status: string
  readonly journal: Array<object>
  readonly artifacts: Map<string, any>
  readonly connections: Map<string, ServerResponse>
  /** The connections that have loaded the session; the others receive none of its updates. */
  readonly attached: Set<ServerResponse>
  readonly pending: Map<string, Pending>
  cancel: () => void
}

interface Pending {
  readonly method: string
  readonly params: object
  readonly resolve: (result: any) => void
  readonly requestIds: Map<number, string>
}

/** How the agents of the service behave, and what the tests see of them. */
interface FakeAgentOptions {
  readonly state: {
    readonly script: Script
    readonly runAtOnce: Script | undefined
    readonly slowAnswersMs: number
    readonly slowCancelMs: number
    readonly promptCapabilities: object
    readonly refusePrompt: string | undefined
    readonly refuseReason: string | undefined
    losePrompt: (() => void) | undefined
  }
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly prompts: Array<string>
  /** Every answer to a request of an agent, as they arrived. */
  readonly answers: Array<any>
}

/** The agents of the service: `acp` serves a task's channel, `runTurn` plays a turn of the script. */
export const makeFakeAgents = ({ answers, files, prompts, state }: FakeAgentOptions) => {
  let nextRequestId = 1

  const send = (to: ServerResponse, message: object) =>
    to.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`)
  const broadcast = (task: Task, message: object) => {
    for (const connection of task.attached) send(connection, message)
  }

  const runTurn = async (
    task: Task,
    blocks: ReadonlyArray<any>,
    answer: (result: object) => void,
    own: Script = state.script,
    isConnected = () => false
  ) => {
    const text = blocks
      .filter((block) => block.type === "text")
      .map((block) => block.text)
      .join("")
    prompts.push(text)
    task.status = "working"
    const journal = (update: object) => {
      const params = { sessionId: task.id, update }
      task.journal.push(params)
      broadcast(task, { method: "session/update", params })
    }
    const userId = randomUUID()
    const userUpdate = { sessionUpdate: "user_message_chunk", messageId: userId, content: { type: "text", text } }
    task.journal.push({ sessionId: task.id, update: userUpdate })
    const messageId = randomUUID()
    let cancel = () => {}
    const cancelled = new Promise<void>((resolve) => {
      cancel = resolve
    })
    let isCancelled = false
    task.cancel = () => {
      isCancelled = true
      cancel()
    }
    const request = (method: string, params: object) =>
      new Promise<any>((resolve) => {
        const key = randomUUID()
        const pending: Pending = {
          method,
          // As Heddle's own service does.
          params: { ...params, _meta: { "heddle/request": key } },
          requestIds: new Map(),
          resolve: (result) => {
            task.pending.delete(key)
            // An answer may come after the end of the run.
            if (task.status === "pending") task.status = "working"
            resolve(result)
          }
        }
        task.pending.set(key, pending)
        task.status = "pending"
        for (const connection of task.attached) askOne(connection, pending)
      })
    const ended = await own({
      text,
      blocks,
      cancelled,
      say: (words) =>
        journal({
          sessionUpdate: "agent_message_chunk",
          messageId: `${messageId}${task.journal.filter((each: any) => each.update.sessionUpdate.startsWith("tool")).length}`,
          content: { type: "text", text: words }
        }),
      update: journal,
      artifact: (event, artifact: any) => {
        if (event === "deleted") task.artifacts.delete(artifact.uri)
        else
          task.artifacts.set(artifact.uri, {
            sessionId: task.id,
            event,
            artifact,
            ...(files.has(artifact.uri)
              ? { md5: createHash("md5").update(files.get(artifact.uri)!).digest("hex") }
              : {})
          })
        broadcast(task, { method: "_vendor.ai/artifact", params: { sessionId: task.id, event, artifact } })
      },
      request: (method, params) => request(method, { sessionId: task.id, ...params }),
      ask: async (toolCall: any, options: ReadonlyArray<any> = allowOrDeny) => {
        const { outcome } = await request("session/request_permission", { sessionId: task.id, toolCall, options })
        const optionId = outcome.outcome === "selected" ? outcome.optionId : "cancelled"
        // In ACP this outcome says that the turn is cancelled; it may come before the notification.
        if (optionId === "cancelled") isCancelled = true
        const kind = String(options.find((option) => option.optionId === optionId)?.kind)
        if (kind.startsWith("allow") && toolCall?.toolCallId !== undefined)
          journal({ sessionUpdate: "tool_call_update", toolCallId: toolCall.toolCallId, status: "in_progress" })
        return optionId
      }
    })
    // ACP asks it of agents.
    const result = isCancelled && ended === "end_turn" ? "cancelled" : ended
    // As the service does where nobody gets a response.
    if (isCancelled && !isConnected() && result === "cancelled") {
      const _meta = { "heddle/notice": true, "heddle/about": "cancelled" }
      const content = { type: "text", text: "The agent has stopped." }
      journal({ sessionUpdate: "agent_message_chunk", messageId: randomUUID(), content, _meta })
    }
    task.status = "completed"
    answer(typeof result === "string" ? { stopReason: result } : result)
  }
  const askOne = (to: ServerResponse, pending: Pending) => {
    const id = 1000 + nextRequestId++
    pending.requestIds.set(id, "")
    send(to, { id, method: pending.method, params: pending.params })
  }

  const acp = (task: Task, request: IncomingMessage, response: ServerResponse, body: string) => {
    if (request.method === "GET") {
      const id = randomUUID()
      response.writeHead(200, { "content-type": "text/event-stream", "acp-connection-id": id })
      response.write(": ok\n\n")
      task.connections.set(id, response)
      response.on("close", () => {
        task.connections.delete(id)
        task.attached.delete(response)
      })
      return
    }
    // A client that closes its channel says so; the stream ends by itself.
    if (request.method === "DELETE") return response.writeHead(202).end()
    const connection = task.connections.get(String(request.headers["acp-connection-id"]))
    // What arrives for a connection that is gone reaches no agent.
    if (connection === undefined) return response.writeHead(404).end()
    const message = JSON.parse(body)
    const taken = () => response.writeHead(202).end()
    setTimeout(taken, message.method === "session/cancel" ? state.slowCancelMs : state.slowAnswersMs)
    const answer = (result: object) => send(connection, { id: message.id, result })
    switch (message.method) {
      case "initialize":
        return answer({
          protocolVersion: 1,
          agentCapabilities: { loadSession: true, promptCapabilities: state.promptCapabilities }
        })
      case "session/load":
        for (const params of task.journal) send(connection, { method: "session/update", params })
        answer({})
        task.attached.add(connection)
        for (const pending of task.pending.values()) askOne(connection, pending)
        return
      case "session/prompt":
        if (state.refusePrompt !== undefined) {
          const data = state.refuseReason === undefined ? {} : { data: { reason: state.refuseReason } }
          return send(connection, { id: message.id, error: { code: -32603, message: state.refusePrompt, ...data } })
        }
        if (state.losePrompt !== undefined) {
          state.losePrompt()
          state.losePrompt = undefined
          return connection.destroy()
        }
        return void runTurn(task, message.params.prompt, answer, undefined, () => task.attached.has(connection))
      case "session/cancel":
        return void setTimeout(() => task.cancel(), state.slowCancelMs)
      case undefined:
        answers.push(message.result)
        for (const pending of task.pending.values()) {
          if (!pending.requestIds.has(message.id)) continue
          pending.resolve(message.result)
        }
    }
  }

  return { acp, broadcast, runTurn }
}

const allowOrDeny = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "deny", name: "Deny", kind: "reject_once" }
]
