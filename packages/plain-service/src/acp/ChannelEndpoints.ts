import type { ApiRequest } from "../http/ApiRequest.ts"
import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import { isRecord } from "../IsRecord.ts"
import { keepNewest } from "../KeepNewest.ts"
import type { Readings } from "../Readings.ts"
import { cutEndedStreams } from "../tasks/CutEndedStreams.ts"
import type { SandboxGuard } from "../tasks/SandboxGuard.ts"
import type { Task } from "../tasks/Task.ts"
import type { RpcAnswer } from "./Calls.ts"
import { Connection } from "./Connection.ts"
import { methods } from "./Methods.ts"
import { RpcError } from "./RpcError.ts"

/** An answer to a request of the service, as it arrived. */
export interface AnswerRecord {
  readonly taskId: string
  readonly connectionId: string
  readonly id: unknown
  readonly answer: RpcAnswer
  /** Whether a request waited for it on this connection. */
  readonly accepted: boolean
  readonly at: number
}

const maximumConnections = 1000

const path = /^\/sandboxes\/([^/]+)\/([^/]+)\/acp$/

/** The two halves of the ACP channel (4.13). */
export const channelEndpoints = (
  guard: SandboxGuard,
  readings: () => Readings,
  answers: Array<AnswerRecord>
): ReadonlyArray<Route> => [
  {
    method: "GET",
    path,
    handle: (request, taskId = "", place = "") => {
      const task = guard(request, taskId, place, sessionEnded())
      if (task.session.connections.size >= maximumConnections)
        throw Refusal.api(429, "rate_limited", "too many streams")
      const connection = new Connection(request.bearer ?? "", readings)
      const headers = { "Content-Type": "text/event-stream", "Acp-Connection-Id": connection.id }
      return Reply.stream(headers, (response) => {
        const left = Math.min(task.tickets.left(place, connection.ticket) + 1, 0x7fffffff)
        const expiry = setTimeout(() => cutEndedStreams(task, readings()), left).unref()
        task.session.connections.set(connection.id, connection)
        connection.attach(response, () => {
          clearTimeout(expiry)
          task.session.connections.delete(connection.id)
        })
      })
    }
  },
  {
    method: "POST",
    path,
    handle: (request, taskId = "", place = "") => {
      const task = guard(request, taskId, place, sessionEnded())
      const connection = connectionOf(request, task)
      const message = messageOf(request)
      if (typeof message["method"] === "string") call(message, task, connection, readings())
      else answered(message, task, connection, answers)
      return Reply.empty(202)
    }
  }
]

type Message = Readonly<Record<string, unknown>>

const sessionEnded = (): Refusal => Refusal.api(404, "not_found", "the session ended")

const connectionOf = (request: ApiRequest, task: Task): Connection => {
  const id = request.headers["acp-connection-id"]
  if (typeof id !== "string" || id === "") throw Refusal.invalid("Acp-Connection-Id is required")
  const connection = task.session.connections.get(id)
  if (connection === undefined) throw Refusal.api(404, "not_found", "no such connection")
  return connection
}

const messageOf = (request: ApiRequest): Message => {
  const message = request.fields
  const { id, jsonrpc, method } = message
  if (jsonrpc !== "2.0") throw Refusal.invalid("jsonrpc must be 2.0")
  const named = id === undefined || typeof id === "number" || typeof id === "string"
  if (!named || (typeof method !== "string" && !("result" in message) && !("error" in message)))
    throw Refusal.invalid("the body is no JSON-RPC message")
  return message
}

/** Results go to the connection of the request alone; unknown notifications are ignored. */
const call = ({ id, method, params }: Message, task: Task, connection: Connection, readings: Readings): void => {
  const incoming = { task, connection, readings, params: isRecord(params) ? params : {} }
  if (id === undefined) {
    const cancels = method === "session/cancel" && incoming.params["sessionId"] === task.id
    if (cancels && !readings.ignoreCancel) task.rounds.abort("cancel")
    return
  }
  const handle = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined
  try {
    if (handle === undefined) throw new RpcError(-32601, `no method ${String(method)}`)
    handle({ ...incoming, respond: (outcome) => connection.send({ id, ...outcome }) })
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    connection.send({ id, error: error.wire })
  }
}

const answered = (message: Message, task: Task, connection: Connection, answers: Array<AnswerRecord>): void => {
  const answer = "result" in message ? { result: message["result"] } : { error: message["error"] }
  const accepted = task.session.answer(connection, message["id"], answer)
  answers.push({
    taskId: task.id,
    connectionId: connection.id,
    id: message["id"],
    answer,
    accepted,
    at: Date.now()
  })
  keepNewest(answers)
}
