import { ChannelRefused, ConnectionLost } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as Extension from "@heddle/acp/Extension"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import * as SessionState from "@heddle/acp/SessionState"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { initialized, peer, type Peer, watch } from "../../fixtures/Peer.ts"
import { says } from "../../fixtures/Session.ts"

const texts = (state: SessionState.SessionState) => SessionState.messages(state).map(({ text }) => text)
const both = { protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } }
const known = SessionState.fold(SessionState.empty, [
  { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "known" } }
])

const make = (agent: Peer, options: Partial<AcpSession.Options> = {}) =>
  AcpSession.make(agent.transport, { sessionId: "s1", ...options })

const methods = (agent: Peer) => agent.sent.flatMap((message) => ("method" in message ? [message.method] : []))

/** A channel that loses the confirmation of the first load; whether the load itself arrives is the test's choice. */
const unconfirmed = (agent: Peer, arrives: boolean): Peer["transport"] => {
  let first = true
  return {
    ...agent.transport,
    send: (message) => {
      if (!first || !("method" in message) || message.method !== "session/load") return agent.transport.send(message)
      first = false
      const lost = new ConnectionLost({ description: "lost", sent: true })
      return arrives ? Effect.andThen(agent.transport.send(message), lost) : lost
    }
  }
}

describe("a load that may not have arrived", () => {
  it.scoped("is not sent again while its history is replayed", () =>
    Effect.gen(function* () {
      const agent = peer()
      delete agent.answers["session/load"]
      const opening = yield* Effect.fork(AcpSession.make(unconfirmed(agent, true), { sessionId: "s1" }))
      const { id } = yield* agent.received("session/load")
      agent.update(says("told "))
      yield* TestClock.adjust("2 seconds")
      agent.update(says("once"))
      yield* TestClock.adjust("2 seconds")
      agent.reply(id, null)
      const session = yield* Fiber.join(opening)
      assert.deepStrictEqual(texts(yield* session.state), ["told once"])
      assert.strictEqual(methods(agent).filter((method) => method === "session/load").length, 1)
    })
  )

  it.scoped("is sent again on a new connection when nothing is received", () =>
    Effect.gen(function* () {
      const agent = peer()
      const opening = yield* Effect.fork(AcpSession.make(unconfirmed(agent, false), { sessionId: "s1" }))
      yield* agent.received("initialize")
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(opening)
      assert.deepStrictEqual(methods(agent), ["initialize", "initialize", "session/load"])
      assert.strictEqual(agent.connections(), 2)
    })
  )

  it.scoped("is not sent again on its connection, whose live updates would count as the replay", () =>
    Effect.gen(function* () {
      const agent = peer()
      delete agent.answers["session/load"]
      const opening = yield* Effect.fork(AcpSession.make(unconfirmed(agent, true), { sessionId: "s1" }))
      yield* agent.received("session/load")
      // The load has arrived, and what the agent says to it is stuck on the way.
      yield* TestClock.adjust("4 seconds")
      const second = yield* agent.received("session/load", 2)
      for (const words of ["one ", "two ", "three "]) agent.updateOn(1, says(words))
      for (const words of ["one ", "two ", "three "]) agent.update(says(words))
      agent.reply(second.id, null)
      agent.update(says("four"))
      const session = yield* Fiber.join(opening)
      assert.deepStrictEqual(texts(yield* session.state), ["one two three four"])
    })
  )

  it.scoped("counts for a session that was never open: it gives up after six connections", () =>
    Effect.gen(function* () {
      const agent = peer()
      const lost = Effect.suspend(() => new ConnectionLost({ description: "lost", sent: true }))
      const isLoad = (message: JsonRpc.Message) => "method" in message && message.method === "session/load"
      const send = (message: JsonRpc.Message) => (isLoad(message) ? lost : agent.transport.send(message))
      const opening = yield* Effect.fork(
        Effect.flip(AcpSession.make({ ...agent.transport, send }, { sessionId: "s1" }))
      )
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* Fiber.join(opening)).message, "lost")
      assert.strictEqual(agent.connections(), 6)
    })
  )
})

describe("the state as a load left it", () => {
  it.scoped("lacks what arrives right after the response to the load", () =>
    Effect.gen(function* () {
      const agent = peer()
      delete agent.answers["session/load"]
      const opening = yield* Effect.fork(make(agent))
      const { id } = yield* agent.received("session/load")
      agent.update(says("told "))
      agent.reply(id, null)
      agent.update(says("new"))
      const session = yield* Fiber.join(opening)
      assert.deepStrictEqual(texts(yield* session.loadedState), ["told "])
      assert.deepStrictEqual(texts(yield* session.state), ["told new"])
    })
  )

  it.scoped("is the present one where nothing was loaded", () =>
    Effect.gen(function* () {
      const agent = peer({ initialize: both, "session/resume": {} })
      const session = yield* make(agent, { state: known, resume: true })
      assert.deepStrictEqual(texts(yield* session.loadedState), ["known"])
    })
  )
})

describe("a session that was open", () => {
  it.scoped("survives an outage that begins while it is being attached again", () =>
    Effect.gen(function* () {
      const agent = peer()
      const session = yield* make(agent)
      const { tags, until } = yield* watch(session)
      delete agent.answers["initialize"]
      agent.connect(true)
      yield* agent.received("initialize", 2)
      agent.interrupt()
      yield* TestClock.adjust("10 minutes")
      assert.notInclude(tags(), "Closed")
      agent.answers["initialize"] = initialized
      agent.connect(false)
      yield* TestClock.adjust("10 seconds")
      yield* until("Ready")
    })
  )
})

describe("a session is opened", () => {
  it.scoped("with the agent's capabilities, and with a null result of the load", () =>
    Effect.gen(function* () {
      const agent = peer()
      const session = yield* make(agent, { cwd: "/work", clientInfo: { name: "test", version: "1" } })
      assert.isTrue((yield* session.agent).agentCapabilities?.loadSession)
      const { params } = yield* agent.received("session/load")
      assert.deepStrictEqual(params, { sessionId: "s1", cwd: "/work", mcpServers: [] })
      assert.strictEqual((yield* agent.received("initialize")).params.clientInfo.name, "test")
    })
  )

  it.scoped("not with an agent of another protocol version", () =>
    Effect.gen(function* () {
      for (const protocolVersion of [2, "2026-01-01", null]) {
        const error = yield* Effect.flip(make(peer({ initialize: { protocolVersion } })))
        assert.deepStrictEqual(error._tag === "UnsupportedVersion" ? error.answered : error, protocolVersion)
      }
      const error = yield* Effect.flip(make(peer({ initialize: {} })))
      assert.strictEqual(error._tag, "InvalidAnswer")
    })
  )

  it.scoped("by session/load where both are offered, by session/resume on request", () =>
    Effect.gen(function* () {
      const cases = [
        [both, {}, "session/load", "session/load"],
        [both, { resume: true }, "session/load", "session/resume"],
        [both, { resume: true, state: known }, "session/resume", "session/resume"],
        [initialized, { resume: true, state: known }, "session/load", "session/load"],
        [
          { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } },
          {},
          "session/resume",
          "session/resume"
        ]
      ] as const
      for (const [initialize, options, first, second] of cases) {
        const agent = peer({ initialize, "session/resume": {} })
        const session = yield* make(agent, options)
        const { until } = yield* watch(session)
        agent.interrupt()
        agent.connect(true)
        yield* until("Ready")
        assert.deepStrictEqual(methods(agent), ["initialize", first, "initialize", second])
      }
    })
  )

  it.scoped("only after the agent has attached it, although the channel breaks and resumes in between", () =>
    Effect.gen(function* () {
      const ways = [
        ["session/load", initialized, { sessionId: "s1" }],
        ["session/resume", both, { sessionId: "s1", resume: true, state: known }],
        ["session/new", initialized, {}]
      ] as const
      for (const [method, initialize, options] of ways) {
        const agent = peer({ initialize })
        delete agent.answers["session/load"]
        const opening = yield* Effect.fork(AcpSession.make(agent.transport, options))
        const { id } = yield* agent.received(method)
        agent.interrupt()
        agent.connect(false)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.poll(opening))._tag, "None")
        agent.update(says(", history"))
        agent.reply(id, { sessionId: "s1" })
        const session = yield* Fiber.join(opening)
        assert.strictEqual(
          texts(yield* session.state)
            .join()
            .endsWith(", history"),
          true
        )
        const { tags } = yield* watch(session)
        assert.deepStrictEqual(tags(), [])
      }
    })
  )

  it.scoped("by session/resume without losing updates meanwhile", () =>
    Effect.gen(function* () {
      const agent = peer({ initialize: both })
      const opening = yield* Effect.fork(make(agent, { resume: true, state: known }))
      const { id } = yield* agent.received("session/resume")
      agent.update(says(", and live"))
      agent.reply(id, {})
      const session = yield* Fiber.join(opening)
      assert.deepStrictEqual(texts(yield* session.state), ["known, and live"])
    })
  )

  it.scoped("or is SessionNotFound with mustExist, also from agents that load any name", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(make(peer(), { mustExist: true })))._tag, "SessionNotFound")
      const unknown = new JsonRpc.RpcError({ code: -32002, message: "No such session" })
      const refused = yield* Effect.flip(make(peer({ "session/load": unknown }), { mustExist: true }))
      assert.strictEqual(refused._tag, "SessionNotFound")
      assert.strictEqual((yield* Effect.flip(make(peer({ "session/load": unknown }))))._tag, "RpcError")
      const agent = peer()
      delete agent.answers["session/load"]
      const opening = yield* Effect.fork(make(agent, { mustExist: true }))
      const { id } = yield* agent.received("session/load")
      agent.update(says("history"))
      agent.reply(id, { sessionId: "s1", modes: { currentModeId: "code", availableModes: [] } })
      const session = yield* Fiber.join(opening)
      const state = yield* session.state
      assert.deepStrictEqual([texts(state), state.mode], [["history"], "code"])
    })
  )

  it.scoped("new, and keeps notifications before its id in their order", () =>
    Effect.gen(function* () {
      const agent = peer()
      const opening = yield* Effect.fork(AcpSession.make(agent.transport, { cwd: "/work" }))
      const { id, params } = yield* agent.received("session/new")
      assert.deepStrictEqual(params, { cwd: "/work", mcpServers: [] })
      agent.update(says("early "), "named-by-agent")
      agent.update(says("another's"), "other")
      for (let n = 0; n < 200; n++)
        agent.update({ sessionUpdate: "session_info_update", title: `${n}` }, "named-by-agent")
      agent.reply(id, { sessionId: "named-by-agent" })
      agent.update(says("bird"), "named-by-agent")
      const session = yield* Fiber.join(opening)
      assert.strictEqual(session.sessionId, "named-by-agent")
      const state = yield* session.state
      assert.deepStrictEqual(texts(state), ["early bird"])
      // A hundred are kept.
      assert.strictEqual(state.title, "97")
      // There was no listener yet, and nothing is lost: neither the other session nor the dropped updates.
      const { events, until } = yield* watch(session)
      yield* until("Unknown", 103)
      const unknown = events.flatMap((event) => (event._tag === "Unknown" ? [event.params] : []))
      assert.strictEqual(unknown.length, 103)
      assert.deepInclude(unknown, { sessionId: "other", update: says("another's") })
      agent.interrupt()
      agent.connect(true)
      yield* until("Ready")
      assert.strictEqual((yield* agent.received("session/load")).params.sessionId, "named-by-agent")
    })
  )

  it.scoped("again after a break, several times if the agent is not up yet", () =>
    Effect.gen(function* () {
      const agent = peer()
      const session = yield* make(agent)
      const { until } = yield* watch(session)
      agent.answers["session/load"] = new JsonRpc.RpcError({ code: -32603, message: "Starting" })
      agent.interrupt()
      agent.connect(true)
      yield* agent.received("session/load", 2)
      agent.answers["session/load"] = null
      yield* TestClock.adjust("500 millis")
      yield* until("Ready")
      assert.strictEqual(methods(agent).filter((method) => method === "initialize").length, 2)
    })
  )
})

describe("unknown input", () => {
  it.scoped("is passed on whole, and extensions are decoded", () =>
    Effect.gen(function* () {
      const agent = peer()
      const extensions = Extension.make(
        { artifact: Extension.Artifact, command: Schema.Struct({ name: Schema.String }) },
        { prefix: "_acme" }
      )
      const session = yield* AcpSession.make(agent.transport, { sessionId: "s1", extensions })
      const { events, until } = yield* watch(session)
      const artifact = { artifact: { type: "plan", uri: "agent:///s1/tasks/s1" }, event: "created", extra: 1 }
      agent.update(says("elsewhere"), "s2")
      agent.update({ sessionUpdate: "session_end", reason: 5 })
      agent.update({ sessionUpdate: "tool_call", title: "without an id" })
      agent.push(JsonRpc.notification("session/update", { sessionId: "s1" }))
      agent.push(JsonRpc.notification("_auth/status_update", { signedIn: true }))
      agent.push(JsonRpc.notification("_acme/command", { name: "stop", more: true }))
      agent.push(JsonRpc.notification("_acme/command", { nameless: true }))
      agent.push(JsonRpc.notification("_vendor.ai/command", { name: "stop" }))
      agent.push(JsonRpc.notification("_vendor.ai/artifact", artifact))
      agent.push(JsonRpc.notification("_acme/artifact", { sessionId: 7, artifact: "none" }))
      agent.push(JsonRpc.notification("_acme/artifact", "none"))
      yield* until("Unknown", 8)
      assert.deepStrictEqual(
        events.flatMap((event) => {
          if (event._tag === "Unknown") return [[event.method, event.params]]
          return event._tag === "Extension" ? [[event.name, event.params]] : []
        }),
        [
          ["session/update", { sessionId: "s2", update: says("elsewhere") }],
          ["session/update", { sessionId: "s1", update: { sessionUpdate: "session_end", reason: 5 } }],
          ["session/update", { sessionId: "s1", update: { sessionUpdate: "tool_call", title: "without an id" } }],
          ["session/update", { sessionId: "s1" }],
          ["_auth/status_update", { signedIn: true }],
          ["command", { name: "stop", more: true }],
          ["_acme/command", { nameless: true }],
          ["_vendor.ai/command", { name: "stop" }],
          ["artifact", artifact],
          ["artifact", { sessionId: undefined, artifact: undefined }],
          ["_acme/artifact", "none"]
        ]
      )
      const event = events.find((each) => each._tag === "Extension" && each.name === "command")
      assert.strictEqual(event?._tag === "Extension" && event.name === "command" ? event.params.name : "", "stop")
      assert.deepStrictEqual((yield* session.state).entries, [])
    })
  )
})

describe("a session that is followed", () => {
  it.scoped("gives its followers the events of its streams, and ends with its channel", () =>
    Effect.gen(function* () {
      const agent = peer()
      const over = yield* Deferred.make<void, ChannelRefused>()
      const session = yield* AcpSession.make(
        { ...agent.transport, run: (into) => Effect.raceFirst(agent.transport.run(into), Deferred.await(over)) },
        { sessionId: "s1" }
      )
      // The first of them also receives the beginning.
      yield* Effect.forkScoped(session.follow(() => Effect.void))
      yield* Effect.yieldNow()
      const followed: Array<AcpSession.SessionEvent> = []
      const streamed: Array<AcpSession.SessionEvent> = []
      const follower = yield* Effect.fork(session.follow((events) => Effect.sync(() => followed.push(...events))))
      const reader = yield* Effect.fork(
        Stream.runForEach(session.changes, (each) => Effect.sync(() => streamed.push(each)))
      )
      yield* TestClock.adjust("1 millis")
      agent.update(says("one "))
      agent.push(JsonRpc.notification("_other", {}))
      yield* TestClock.adjust("1 millis")
      agent.update(says("two"))
      yield* TestClock.adjust("1 millis")
      yield* Deferred.fail(over, new ChannelRefused({ status: 410, description: "over" }))
      yield* Fiber.join(follower)
      yield* Fiber.join(reader)
      assert.deepStrictEqual(followed, streamed)
      assert.deepStrictEqual(
        followed.map(({ _tag }) => _tag),
        ["StateChanged", "StateChanged", "Unknown", "StateChanged", "Closed"]
      )
      assert.strictEqual((yield* Effect.flip(session.closed))._tag, "ChannelRefused")
    })
  )
})
