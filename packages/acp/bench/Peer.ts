import * as Crypto from "node:crypto"
import * as Http from "node:http"
import { type Order, orderOf, result, update } from "./Updates.ts"

// Two servers: the official one, and one that writes prepared bytes (contract 4.13), so that only the reader is slow.

interface Call {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
}

const event = (id: number, message: object) =>
  Buffer.from(`id: ${id}\nevent: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`)

const notification = (order: Pick<Order, "size">, n: number) =>
  event(n, { method: "session/update", params: { sessionId: "task-1", update: update(order, n) } })

/** Prepared updates of one size in pieces of about 64 KiB; `counts` says how many are in each. */
const prepare = (size: number) => {
  const pieces: Array<{ readonly bytes: Buffer; readonly count: number }> = []
  let events: Array<Buffer> = []
  for (let n = 0; n < 4000 && pieces.length < 20; n++) {
    events.push(notification({ size }, n))
    if (Buffer.concat(events).length < 65_536) continue
    pieces.push({ bytes: Buffer.concat(events), count: events.length })
    events = []
  }
  return pieces
}

const prepared = new Map<number, ReturnType<typeof prepare>>()

const pour = async (stream: Http.ServerResponse, order: Order) => {
  const pieces = prepared.get(order.size) ?? prepare(order.size)
  prepared.set(order.size, pieces)
  let left = order.count
  for (let at = 0; left > 0; at++) {
    const piece = pieces[at % pieces.length]
    if (piece === undefined) throw new Error("no updates")
    const { bytes, count } = piece
    left -= count
    if (left >= 0) {
      if (!stream.write(bytes)) await new Promise((resolve) => stream.once("drain", resolve))
    } else for (let n = left + count; n > 0; n--) stream.write(notification(order, n))
  }
}

const drip = (stream: Http.ServerResponse, order: Order) =>
  new Promise<void>((resolve) => {
    const begun = performance.now()
    let n = 0
    const timer = setInterval(() => {
      // As many as are due, each in a write of its own: timers are late on a busy machine.
      const due = Math.min(order.count, (performance.now() - begun) / order.every)
      while (n < due) stream.write(notification(order, n++))
      if (n < order.count) return
      clearInterval(timer)
      resolve()
    }, order.every)
  })

const read = async (request: Http.IncomingMessage): Promise<Call> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString())
}

const streams = new Map<string, Http.ServerResponse>()
const started = { "Content-Type": "text/event-stream" }

const answer = async (stream: Http.ServerResponse, { id, method, params }: Call) => {
  if (id === undefined) return
  if (method === "session/prompt") {
    const order = orderOf(params)
    await (order.every === 0 ? pour(stream, order) : drip(stream, order))
  }
  stream.write(event(id, { id, result: result[method as keyof typeof result] }))
}

const rest = Http.createServer((request, response) => {
  const id = request.headers["acp-connection-id"]?.toString() ?? Crypto.randomUUID()
  if (request.method === "DELETE") return void response.writeHead(202).end()
  if (request.method === "GET") {
    streams.set(id, response)
    response.on("close", () => streams.delete(id))
    response.writeHead(200, { ...started, "Acp-Connection-Id": id }).write(":ok\n\n")
    return
  }
  void read(request).then((call) => {
    response.writeHead(202).end()
    const stream = streams.get(id)
    if (stream === undefined) throw new Error("no stream to answer on")
    return answer(stream, call)
  })
})

// Loaded when it is asked: it takes longer to start than all else here.
let handler: Promise<Http.RequestListener> | undefined
const official = Http.createServer((request, response) => {
  handler ??= import("./Official.ts").then(({ handle }) => handle)
  void handler.then((handle) => handle(request, response))
})

const listen = (server: Http.Server) =>
  new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("no port")
      resolve(`http://127.0.0.1:${address.port}`)
    })
  })

const [plain, sdk] = await Promise.all([listen(rest), listen(official)])
process.send?.({ ready: { plain, official: sdk } })
