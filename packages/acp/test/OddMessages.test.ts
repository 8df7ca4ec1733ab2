import * as AcpSession from "@heddle/acp/AcpSession"
import * as SseTransport from "@heddle/acp/SseTransport"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawServer, said, streaming } from "./fixtures/RawServer.ts"
import { type Posted, scripted, type Scripted } from "./fixtures/Scripted.ts"
import { agentText, quick, says, text } from "./fixtures/Session.ts"
import { tickets } from "./fixtures/Tickets.ts"

const open = (server: Pick<Scripted, "link">) =>
  Effect.gen(function* () {
    const { ticket } = yield* tickets(() => server.link)
    return yield* AcpSession.open({ ticket, sessionId: "task-1", ...quick })
  })

const results: Readonly<Record<string, unknown>> = {
  initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
  "session/load": {},
  "session/prompt": { stopReason: "end_turn" }
}

describe.concurrent("a service that writes JSON-RPC in its own way", () => {
  const responses: Readonly<Record<string, (posted: Posted) => object>> = {
    "an error that is null": ({ id, method = "" }) => ({ id, result: results[method], error: null }),
    "every member": ({ id, method = "" }) => ({
      id,
      method: null,
      params: null,
      result: results[method],
      error: null
    }),
    "an id as a text": ({ id, method = "" }) => ({ id: String(id), result: results[method] }),
    "a version as a text": ({ id, method = "" }) => ({
      id,
      result: method === "initialize" ? { protocolVersion: "1" } : results[method]
    })
  }
  for (const [name, respond] of Object.entries(responses))
    it.scopedLive(`ends a turn by a response with ${name}`, () =>
      Effect.gen(function* () {
        const server = yield* scripted
        server.onPost = (posted, response) => {
          if (posted.method === undefined) return
          server.say(respond(posted))
          return response.writeHead(202).end()
        }
        const session = yield* open(server)
        const turn = yield* session.prompt(text("hello")).pipe(Effect.timeout("5 seconds"))
        assert.deepStrictEqual(turn, { stopReason: "end_turn" })
      })
    )

  it.scopedLive("fails a turn by a response that has only an error that is null", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      server.onPost = ({ id, method = "" }, response) => {
        server.say(method === "session/prompt" ? { id, error: null } : { id, result: results[method] })
        return response.writeHead(202).end()
      }
      const session = yield* open(server)
      const error = yield* Effect.flip(session.prompt(text("hello")).pipe(Effect.timeout("5 seconds")))
      assert.match(error.message, /without a message/)
    })
  )

  it.scopedLive("leaves the delivery of a prompt unknown where its answer is cut off", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      server.onPost = ({ id, method }, response) =>
        method === "session/prompt"
          ? response
              .writeHead(200, { "Content-Type": "application/json" })
              .end(`{"jsonrpc":"2.0","id":${String(id)},"re`)
          : undefined
      const session = yield* open(server)
      const error = yield* session.prompt(text("hello")).pipe(Effect.timeout("5 seconds"), Effect.flip)
      assert.strictEqual(error._tag, "Detached")
      assert.lengthOf(
        server.posts.filter(({ method }) => method === "session/prompt"),
        1
      )
    })
  )

  it.scopedLive("is heard, and not answered, where a notification has an id that is null", () =>
    Effect.gen(function* () {
      const server = yield* scripted
      const session = yield* open(server)
      const params = { sessionId: "task-1", update: says("hello") }
      server.say({ id: null, method: "session/update", params })
      yield* session.prompt(text("go on"))
      assert.deepStrictEqual(agentText(yield* session.state), ["hello"])
      assert.deepStrictEqual(
        server.posts.map(({ method }) => method),
        ["initialize", "session/load", "session/prompt"]
      )
    })
  )
})

describe.concurrent("the id of an event", () => {
  const resumes = Effect.fnUntraced(function* (id: string) {
    const server = yield* rawServer(({ method, response }, nth) => {
      if (method !== "GET") return response.writeHead(202).end()
      streaming(response).write(`id: ${id}\ndata: ${said("hello")}\n\n`)
      if (nth === 1) response.end()
    })
    const { ticket } = yield* tickets(() => server.link)
    yield* Effect.forkScoped(SseTransport.make({ ticket, ...quick }).run(() => {}))
    yield* server.asked("GET", 2).pipe(Effect.timeout("5 seconds"))
    const headers = server.requests[1]?.headers
    return [headers?.["acp-connection-id"], headers?.["last-event-id"]]
  })

  it.scopedLive("is sent in UTF-8 when the stream is opened again", () =>
    Effect.gen(function* () {
      const [connectionId, id] = yield* resumes("世-é-1")
      assert.strictEqual(connectionId, "connection-1")
      assert.strictEqual(Buffer.from(String(id), "latin1").toString(), "世-é-1")
    })
  )

  for (const id of ["", "a\u0001b"])
    it.scopedLive(`is not sent where no header can carry it (${JSON.stringify(id)})`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* resumes(id), [undefined, undefined])
      })
    )
})
