import { fromFetch } from "@heddle/acp/HttpExchange"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Permission from "@heddle/acp/Permission"
import * as SseTransport from "@heddle/acp/SseTransport"
import { assert, describe, it } from "@effect/vitest"
import * as RetryRecorder from "@heddle/test-support/retries/RetryRecorder"
import * as RetryRow from "@heddle/test-support/retries/RetryRow"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { plainTask } from "./PlainTask.ts"

/** A request by its method of JSON-RPC, or of HTTP. */
const nameOf = ({ body, method }: RetryRecorder.Request): string =>
  typeof body === "string" ? ((JSON.parse(body) as { readonly method?: string }).method ?? "response") : method

/** A task whose requests of one name go wrong from `begin` on. */
const begin = Effect.fnUntraced(function* (recorder: RetryRecorder.RetryRecorder, name: string, fault: RetryRow.Fault) {
  const task = yield* plainTask({
    script: async ({ ask, text }) => {
      if (text === "ask") await ask({ title: "Write" })
      return { stopReason: "end_turn" }
    }
  })
  const recording = recorder.record(nameOf)
  const before = { queries: 0, connections: 0 }
  return {
    task,
    exchange: fromFetch(recording.fetch),
    goWrong: () => {
      before.queries = task.counts.queries
      before.connections = recording.count("GET")
      if (fault === "not sent") return recording.refuse(name, RetryRow.times)
      const effect = fault === "answer lost" ? "reset" : fault
      const which = name === "GET" ? { method: name, path: /\/acp$/ } : { rpcMethod: name }
      task.service.addFault({ ...which, when: "before", effect, times: RetryRow.times })
    },
    outcome: (succeeded: boolean): RetryRow.Outcome => ({
      waits: recording.waits(name),
      succeeded,
      renewals: task.counts.queries - before.queries,
      reconnected: name !== "GET" && recording.count("GET") > before.connections
    })
  }
})

/** What the transport does about faults of its stream. */
const stream = Effect.fnUntraced(function* (recorder: RetryRecorder.RetryRecorder, fault: RetryRow.Fault) {
  const { exchange, goWrong, outcome, task } = yield* begin(recorder, "GET", fault)
  yield* task.ticket.current
  const connected = yield* Deferred.make<void>()
  goWrong()
  const { run } = SseTransport.make({ ticket: task.ticket, exchange })
  const running = yield* Effect.forkScoped(
    run(({ _tag }) => (_tag === "Connected" ? void Deferred.unsafeDone(connected, Effect.void) : undefined))
  )
  return outcome(Exit.isSuccess(yield* Effect.exit(Effect.raceFirst(Deferred.await(connected), Fiber.join(running)))))
}, Effect.scoped)

/** Sends a message on an open connection. */
const connected = Effect.fnUntraced(function* ({ exchange, task }: Effect.Effect.Success<ReturnType<typeof begin>>) {
  const { run, send } = SseTransport.make({ ticket: task.ticket, exchange })
  const connections = { open: 0 }
  yield* Effect.forkScoped(run(({ _tag }) => void (connections.open += Number(_tag === "Connected"))))
  while (connections.open === 0) yield* Effect.sleep("10 millis")
  return send
})

/** What the transport does about faults of a message. */
const message = (name: string) =>
  Effect.fnUntraced(function* (recorder: RetryRecorder.RetryRecorder, fault: RetryRow.Fault) {
    const begun = yield* begin(recorder, name, fault)
    const { goWrong, outcome, task } = begun
    const send = yield* connected(begun)
    const { taskId: sessionId } = task
    const prompt = [{ type: "text", text: "second" }]
    const params = name === "initialize" ? { protocolVersion: 1 } : { sessionId, prompt }
    goWrong()
    const sent = yield* Effect.exit(
      send(name === "session/cancel" ? JsonRpc.notification(name, params) : JsonRpc.request(1, name, params))
    )
    // A connection that is given up is opened again.
    yield* Effect.sleep("1 second")
    return outcome(Exit.isSuccess(sent))
  }, Effect.scoped)

/** What a session does about faults of an answer. */
const answer = Effect.fnUntraced(function* (recorder: RetryRecorder.RetryRecorder, fault: RetryRow.Fault) {
  const { exchange, goWrong, outcome, task } = yield* begin(recorder, "response", fault)
  const session = yield* task.open({ exchange })
  yield* Effect.fork(session.prompt([{ type: "text", text: "ask" }]))
  yield* Stream.runHead(Stream.filter(session.changes, ({ _tag }) => _tag === "PermissionRequested"))
  const [request] = (yield* session.state).permissions
  goWrong()
  const answered = yield* Effect.exit(session.answerPermission(request!.requestId, Permission.selected("allow")))
  return outcome(Exit.isSuccess(answered))
}, Effect.scoped)

const post: RetryRow.Waits = { words: "again after 0.5, 1, 2 s", seconds: [0.5, 1, 2], spread: [1, 1] }
const backoff: RetryRow.Waits = { words: "backoff", seconds: RetryRow.doubled(0.25), spread: [0.75, 1.25] }

const requests = [
  ["ACP: event stream (`GET`)", stream],
  ["ACP: `initialize` (`POST`)", message("initialize")],
  ["ACP: another request (`POST`)", message("session/prompt")],
  ["ACP: notification (`POST`)", message("session/cancel")],
  ["ACP: answer (`POST`)", answer]
] as const

describe.concurrent("the table of retries", { timeout: 60_000 }, () => {
  for (const [name, drive] of requests) {
    it.scopedLive(`has what a client does: ${name}`, () =>
      Effect.gen(function* () {
        const recorder = yield* RetryRecorder.make
        const row = yield* RetryRow.make(name, [RetryRow.busy, post, backoff], (fault) => drive(recorder, fault))
        assert.deepStrictEqual(RetryRow.published(row), [row])
      })
    )

    for (const status of [429, 503])
      it.scopedLive(`has no wait shorter than Retry-After: ${name}, ${status}`, () =>
        Effect.gen(function* () {
          const recorder = yield* RetryRecorder.make
          const { waits } = yield* drive(recorder, { status, retryAfterSeconds: 3 })
          if (status === 429) assert.isAbove(waits.length, 1)
          for (const [nth, wait] of waits.entries()) assert.isAtLeast(wait, status === 429 && nth === 2 ? 4 : 3)
        })
      )
  }

  it.scopedLive("has a message that may have arrived fail with the wait that its server asks for", () =>
    Effect.gen(function* () {
      const fault = { status: 503, retryAfterSeconds: 300 }
      const begun = yield* begin(yield* RetryRecorder.make, "initialize", fault)
      const send = yield* connected(begun)
      begun.goWrong()
      const error = yield* Effect.flip(send(JsonRpc.request(1, "initialize", { protocolVersion: 1 })))
      assert.deepInclude(error, { _tag: "ConnectionLost", sent: true })
      assert.isAtLeast(error._tag === "ConnectionLost" ? (error.retryAfter ?? 0) : 0, 290)
    })
  )

  it.scopedLive("has no answer before the end of a wait of more than a minute", () =>
    Effect.gen(function* () {
      const recorder = yield* RetryRecorder.make
      const { succeeded, waits } = yield* answer(recorder, { status: 429, retryAfterSeconds: 61 })
      assert.isTrue(succeeded)
      for (const wait of waits) assert.isAtLeast(wait, 60.9)
    })
  )
})
