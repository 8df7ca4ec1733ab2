import { ConnectionLost } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as Connection from "@heddle/acp/Connection"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as StdioTransport from "@heddle/acp/node/StdioTransport"
import * as SessionState from "@heddle/acp/SessionState"
import * as Transport from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { vi } from "vitest"

/** Whether a process that is not our child is still there. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    // ESRCH: there is none.
    return false
  }
}

const peer = fileURLToPath(new URL("../fixtures/stdio-peer.mjs", import.meta.url))

const start = (args: ReadonlyArray<string>, options: Partial<StdioTransport.Options> = {}) =>
  StdioTransport.make({ command: process.execPath, args: [peer, ...args], ...options })

/** Connects and keeps what arrives; `until` waits for the first state of it that satisfies the condition. */
const record = Effect.fn(function* (transport: StdioTransport.StdioTransport, handlers: Connection.Handlers = {}) {
  const messages: Array<JsonRpc.Message> = []
  const skipped: Array<Transport.Skipped> = []
  const waiting: Array<{ readonly met: () => boolean; readonly done: Deferred.Deferred<void> }> = []
  const look = () => {
    for (const each of waiting) if (each.met()) Deferred.unsafeDone(each.done, Effect.void)
  }
  const connection = yield* Connection.make(transport, {
    ...handlers,
    onMessage: (message) => {
      messages.push(message)
      look()
    },
    onSkipped: (each) => {
      skipped.push(each)
      look()
    }
  })
  const until = (met: () => boolean) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      waiting.push({ met, done })
      look()
      yield* Deferred.await(done)
    })
  return { connection, messages, skipped, until }
})

const said = (messages: ReadonlyArray<JsonRpc.Message>) =>
  messages.flatMap((message) => ("method" in message && message.method === "said" ? [textOf(message.params)] : []))

const textOf = (params: unknown) => (params as { text: string }).text

describe.concurrent("StdioTransport", () => {
  it.scopedLive("carries requests of a megabyte both ways", () =>
    Effect.gen(function* () {
      const { connection } = yield* record(yield* start(["echo"]))
      const text = "ěšč🐎".repeat(150_000)
      assert.deepStrictEqual(yield* connection.request("echo", { text }), { text })
    })
  )

  it.scopedLive("reports what is not JSON-RPC and lines above the limit, and goes on", () =>
    Effect.gen(function* () {
      const { messages, skipped, until } = yield* record(yield* start(["garbage", "200000"], { maxLineBytes: 10_000 }))
      yield* until(() => said(messages).includes("two"))
      assert.deepStrictEqual(said(messages), ["one", "two"])
      assert.deepStrictEqual(
        skipped.map(({ reason }) => reason),
        ["NotJsonRpc", "NotJsonRpc", "NotJsonRpc", "TooLarge"]
      )
      assert.strictEqual(skipped[0]?.sample, "Debug: starting up")
    })
  )

  it.scopedLive("joins characters that arrive byte by byte", () =>
    Effect.gen(function* () {
      const { messages, until } = yield* record(yield* start(["split"]))
      yield* until(() => messages.length === 1)
      assert.deepStrictEqual(said(messages), ["žluťoučký 🐎 kůň"])
    })
  )

  it.scopedLive("fails a request with status and last words of an agent that ends at once", () =>
    Effect.gen(function* () {
      const { connection } = yield* record(yield* start(["exit", "3"]))
      const error = yield* Effect.flip(connection.request("initialize", {}))
      assert.strictEqual(error._tag, "AgentExited")
      if (error._tag !== "AgentExited") return
      assert.strictEqual(error.code, 3)
      assert.include(error.message, "no model configured")
      assert.strictEqual((yield* Effect.flip(connection.request("again", {})))._tag, "AgentExited")
    })
  )

  it.scopedLive("names a program or a working directory that is not there", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(StdioTransport.make({ command: "no-such-agent-program" }))
      assert.strictEqual(missing._tag, "AgentNotFound")
      assert.include(missing.message, "no-such-agent-program")
      const nowhere = yield* Effect.flip(start(["echo"], { cwd: "/no/such/directory" }))
      assert.include(nowhere.message, "/no/such/directory")
    })
  )

  it.live("ends an agent that ignores its closed input and SIGTERM", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(start(["stubborn"], { closeGrace: "1 second" }), scope)
      const { messages, until } = yield* Scope.extend(record(transport), scope)
      yield* until(() => messages.length === 1)
      assert.isTrue(isRunning(transport.pid))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isRunning(transport.pid))
      const exit = yield* transport.exited
      assert.strictEqual(exit.signal, "SIGKILL")
      assert.include(exit.stderr, "asked to end")
    })
  )

  it.live("ends with an agent what the agent started", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(start(["parent"]), scope)
      const { messages, until } = yield* Scope.extend(record(transport), scope)
      yield* until(() => messages.length === 1)
      const child = Number(said(messages)[0])
      assert.isTrue(isRunning(child))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => vi.waitUntil(() => !isRunning(child), { timeout: 10_000 }))
      assert.strictEqual((yield* transport.exited).code, 0)
    })
  )

  it.scopedLive("notices the end of an agent whose pipes are kept open by what it started", () =>
    Effect.gen(function* () {
      const transport = yield* start(["parent"])
      const { connection, messages, until } = yield* record(transport)
      yield* until(() => messages.length === 1)
      const error = yield* Effect.flip(connection.request("end", {}))
      assert.deepInclude(error, { _tag: "AgentExited", code: 4 })
    })
  )

  it.scopedLive("lets an agent wait while what it said is not taken", () =>
    Effect.gen(function* () {
      const transport = yield* start(["flood", "20000"])
      let taken = 0
      const texts = yield* Transport.toStream(transport, 100).pipe(
        Stream.filterMap((inbound) =>
          inbound._tag === "Message" && "method" in inbound.message
            ? Option.some(textOf(inbound.message.params))
            : Option.none()
        ),
        // A pipe and the buffers around it hold less than a megabyte of the four that are to come.
        Stream.tap(() => (++taken === 5 ? Effect.sleep("300 millis") : Effect.void)),
        Stream.tap(() =>
          taken === 5 ? Effect.map(transport.stderr, (done) => assert.strictEqual(done, "")) : Effect.void
        ),
        Stream.take(20_000),
        Stream.runCollect
      )
      assert.strictEqual(Number.parseInt(Chunk.unsafeLast(texts)), 20_000)
      yield* Effect.promise(() =>
        vi.waitUntil(() => Effect.runSync(transport.stderr) === "all said\n", { timeout: 10_000 })
      )
    })
  )

  it.scopedLive("ends when its one connection is given up", () =>
    Effect.gen(function* () {
      const transport = yield* start(["echo"])
      const { connection } = yield* record(transport)
      transport.reconnect(new ConnectionLost({ description: "given up", sent: true }))
      assert.strictEqual((yield* Effect.flip(connection.closed)).message, "given up")
    })
  )

  it.scopedLive("sends no more to an agent that does not read", () =>
    Effect.gen(function* () {
      const transport = yield* StdioTransport.make({ command: "sleep", args: ["60"], closeGrace: "50 millis" })
      const large = JsonRpc.notification("a", { text: "x".repeat(12 * 1024 * 1024) })
      for (let n = 0; n < 3; n++) {
        assert.isTrue(Option.isNone(yield* Effect.timeoutOption(transport.send(large), "20 millis")))
      }
      const error = yield* Effect.flip(transport.send(JsonRpc.notification("b", {})))
      assert.deepInclude(error, { _tag: "ConnectionLost", sent: false })
    }).pipe(Effect.timeout("10 seconds"))
  )

  it.scopedLive("keeps a bounded number of requests of a peer that takes no answers", () =>
    Effect.gen(function* () {
      const receive = yield* Deferred.make<(inbound: Transport.Inbound) => void>()
      let asked = 0
      yield* Connection.make(
        {
          run: (feed) => Effect.andThen(Deferred.succeed(receive, feed), Effect.never),
          send: () => Effect.never,
          pause: () => {},
          resume: () => {},
          reconnect: () => {}
        },
        {
          onRequest: () => {
            asked += 1
            return Effect.succeed({})
          }
        }
      )
      const feed = yield* Deferred.await(receive)
      const ask = (id: JsonRpc.Id) => feed({ _tag: "Message", message: JsonRpc.request(id, "a", {}) })
      ask("x".repeat(2000))
      assert.strictEqual(asked, 0)
      for (let id = 0; id < 3000; id++) ask(id)
      assert.strictEqual(asked, 1000)
    })
  )

  it("kills a stubborn agent when its process exits without closing the scope", async () => {
    const leaver = fileURLToPath(new URL("../fixtures/leaver.mjs", import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [leaver, peer])
    const pid = Number(stdout)
    assert.isAbove(pid, 0)
    await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000 })
  })

  it.live("lets an agent end by itself when its input closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const transport = yield* Scope.extend(start(["echo"]), scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* transport.exited).code, 0)
    })
  )
})

describe("AcpSession over standard input and output", () => {
  it.scopedLive("talks to an agent on the official SDK", () =>
    Effect.gen(function* () {
      const agent = fileURLToPath(new URL("../fixtures/sdk-agent.mjs", import.meta.url))
      const transport = yield* StdioTransport.make({ command: process.execPath, args: [agent] })
      const session = yield* AcpSession.make(transport, { sessionId: "task-1", cwd: process.cwd() })
      assert.strictEqual((yield* session.agent).agentInfo?.name, "fixture")
      yield* session.prompt([{ type: "text", text: "say hello" }])
      const [, answer] = SessionState.messages(yield* session.state).slice(1)
      assert.strictEqual(answer?.text, "hello ")
      process.kill(transport.pid, "SIGKILL")
      const error = yield* Effect.flip(session.closed)
      assert.strictEqual(error._tag, "AgentExited")
      const refused = yield* Effect.flip(session.prompt([{ type: "text", text: "say more" }]))
      assert.strictEqual(refused._tag, "AgentExited")
    })
  )
})

describe.concurrent("Connection", () => {
  const received = (messages: ReadonlyArray<JsonRpc.Message>) =>
    messages.flatMap((message) => ("method" in message && message.method === "received" ? [message.params] : []))

  it.scopedLive("answers a request with id 0 by its handler, once", () =>
    Effect.gen(function* () {
      const { connection, messages, until } = yield* record(yield* start(["requests"]), {
        onRequest: (request) => (request.method === "known" ? Effect.succeed({ ok: true }) : undefined)
      })
      yield* connection.notify("ask", { method: "known" })
      yield* until(() => received(messages).length === 1)
      assert.deepStrictEqual(received(messages), [{ jsonrpc: "2.0", id: 0, result: { ok: true } }])
    })
  )

  it.scopedLive("answers an unknown request with -32601", () =>
    Effect.gen(function* () {
      const { connection, messages, until } = yield* record(yield* start(["requests"]))
      yield* connection.notify("ask", { method: "fs/read_text_file" })
      yield* until(() => received(messages).length === 1)
      assert.strictEqual((received(messages)[0] as JsonRpc.Failure).error.code, -32601)
    })
  )

  it.scopedLive("interrupts a handler whose request is cancelled and says so", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { connection, messages, until } = yield* record(yield* start(["requests"]), {
        onRequest: () => Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
      })
      yield* connection.notify("ask", { method: "slow" })
      yield* until(() => messages.length === 1)
      yield* connection.notify("withdraw", {})
      yield* Deferred.await(interrupted)
      yield* until(() => received(messages).length === 1)
      assert.strictEqual((received(messages)[0] as JsonRpc.Failure).error.code, -32800)
    })
  )

  it.scopedLive("takes the first of two answers and runs onReply before what follows", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const { connection, messages, until } = yield* record(yield* start(["requests"]), {
        onNotification: () => order.push("notification")
      })
      const result = yield* connection.request("twice", {}, { onReply: () => order.push("reply") })
      yield* until(() => messages.length === 3)
      assert.strictEqual(result, "first")
      assert.deepStrictEqual(order, ["reply", "notification"])
    })
  )

  it.scopedLive("withdraws a request whose caller gives up", () =>
    Effect.gen(function* () {
      const { connection, messages, until } = yield* record(yield* start(["requests"]))
      yield* connection.request("slow", {}).pipe(Effect.timeout("100 millis"), Effect.flip)
      yield* until(() => received(messages).length === 2)
      assert.deepStrictEqual(received(messages)[1], {
        jsonrpc: "2.0",
        method: "$/cancel_request",
        params: { requestId: 1 }
      })
    })
  )
})
