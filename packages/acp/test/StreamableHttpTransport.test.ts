import { ConnectionLost } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as Permission from "@heddle/acp/Permission"
import * as SessionState from "@heddle/acp/SessionState"
import * as StreamableHttpTransport from "@heddle/acp/StreamableHttpTransport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { official } from "./fixtures/Official.ts"
import { tickets } from "./fixtures/Tickets.ts"
import { quick, text } from "./fixtures/Session.ts"

const agentText = (state: SessionState.SessionState) =>
  SessionState.messages(state, "agent").map((message) => message.text)
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n + 1} `).join("")

const open = Effect.fn(function* (options: Partial<StreamableHttpTransport.Options> = {}) {
  const server = yield* official()
  const { count, ticket } = yield* tickets(() => server.link)
  const transport = StreamableHttpTransport.make({ ticket, ...quick, ...options })
  const session = yield* AcpSession.make(transport, { sessionId: "task-1" })
  return { count, server, session, ticket }
})

/** A turn in the background whose first words have arrived. */
const begunTurn = Effect.fn(function* (session: AcpSession.AcpSession, words: string) {
  const turn = yield* Effect.fork(session.prompt(text(words)))
  yield* session.changes.pipe(
    Stream.filter((event) => event._tag === "StateChanged" && agentText(event.state).length > 0),
    Stream.runHead
  )
  return turn
})

describe.concurrent("StreamableHttpTransport, with the official server", () => {
  for (const [name, options] of [
    ["fetch", {}],
    ["undici", { exchange: UndiciExchange.make() }]
  ] as const) {
    it.scopedLive(`holds a conversation over ${name}`, () =>
      Effect.gen(function* () {
        const { server, session } = yield* open(options)
        assert.strictEqual((yield* session.prompt(text("say hello you"))).stopReason, "end_turn")
        assert.deepStrictEqual(agentText(yield* session.state), ["hello you "])
        const posts = server.seen.filter(({ method }) => method === "POST")
        assert.isUndefined(posts[0]?.connectionId)
        assert.strictEqual(new Set(posts.slice(1).map(({ connectionId }) => connectionId)).size, 1)
        assert.deepStrictEqual([...new Set(posts.slice(1).map(({ cookie }) => cookie))], ["shard=7"])
      })
    )
  }

  it.scopedLive("asks for permission and takes the answer to the session it came from", () =>
    Effect.gen(function* () {
      const { session } = yield* open()
      const turn = yield* Effect.fork(session.prompt(text("tool")))
      const asked = yield* session.changes.pipe(
        Stream.filter((event) => event._tag === "StateChanged" && event.state.permissions.length > 0),
        Stream.runHead,
        Effect.andThen(Effect.map(session.state, ({ permissions }) => permissions))
      )
      yield* session.answerPermission(asked[0]?.requestId ?? "", Permission.selected("yes"))
      yield* Fiber.join(turn)
      assert.deepStrictEqual(agentText(yield* session.state), ["yes"])
    })
  )

  it.scopedLive("cancels a turn", () =>
    Effect.gen(function* () {
      const { session } = yield* open()
      const turn = yield* begunTurn(session, "count 1000")
      yield* session.cancel
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "cancelled")
    })
  )

  it.scopedLive("has the whole replay when the load is answered on another stream", () =>
    Effect.gen(function* () {
      const { server, session, ticket } = yield* open()
      for (let n = 1; n <= 3000; n++) {
        server.history.push({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${n} ` } })
      }
      const transport = StreamableHttpTransport.make({ ticket, ...quick })
      const late = yield* AcpSession.make(transport, { sessionId: "task-1" })
      assert.deepStrictEqual(agentText(yield* late.state), [numbers(3000)])
      assert.deepStrictEqual(agentText(yield* session.state), [])
    })
  )

  it.scopedLive("goes on unnoticed when the server ends its streams in the middle of a turn", () =>
    Effect.gen(function* () {
      const { server, session } = yield* open()
      const turn = yield* begunTurn(session, "count 60")
      server.knobs.refuse = [409, 503]
      server.endStreams()
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "end_turn")
      assert.deepStrictEqual(agentText(yield* session.state), [numbers(60)])
      assert.strictEqual(new Set(server.seen.flatMap(({ connectionId }) => connectionId ?? [])).size, 1)
    })
  )

  it.scopedLive("loads the session on a new connection when a stream breaks, and never sends the prompt again", () =>
    Effect.gen(function* () {
      const { server, session } = yield* open()
      const turn = yield* begunTurn(session, "count 60")
      server.cut()
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      yield* session.prompt(text("say more"))
      assert.strictEqual(server.history.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk").length, 2)
      assert.strictEqual(new Set(server.seen.flatMap(({ connectionId }) => connectionId ?? [])).size, 2)
    })
  )

  it.scopedLive("gives up a connection on request, and the session is loaded on a new one", () =>
    Effect.gen(function* () {
      const server = yield* official()
      const { ticket } = yield* tickets(() => server.link)
      const transport = StreamableHttpTransport.make({ ticket, ...quick })
      const session = yield* AcpSession.make(transport, { sessionId: "task-1" })
      const turn = yield* begunTurn(session, "count 60")
      transport.reconnect(new ConnectionLost({ description: "given up", sent: true }))
      assert.strictEqual((yield* Effect.flip(Fiber.join(turn)))._tag, "Detached")
      yield* session.prompt(text("say more"))
      assert.strictEqual(agentText(yield* session.state).at(-1), "more ")
      assert.strictEqual(new Set(server.seen.flatMap(({ connectionId }) => connectionId ?? [])).size, 2)
    })
  )

  it.scopedLive("renews a refused token for its streams and its messages", () =>
    Effect.gen(function* () {
      const { count, server, session } = yield* open()
      server.knobs.tokens = new Set(["token-2"])
      server.endStreams()
      yield* session.prompt(text("say renewed"))
      assert.deepStrictEqual(agentText(yield* session.state), ["renewed "])
      assert.strictEqual(count.fetched, 2)
    })
  )

  it.scopedLive("tells the server when it is closed", () =>
    Effect.gen(function* () {
      const server = yield* official()
      const { ticket } = yield* tickets(() => server.link)
      const scope = yield* Scope.make()
      const transport = StreamableHttpTransport.make({ ticket })
      yield* Scope.extend(AcpSession.make(transport, { sessionId: "task-1" }), scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(server.seen.find(({ method }) => method === "DELETE")?.status(), 202)
    })
  )

  it.scopedLive("ends with the server's refusal", () =>
    Effect.gen(function* () {
      const server = yield* official()
      const { count, ticket } = yield* tickets(() => server.link)
      server.knobs.tokens = new Set()
      const transport = StreamableHttpTransport.make({ ticket, ...quick })
      const error = yield* Effect.flip(AcpSession.make(transport, { sessionId: "task-1" }))
      assert.strictEqual(error._tag, "ChannelRefused")
      assert.strictEqual(count.fetched, 2)
    })
  )

  it.scopedLive("retries while no server listens, and opens once one does", () =>
    Effect.gen(function* () {
      let link = "http://127.0.0.1:9/acp"
      const now = Effect.sync(() => ({ link, token: Redacted.make("token-1") }))
      const transport = StreamableHttpTransport.make({ ticket: { current: now, renew: () => now }, ...quick })
      const opening = yield* Effect.fork(AcpSession.make(transport, { sessionId: "task-1" }))
      yield* Effect.sleep("300 millis")
      const server = yield* official()
      link = server.link
      const session = yield* Fiber.join(opening)
      yield* session.prompt(text("say late"))
      assert.deepStrictEqual(agentText(yield* session.state), ["late "])
    })
  )
})
