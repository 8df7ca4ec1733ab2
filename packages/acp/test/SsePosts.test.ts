import type { ServerResponse } from "node:http"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as HttpExchange from "@heddle/acp/HttpExchange"
import * as SessionState from "@heddle/acp/SessionState"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import type { Inbound } from "@heddle/acp/Transport"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { channel } from "./fixtures/Channel.ts"
import { scripted } from "./fixtures/Scripted.ts"
import { tickets } from "./fixtures/Tickets.ts"
import { agentText, quick, text } from "./fixtures/Session.ts"

/** A session at a scripted server. */
const opened = Effect.fn(function* (options: Partial<AcpSession.Options & SseTransport.Options>) {
  const server = yield* scripted
  const { ticket } = yield* tickets(() => server.link)
  return { server, session: yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick, ...options }) }
})

describe.concurrent("the POSTs of an SSE channel", () => {
  it.scopedLive("renews the token refused at a POST and sends the message again", () =>
    Effect.gen(function* () {
      const server = yield* channel()
      const { ticket, count } = yield* tickets(() => server.link)
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      server.knobs.tokens = new Set(["token-2"])
      yield* session.prompt(text("say renewed"))
      assert.deepStrictEqual(agentText(yield* session.state), ["renewed "])
      assert.strictEqual(count.fetched, 2)
      assert.deepStrictEqual([...new Set(server.posts.map(({ token }) => token))], ["token-1", "token-2"])
    })
  )

  it.scopedLive(
    "goes to a new link when a POST's refused token is renewed to one, and shows the old link no new token",
    () =>
      Effect.gen(function* () {
        const [old, next] = [yield* scripted, yield* scripted]
        let moved = false
        const ticket = yield* Ticket.make(
          Effect.sync(() =>
            moved ? { link: next.link, token: Redacted.make("new") } : { link: old.link, token: Redacted.make("old") }
          )
        )
        const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
        moved = true
        old.onPost = (_message, response) => response.writeHead(401).end()
        old.onGet = (response) => response.writeHead(401).end()
        assert.deepStrictEqual(yield* session.prompt(text("hello")), { stopReason: "end_turn" })
        assert.strictEqual((yield* session.state).entries.length, 1)
        assert.deepStrictEqual([...new Set(old.tokens.map(([, token]) => token))], ["old"])
        assert.deepStrictEqual([...new Set(next.tokens.map(([, token]) => token))], ["new"])
      })
  )

  it.scopedLive("takes a prompt answered by 503 for one that may have arrived, and repeats what is harmless", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const { ticket } = yield* tickets(() => server.link)
      const seen = new Set<string | undefined>(["session/load"])
      server.onPost = ({ method }, response) => {
        if (method !== "session/prompt" && seen.has(method)) return
        seen.add(method)
        return response.writeHead(503).end("upstream reset")
      }
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      const error = yield* Effect.flip(session.prompt(text("pay 100")))
      assert.strictEqual(error._tag, "Detached")
      assert.deepStrictEqual(
        SessionState.messages(yield* session.state).map((message) => message.text),
        ["pay 100"]
      )
      server.say({ id: "ask", method: "_vendor.ai/unknown", params: {} })
      yield* session.cancel
      while (server.posts.filter(({ id }) => id === "ask").length < 2) yield* Effect.sleep("20 millis")
      const count = (method: string) => server.posts.filter((message) => message.method === method).length
      assert.deepStrictEqual(["initialize", "session/prompt", "session/cancel"].map(count), [2, 1, 2])
    })
  )

  for (const [what, answer] of [
    ["is refused for now", (response: ServerResponse) => response.writeHead(503).end()],
    ["is never answered", () => "nothing"],
    ["is answered without an end", (response: ServerResponse) => response.writeHead(200).write("x")]
  ] as const) {
    it.scopedLive(`cancels a turn in time although the POST that says so ${what}`, () =>
      Effect.gen(function* () {
        const { server, session } = yield* opened({
          cancelDeadline: "2 seconds",
          // The next prompt waits until the POST can no longer arrive.
          headTimeout: "3 seconds"
        })
        server.onPost = ({ method }, response) =>
          method === "session/prompt" ? response.writeHead(202).end() : answer(response)
        const turn = yield* Effect.fork(session.prompt(text("go")))
        while (!(yield* session.state).running) yield* Effect.sleep("10 millis")
        const [duration] = yield* Effect.timed(session.cancel)
        assert.isAtLeast(Duration.toMillis(duration), 1_950)
        assert.isBelow(Duration.toMillis(duration), 6_000)
        assert.deepStrictEqual(yield* Fiber.join(turn), {
          stopReason: "cancelled",
          isUnconfirmed: true,
          ...(what === "is answered without an end" ? {} : { isUndelivered: true })
        })
        if (what === "is refused for now") {
          assert.isAbove(server.posts.filter(({ method }) => method === "session/cancel").length, 1)
        }
        server.onPost = undefined
        assert.deepStrictEqual(yield* session.prompt(text("next")), { stopReason: "end_turn" })
      })
    )
  }

  it.scopedLive("reads no more of a POST's answer than its limit, and waits for its rest for a limited time", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened({
        headTimeout: "1 second",
        maxMessageSize: 10_000
      })
      const beat = setInterval(() => server.raw(": here\n\n"), 100)
      const seen = { closed: false }
      server.onPost = ({ method }, response) => {
        if (method !== "session/prompt") return
        response.writeHead(200, { "Content-Type": "application/json" }).write("x".repeat(11_000))
        return response.on("close", () => (seen.closed = true))
      }
      const error = yield* Effect.flip(session.prompt(text("much")))
      assert.deepStrictEqual([error._tag, error.message], ["RpcError", "The answer is too large to be read"])
      while (!seen.closed) yield* Effect.sleep("10 millis")
      server.onPost = (_message, response) => response.writeHead(200, { "Content-Type": "application/json" }).write("[")
      assert.strictEqual(
        (yield* Effect.flip(session.prompt(text("never")).pipe(Effect.timeout("10 seconds"))))._tag,
        "Detached"
      )
      clearInterval(beat)
    })
  )

  for (const [where, answer] of [
    ["before", (id: unknown, result: string) => `{"jsonrpc":"2.0","id":${String(id)},"result":${result}}`],
    ["behind", (id: unknown, result: string) => `{"jsonrpc":"2.0","result":${result},"id":${String(id)}}`]
  ] as const) {
    it.scopedLive(`ends a call whose answer is too large, its id standing ${where} the rest`, () =>
      Effect.gen(function* () {
        const { server, session } = yield* opened({ maxMessageSize: 20_000 })
        const skipped: Array<string> = []
        yield* session.changes.pipe(
          Stream.runForEach((event) => Effect.sync(() => event._tag === "Skipped" && skipped.push(event.sample))),
          Effect.forkScoped
        )
        for (const [nth, size] of [21_000, 400_000, 1_000_000].entries()) {
          // Several to one piece, and one that is left out but answers nothing.
          server.onPost = ({ id, method }, response) => {
            if (method !== "session/prompt") return
            const noise = `: heartbeat\n\nid: 8\ndata: {"jsonrpc":"2.0","method":"m","params":["x"]}\n\n`
            const inner = `[{"id":${String(id)}},"${"x".repeat(size)}",{"id":${String(id)}}]`
            server.raw(`${noise}id: 9\ndata: {"jsonrpc":"2.0","method":"m","params":${inner}}\n\n`)
            server.raw(`${noise}id: 10\nevent: message\ndata: ${answer(id, inner)}\n\n${noise}`)
            return response.writeHead(202).end()
          }
          const error = yield* Effect.flip(session.prompt(text("much")))
          assert.deepStrictEqual([error._tag, error.message], ["RpcError", "The answer is too large to be read"])
          while (skipped.length < 2 * (nth + 1)) yield* Effect.sleep("10 millis")
          const [call, reply] = skipped.slice(-2)
          assert.isTrue(call?.startsWith('{"jsonrpc":"2.0","method":"m","params":[{"id":'), call)
          assert.isTrue(reply?.startsWith(answer(3 + 2 * nth, "[{").slice(0, where === "before" ? 35 : 27)), reply)
          server.onPost = undefined
          assert.deepStrictEqual(yield* session.prompt(text("little")).pipe(Effect.timeout("5 seconds")), {
            stopReason: "end_turn"
          })
        }
      })
    )
  }

  it.scopedLive(
    "tells the server that it is closed, with its present token, and does not wait long for one that is silent",
    () =>
      Effect.gen(function* () {
        const server = yield* scripted
        const { ticket } = yield* tickets(() => server.link)
        const use = Effect.scoped(
          Effect.gen(function* () {
            const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
            server.onPost = (_message, response, request) =>
              request.headers.authorization === "Bearer token-1" ? response.writeHead(401).end() : undefined
            yield* session.prompt(text("hello"))
          })
        )
        yield* use
        assert.deepStrictEqual(server.tokens.at(-1), ["DELETE", "token-2"])
        assert.deepStrictEqual(server.closed, ["c1"])
        server.onDelete = () => "nothing"
        const [duration] = yield* Effect.timed(use)
        assert.isBelow(Duration.toMillis(duration), 4_000)
        assert.deepStrictEqual(server.closed, ["c1", "c2"])
      })
  )

  it.scopedLive("repeats a prompt, under the same id, only on the connection of a server that takes each id once", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      server.idempotent = true
      const { ticket } = yield* tickets(() => server.link)
      const session = yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
      const left = [
        (response: ServerResponse) => response.writeHead(503).end(),
        (response: ServerResponse) => response.destroy()
      ]
      server.onPost = (_message, response) => left.shift()?.(response)
      assert.deepStrictEqual(yield* session.prompt(text("pay 100")), { stopReason: "end_turn" })
      const ids = server.posts.filter(({ method }) => method === "session/prompt").map(({ id }) => id)
      assert.deepStrictEqual(ids, [3, 3, 3])
      // Taken at first, and refused when it is repeated, as the connection is closed meanwhile.
      for (const status of [404, 409, 403, 401]) {
        const answers = [503, status, status]
        server.onPost = ({ method }, response) =>
          method === "session/prompt" ? response.writeHead(answers.shift() ?? 202).end() : undefined
        assert.strictEqual((yield* Effect.flip(session.prompt(text("pay more"))))._tag, "Detached", `${status}`)
      }
      server.onPost = (_message, response) => {
        server.cut()
        return response.writeHead(503).end()
      }
      const before = server.posts.length
      assert.strictEqual((yield* Effect.flip(session.prompt(text("pay most"))))._tag, "Detached")
      assert.strictEqual(server.posts.slice(before).filter(({ method }) => method === "session/prompt").length, 1)
    })
  )

  it.scopedLive("takes refusals with failures between them for what they are: no verdict on a fresh token", () =>
    Effect.gen(function* () {
      const statuses = [401, 500, 401, 500, 401, 500, 200]
      let nth = 0
      const fetch = async () => {
        const status = statuses[nth++] ?? 200
        return new Response("", { status, headers: status === 200 ? { "Acp-Connection-Id": "one" } : {} })
      }
      const { ticket } = yield* tickets(() => "http://127.0.0.1/acp")
      const transport = SseTransport.make({ ticket, exchange: HttpExchange.fromFetch(fetch), ...quick })
      const connected = yield* Effect.async<Inbound>((resume) => {
        const receive = (inbound: Inbound) => inbound._tag === "Connected" && resume(Effect.succeed(inbound))
        void Effect.runPromise(Effect.flip(transport.run(receive))).then((error) => resume(Effect.die(error)))
      })
      assert.strictEqual(connected._tag, "Connected")
    })
  )
})
