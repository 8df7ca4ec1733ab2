import * as AcpSession from "@heddle/acp/AcpSession"
import * as Connection from "@heddle/acp/Connection"
import { fromFetch, type HttpExchange } from "@heddle/acp/HttpExchange"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as Update from "@heddle/acp/schema/Update"
import * as SseTransport from "@heddle/acp/SseTransport"
import * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { createParser } from "eventsource-parser"
import { request } from "undici"
import { type Order, promptOf } from "./Updates.ts"

interface Where {
  readonly plain: string
  readonly official: string
}

interface Run extends Order, Where {
  readonly connections: number
  readonly millis: number
  /** Only opens so many more, and keeps them. */
  readonly idle?: boolean
}

/** A session that is open: prompts, and tells how many updates came until the turn ended. */
type Prompt = (order: Order) => Promise<number>

/** The least: an event stream, its messages parsed and counted. */
const bare =
  (
    get: (url: string) => Promise<{ readonly id: string; readonly read: (feed: (piece: Uint8Array) => void) => void }>
  ) =>
  async ({ plain }: Where): Promise<Prompt> => {
    let count = 0
    let nextId = 1
    let ended: () => void = () => undefined
    const text = new TextDecoder()
    const parser = createParser({
      onEvent: ({ data }) => {
        const message: { readonly method?: string; readonly id?: number } = JSON.parse(data)
        if (message.method === "session/update") count++
        else if (message.id !== undefined) ended()
      }
    })
    const { id, read } = await get(plain)
    read((piece) => parser.feed(text.decode(piece, { stream: true })))
    return async (order) => {
      count = 0
      const end = new Promise<void>((resolve) => (ended = resolve))
      const { body } = await request(plain, {
        method: "POST",
        headers: { "acp-connection-id": id },
        body: JSON.stringify({ id: nextId++, method: "session/prompt", params: promptOf(order) })
      })
      await body.dump()
      await end
      return count
    }
  }

const undici = bare(async (url) => {
  const { body, headers } = await request(url, { headers: { accept: "text/event-stream" } })
  return { id: String(headers["acp-connection-id"]), read: (feed) => void body.on("data", feed) }
})

const fetched = bare(async (url) => {
  const response = await fetch(url, { headers: { accept: "text/event-stream" } })
  const reader = response.body?.getReader()
  const pull = (feed: (piece: Uint8Array) => void): void =>
    void reader?.read().then(({ done, value }) => {
      if (done) return
      feed(value)
      pull(feed)
    })
  return { id: response.headers.get("acp-connection-id") ?? "", read: pull }
})

const ticketTo = (link: string) => Ticket.make(Effect.succeed({ link, token: Redacted.make("token") }))

/** Our channel with each update decoded, and not kept. */
const channel =
  (exchange: HttpExchange) =>
  ({ plain }: Where): Promise<Prompt> =>
    Effect.gen(function* () {
      let count = 0
      const transport = SseTransport.make({ ticket: yield* ticketTo(plain), exchange })
      let connected = () => {}
      const ready = new Promise<void>((resolve) => (connected = resolve))
      const connection = yield* Connection.make(transport, {
        onConnected: connected,
        onNotification: ({ method, params }) => {
          if (method === "session/update" && Update.decode(params) !== undefined) count++
        }
      })
      yield* Effect.promise(() => ready)
      return async (order: Order) => {
        count = 0
        await Effect.runPromise(connection.request("session/prompt", promptOf(order)))
        return count
      }
    }).pipe(Scope.extend(Effect.runSync(Scope.make())), Effect.runPromise)

/** Our session with everything that it is for: each update folded into the conversation's state. */
const session = async ({ plain }: Where): Promise<Prompt> => {
  const ticket = await Effect.runPromise(ticketTo(plain))
  const options = { ticket, sessionId: "task-1", exchange: UndiciExchange.make() }
  const open = async () => {
    const scope = await Effect.runPromise(Scope.make())
    const opened = await Effect.runPromise(Scope.extend(AcpSession.open(options), scope))
    return { ...opened, count: 0, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  let live = await open()
  return async (order) => {
    // Then a new one: no real conversation has millions of updates.
    if (live.count >= 20_000) {
      await live.close()
      live = await open()
    }
    live.count += order.count
    await Effect.runPromise(live.prompt(promptOf(order).prompt))
    return order.count
  }
}

const official = async (url: string): Promise<Prompt> => {
  const [{ client, methods }, { createHttpStream }] = await Promise.all([
    import("@agentclientprotocol/sdk"),
    import("@agentclientprotocol/sdk/experimental/http-client")
  ])
  let count = 0
  const connection = client({ name: "bench" })
    .onNotification(methods.client.session.update, () => void count++)
    .connect(createHttpStream(url))
  await connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  await connection.agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] })
  return async (order) => {
    count = 0
    await connection.agent.request(methods.agent.session.prompt, promptOf(order))
    return count
  }
}

const readers: Readonly<Record<string, (where: Where) => Promise<Prompt>>> = {
  undici,
  fetch: fetched,
  "heddle-undici": channel(UndiciExchange.make()),
  "heddle-fetch": channel(fromFetch()),
  "heddle-session": session,
  official: ({ official: url }) => official(url)
}

const kept: Array<Prompt> = []
const opened = new Map<number, ReadonlyArray<Prompt>>()

const drive = async ({ connections, idle, millis, plain, official: url, ...asked }: Run): Promise<number> => {
  // So short a run only shows that it can be done.
  const order = { ...asked, count: millis < 100 ? 50 : asked.count }
  const reader = readers[process.argv[2] ?? ""]
  if (reader === undefined) throw new Error(`no reader named ${process.argv[2]}`)
  if (idle === true) {
    for (let left = connections; left > 0; left -= 50) {
      const some = Array.from({ length: Math.min(50, left) }, () => reader({ plain, official: url }))
      kept.push(...(await Promise.all(some)))
    }
    return connections
  }
  const prompts =
    opened.get(connections) ??
    (await Promise.all(Array.from({ length: connections }, () => reader({ plain, official: url }))))
  opened.set(connections, prompts)
  const until = performance.now() + millis
  let done = 0
  do {
    for (const count of await Promise.all(prompts.map((prompt) => prompt(order)))) {
      // Notifications of the official client are handled at their own pace and may come after their turn's end.
      if (count !== order.count && process.argv[2] !== "official") {
        throw new Error(`${count} of ${order.count} updates came`)
      }
      done += order.count
    }
  } while (performance.now() < until)
  return done
}

process.on("message", async ({ run }: { readonly run?: Run }) => {
  if (run !== undefined) process.send?.({ done: await drive(run) })
})
process.send?.({ ready: {} })
