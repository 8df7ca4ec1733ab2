import * as AcpSession from "@heddle/acp/AcpSession"
import { fromFetch, type HttpExchange } from "@heddle/acp/HttpExchange"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import type { Inbound, Transport } from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { channel, type Channel } from "./fixtures/Channel.ts"
import { tickets } from "./fixtures/Tickets.ts"
import { quick, text } from "./fixtures/Session.ts"

const open = (
  server: Channel,
  options: Partial<AcpSession.Options & { silence: number; maxMessageSize: number; exchange: HttpExchange }> = {}
) =>
  Effect.gen(function* () {
    const { ticket } = yield* tickets(() => server.link)
    return yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick, ...options })
  })

/** Runs the session's events into a list; `until` waits for one that satisfies the condition. */
const watch = Effect.fn(function* (session: AcpSession.AcpSession) {
  const events: Array<AcpSession.SessionEvent> = []
  let waiting: Array<{
    met: (event: AcpSession.SessionEvent) => boolean
    done: Deferred.Deferred<AcpSession.SessionEvent>
  }> = []
  yield* session.changes.pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        events.push(event)
        for (const each of waiting) if (each.met(event)) Deferred.unsafeDone(each.done, Effect.succeed(event))
        waiting = waiting.filter((each) => !each.met(event))
      })
    ),
    Effect.forkScoped
  )
  yield* Effect.yieldNow()
  const until = (met: (event: AcpSession.SessionEvent) => boolean) =>
    Effect.gen(function* () {
      const past = events.find(met)
      if (past !== undefined) return past
      const done = yield* Deferred.make<AcpSession.SessionEvent>()
      waiting.push({ met, done })
      return yield* Deferred.await(done)
    })
  const permission = until((event) => event._tag === "PermissionRequested").pipe(
    Effect.map((event) => {
      if (event._tag !== "PermissionRequested") throw new Error("not a permission")
      return event.permission
    })
  )
  return { events, until, permission }
})

/** A session at an agent on the official kit, and its events. */
const watched = Effect.fn(function* (options?: Parameters<typeof open>[1]) {
  const server = yield* channel()
  const session = yield* open(server, options)
  return { server, session, ...(yield* watch(session)) }
})

const answerOf = (state: SessionState.SessionState) =>
  SessionState.messages(state, "agent").map((message) => message.text)

describe.concurrent("AcpSession", () => {
  for (const posts of ["accepted", "json", "stream"] as const) {
    it.scopedLive(`holds a conversation when POST is answered by ${posts}`, () =>
      Effect.gen(function* () {
        const server = yield* channel({ posts, resumable: posts === "accepted" })
        const session = yield* open(server)
        const { until } = yield* watch(session)
        // An answer on a socket of its own may overtake the text on the stream.
        const told = (words: string) =>
          until((event) => event._tag === "StateChanged" && answerOf(event.state).includes(words))
        assert.deepStrictEqual(yield* session.prompt(text("say hello there")), { stopReason: "end_turn" })
        yield* told("hello there ")
        yield* session.prompt(text("say again"))
        yield* told("again ")
        const state = yield* session.state
        assert.deepStrictEqual(
          SessionState.messages(state).map(({ role, text }) => [role, text]),
          [
            ["user", "say hello there"],
            ["thought", "let me see"],
            ["agent", "hello there "],
            ["user", "say again"],
            ["thought", "let me see"],
            ["agent", "again "]
          ]
        )
        assert.isFalse(state.running)
        assert.deepStrictEqual(
          server.posts.map(({ message }) => [message.id, message.method]),
          [
            [1, "initialize"],
            [2, "session/load"],
            [3, "session/prompt"],
            [4, "session/prompt"]
          ]
        )
      })
    )
  }

  it.scopedLive("has the same state after loading as the one who was there", () =>
    Effect.gen(function* () {
      const { permission, server, session: first } = yield* watched()
      const turn = yield* Effect.fork(first.prompt(text("tool")))
      yield* first.answerPermission((yield* permission).requestId, Permission.selected("yes"))
      yield* Fiber.join(turn)
      yield* first.prompt(text("say one two three"))
      const second = yield* open(server)
      assert.deepStrictEqual((yield* second.state).entries, (yield* first.state).entries)
      assert.deepStrictEqual(answerOf(yield* second.state), ["I want to write. ", "Done: completed.", "one two three "])
    })
  )

  it.scopedLive("asks for permission and takes one answer", () =>
    Effect.gen(function* () {
      const { permission, session } = yield* watched()
      const turn = yield* Effect.fork(session.prompt(text("tool")))
      const asked = yield* permission
      assert.strictEqual(asked.toolCall?.title, "Write report.md")
      assert.deepStrictEqual((yield* session.state).permissions, [asked])
      yield* session.answerPermission(asked.requestId, Permission.selected("no"))
      const again = yield* Effect.flip(session.answerPermission(asked.requestId, Permission.selected("yes")))
      assert.strictEqual(again._tag, "AlreadyAnswered")
      yield* Fiber.join(turn)
      const [call] = SessionState.toolCalls(yield* session.state)
      assert.strictEqual(call?.status, "failed")
      assert.deepStrictEqual((yield* session.state).permissions, [])
    })
  )

  it.scopedLive("answers the questions and the form of an agent on the official kit", () =>
    Effect.gen(function* () {
      const { session, until } = yield* watched({ questions: true })
      const turn = yield* Effect.fork(session.prompt(text("ask")))
      const answer = (form: Permission.Form, given: Permission.Answer) =>
        until((event) => event._tag === "PermissionRequested" && event.permission.form === form).pipe(
          Effect.andThen(session.state),
          Effect.flatMap(({ permissions }) => session.answerPermission(permissions[0]!.requestId, given))
        )
      yield* answer("question", Permission.answered({ q_0: "Red" }))
      yield* answer("elicitation", Permission.answered({ age: "36" }))
      yield* Fiber.join(turn)
      yield* until((event) => event._tag === "StateChanged" && answerOf(event.state).length > 0)
      assert.deepStrictEqual(JSON.parse(answerOf(yield* session.state)[0] ?? ""), [
        { outcome: { outcome: "submitted", data: { answers: { q_0: "Red" } } } },
        { action: "accept", content: { age: 36 } }
      ])
    })
  )

  it.scopedLive("cancels a turn, answering what was asked in it", () =>
    Effect.gen(function* () {
      const { permission, server, session } = yield* watched()
      const turn = yield* Effect.fork(session.prompt(text("tool")))
      yield* permission
      yield* session.cancel
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "cancelled")
      const answer = server.posts.find(({ message }) => message.method === undefined)
      assert.deepStrictEqual(answer?.message.result, { outcome: { outcome: "cancelled" } })
    })
  )

  // The deadline passes on the clock of the test: on a busy machine it could pass before the service has answered.
  it.scoped("counts a turn as cancelled when the agent never says so", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const taken = yield* Deferred.make<void>()
      const exchange: HttpExchange = async (request) => {
        const response = await fromFetch()(request)
        if (request.body?.includes("session/cancel") === true)
          setImmediate(() => Deferred.unsafeDone(taken, Effect.void))
        return response
      }
      const session = yield* open(server, { cancelDeadline: "1 second", exchange })
      const turn = yield* Effect.fork(session.prompt(text("never")))
      yield* server.posted("session/prompt")
      const cancelling = yield* Effect.fork(session.cancel)
      yield* Deferred.await(taken)
      yield* TestClock.adjust("999 millis")
      assert.isNull(cancelling.unsafePoll())
      yield* TestClock.adjust("1 milli")
      assert.strictEqual(yield* Fiber.join(cancelling), "unconfirmed")
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled", isUnconfirmed: true })
      assert.strictEqual((yield* session.prompt(text("say next"))).stopReason, "end_turn")
    })
  )

  it.scopedLive("refuses content the agent does not take and sends nothing of it", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const session = yield* open(server)
      const image = { type: "image" as const, data: "", mimeType: "image/png" }
      assert.strictEqual((yield* Effect.flip(session.prompt([image])))._tag, "UnsupportedContent")
      assert.strictEqual(server.posts.filter(({ message }) => message.method === "session/prompt").length, 0)
    })
  )

  it.scopedLive("goes on with a turn whose sockets were cut, without a loss, when the server keeps events", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const session = yield* open(server)
      const turn = yield* Effect.fork(session.prompt(text("count 60 10")))
      const { events, until } = yield* watch(session)
      yield* until((event) => event._tag === "StateChanged" && answerOf(event.state).join().includes("10 "))
      for (const breaks of [1, 2]) {
        server.cut()
        yield* until(() => events.filter(({ _tag }) => _tag === "Ready").length === breaks)
      }
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "end_turn")
      const expected = Array.from({ length: 60 }, (_, index) => `${index + 1} `).join("")
      assert.deepStrictEqual(answerOf(yield* session.state), [expected])
      assert.strictEqual(server.gets.length, 3)
      assert.isDefined(server.gets[1]?.lastEventId)
      assert.strictEqual(server.posts.filter(({ message }) => message.method === "initialize").length, 1)
    })
  )

  it.scopedLive("detaches from a turn, loads the session again and never sends the prompt twice", () =>
    Effect.gen(function* () {
      const server = yield* channel({ resumable: false })
      const session = yield* open(server)
      const { until } = yield* watch(session)
      yield* session.prompt(text("say before"))
      const turn = yield* Effect.fork(session.prompt(text("count 20 10")))
      yield* until((event) => event._tag === "StateChanged" && answerOf(event.state).at(-1)?.includes("5 ") === true)
      server.cut()
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      yield* until((event) => event._tag === "StateChanged" && answerOf(event.state).at(-1)?.endsWith("20 ") === true)
      const expected = Array.from({ length: 20 }, (_, index) => `${index + 1} `).join("")
      assert.deepStrictEqual(answerOf(yield* session.state), ["before ", expected])
      assert.strictEqual(server.posts.filter(({ message }) => message.method === "session/prompt").length, 2)
      const ids = server.posts.flatMap(({ message }) => (message.method === undefined ? [] : [message.id]))
      assert.deepStrictEqual(ids, [...new Set(ids)])
    })
  )

  it.scopedLive("loses and doubles nothing over turns whose streams break at random moments", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const session = yield* open(server)
      yield* Random.nextRange(5, 60).pipe(
        Effect.flatMap((millis) => Effect.sleep(millis)),
        Effect.andThen(Effect.sync(server.cutStreams)),
        Effect.forever,
        Effect.forkScoped
      )
      const turns = 6
      for (let turn = 0; turn < turns; turn++) {
        assert.strictEqual((yield* session.prompt(text("count 20 3"))).stopReason, "end_turn")
      }
      const once = Array.from({ length: 20 }, (_, index) => `${index + 1} `).join("")
      assert.deepStrictEqual(
        answerOf(yield* session.state),
        Array.from({ length: turns }, () => once)
      )
      assert.isAbove(server.gets.length, turns)
      const prompts = server.posts.filter(({ message }) => message.method === "session/prompt")
      assert.strictEqual(prompts.length, turns)
    })
  )

  it.scopedLive("withdraws a permission request whose connection is gone", () =>
    Effect.gen(function* () {
      const server = yield* channel({ resumable: false })
      const session = yield* open(server)
      const { permission, until } = yield* watch(session)
      yield* Effect.fork(session.prompt(text("tool")))
      const asked = yield* permission
      server.cut()
      yield* until((event) => event._tag === "PermissionWithdrawn")
      const late = yield* Effect.flip(session.answerPermission(asked.requestId, Permission.selected("yes")))
      assert.strictEqual(late._tag, "AlreadyAnswered")
    })
  )

  it.scopedLive("gives on artifact pushes and what it does not know, and skips what it cannot read", () =>
    Effect.gen(function* () {
      const { events, server, session, until } = yield* watched({ maxMessageSize: 100_000 })
      const pushed = { sessionId: "task-1", event: "created", artifact: { type: "plan", uri: "agent:///p" } }
      server.push({ jsonrpc: "2.0", method: "_vendor.ai/artifact", params: pushed })
      server.raw("data: this is not json\n\n")
      server.raw(`data: ${"x".repeat(70_000)}`)
      server.raw("x".repeat(70_000))
      server.raw("\n\n")
      const hologram = { sessionUpdate: "hologram", depth: 3 }
      server.push({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "task-1", update: hologram } })
      server.push({ jsonrpc: "2.0", id: 0, method: "fs/read_text_file", params: { path: "/etc/passwd" } })
      yield* until((event) => event._tag === "Unknown")
      const kinds = events.filter(({ _tag }) => _tag !== "StateChanged")
      assert.deepStrictEqual(
        kinds.map((event) => [event._tag, "reason" in event ? event.reason : "method" in event ? event.method : ""]),
        [
          ["Extension", "_vendor.ai/artifact"],
          ["Skipped", "NotJsonRpc"],
          ["Skipped", "TooLarge"],
          ["Unknown", "session/update"]
        ]
      )
      yield* session.prompt(text("say fine"))
      const refusal = server.posts.find(({ message }) => message.id === 0)
      assert.strictEqual(refusal?.message.error?.code, -32601)
      assert.deepStrictEqual(answerOf(yield* session.state), ["fine "])
    })
  )

  it.scopedLive("carries a message of ten megabytes", () =>
    Effect.gen(function* () {
      const server = yield* channel({ newline: "\r\n" })
      const session = yield* open(server)
      yield* session.prompt(text("big 5000000"))
      assert.strictEqual(answerOf(yield* session.state)[0]?.length, 5_000_000)
    })
  )

  it.scoped("waits for a service that tries to start its agent, and gives the service's own words", () =>
    Effect.gen(function* () {
      let receive: (inbound: Inbound) => void = () => {}
      const transport: Transport = {
        pause: () => undefined,
        resume: () => undefined,
        reconnect: () => undefined,
        run: (into) =>
          Effect.suspend(() => {
            receive = into
            into({ _tag: "Connected", fresh: true })
            return Effect.never
          }),
        send: (message) =>
          "method" in message && message.method === "initialize" && "id" in message
            ? Effect.sync(() => {
                const error = new JsonRpc.RpcError({ code: -32603, message: "The agent did not answer initialize" })
                receive({ _tag: "Message", message: JsonRpc.failure(message.id, error) })
              }).pipe(Effect.delay("65 seconds"))
            : Effect.void
      }
      const opening = yield* Effect.fork(Effect.flip(AcpSession.make(transport, { sessionId: "task-1" })))
      yield* TestClock.adjust("66 seconds")
      const error = yield* Fiber.join(opening)
      assert.deepStrictEqual([error._tag, error.message], ["RpcError", "The agent did not answer initialize"])
    })
  )
})
