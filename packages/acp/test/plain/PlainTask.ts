import * as AcpSession from "@heddle/acp/AcpSession"
import { TicketError } from "@heddle/acp/AcpError"
import type * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import { type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { quick } from "../fixtures/Session.ts"

/** A task as the service gives it. */
interface Task {
  readonly task_id: string
  readonly status: string
  readonly link?: string
  readonly token?: string
}

/** A task of a service that knows the document alone, after its first round. */
export const plainTask = Effect.fnUntraced(function* (options: PlainServiceOptions = {}, prompt = "first") {
  const service = yield* Effect.acquireRelease(
    Effect.promise(() => startPlainService({ creatingMs: 0, ...options })),
    (started) => Effect.promise(started.stop)
  )
  const headers = { Authorization: `Bearer ${service.grant().access_token}`, "Content-Type": "application/json" }
  const call = (path: string, more?: RequestInit) =>
    Effect.tryPromise({
      try: async () => (await (await fetch(`${service.url}/openapi/v2${path}`, { headers, ...more })).json()) as Task,
      catch: () => new TicketError({ description: "The service is away", gone: false })
    })
  const { task_id: taskId } = yield* call("/tasks", { method: "POST", body: JSON.stringify({ prompt }) })
  const isBusy = () => service.tasks().some(({ status, taskId: id }) => id === taskId && status === "working")
  while (isBusy()) yield* Effect.sleep("5 millis")

  const counts = { queries: 0 }
  const get = Effect.tap(call(`/tasks/${taskId}`), () => Effect.sync(() => counts.queries++))
  const ticket = yield* Ticket.make(
    Effect.map(get, ({ link = "", token = "" }) => ({ link, token: Redacted.make(token) }))
  )
  const open = (more: Partial<AcpSession.Options & SseTransport.Options> = {}) =>
    AcpSession.open({ ticket, sessionId: taskId, ...quick, ...more })
  /** The statuses of the requests to the channel, by the method of HTTP or of JSON-RPC. */
  const statuses = (method: string) =>
    service.requests
      .filter((request) => request.path.endsWith("/acp") && (request.rpcMethod ?? request.method) === method)
      .map(({ status }) => status)
  return {
    service,
    taskId,
    ticket,
    open,
    counts,
    statuses,
    busy: Effect.map(get, ({ status }) => status === "working"),
    rounds: () => service.rounds.map(({ text }) => text)
  }
})

/** Sends a prompt; after a broken connection, finds out its outcome. */
export const outcomeOf = <E>(session: AcpSession.AcpSession, text: string, busy: Effect.Effect<boolean, E>) =>
  session.prompt([{ type: "text", text }]).pipe(
    Effect.map(({ stopReason }) => String(stopReason)),
    Effect.catchTag("Detached", () => Effect.as(session.awaitIdle(busy), "followed")),
    Effect.catchAll((error) =>
      Effect.succeed(
        typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : String(error)
      )
    )
  )
