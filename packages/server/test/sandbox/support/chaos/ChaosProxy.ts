import * as Http from "node:http"
import type { Dice } from "./Dice.ts"

/** A bad network between one client and the service. It has two ports; one of them is the right one. */
export interface ChaosProxy {
  /** What it did, by name. */
  readonly tally: Readonly<Record<string, number>>
  /** A link and a token for the client in place of the service's own; they hold until they expire. */
  readonly ticket: (path: string, real: string) => { readonly link: string; readonly token: string }
  /** From now on everything goes through as it is; with `false` no longer. */
  readonly calm: (calm?: boolean) => void
  /** Something new begins: connections live as shortly again as they did at first. */
  readonly fresh: () => void
  /** Waits until no request of the client is on its way to the service. */
  readonly delivered: () => Promise<void>
  readonly close: () => void
}

/** Opens a proxy in front of the service that is at `target` now. */
export const open = async (dice: Dice, target: () => string): Promise<ChaosProxy> => {
  const tally: Record<string, number> = {}
  const deliveries = new Set<Promise<unknown>>()
  /** What the client's token stands for; an expired one stands for nothing. */
  let issued:
    | { readonly token: string; readonly real: string; readonly until: number; readonly place: number }
    | undefined
  /** Which of the two ports is the right one. */
  let place = 0
  let calm = false
  let tokens = 0
  /** Connections since something new began: each lives a little longer, so that a busy machine gets there, too. */
  let lives = 0

  const count = (name: string) => {
    tally[name] = (tally[name] ?? 0) + 1
  }

  const wait = (longest: number) => new Promise((resolve) => setTimeout(resolve, calm ? 0 : dice.int(0, longest)))

  /** Sends a request on; the answer is undefined when the service cannot be reached. */
  const forward = (request: Outgoing, real: string, body: Buffer | undefined) =>
    new Promise<Http.IncomingMessage | undefined>((resolve) => {
      const headers: Http.OutgoingHttpHeaders = { ...request.headers, authorization: `Bearer ${real}` }
      delete headers["transfer-encoding"]
      const to = Http.request(target() + request.url, {
        method: request.method ?? "GET",
        agent: false,
        headers: body === undefined ? headers : { ...headers, "content-length": body.length }
      })
      to.once("response", resolve)
      to.on("error", () => resolve(undefined))
      to.end(body)
    })

  const track = <A>(delivery: Promise<A>): Promise<A> => {
    deliveries.add(delivery)
    void delivery.finally(() => deliveries.delete(delivery))
    return delivery
  }

  const deliver = (request: Http.IncomingMessage, real: string, body: Buffer) => {
    const delivery = forward(request, real, body).then(async (answer) => ({
      status: answer?.statusCode ?? 502,
      headers: answer?.headers ?? {},
      body: answer === undefined ? Buffer.alloc(0) : await bytes(answer)
    }))
    return track(delivery)
  }

  const post = async (
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    fate: keyof typeof postFates,
    real: string
  ) => {
    const body = await bytes(request)
    const cut = () => void request.socket.destroy()
    if (fate === "post refused") return cut()
    if (fate === "post 503") return void response.writeHead(503).end()
    if (fate === "post broken off") {
      // Half a body and then nothing: the service must not take it for a message.
      const half = Http.request(target() + request.url, {
        method: "POST",
        agent: false,
        headers: { ...request.headers, authorization: `Bearer ${real}`, "content-length": body.length }
      })
      half.on("error", cut)
      half.write(body.subarray(0, body.length / 2), () => half.destroy())
      return
    }
    if (fate === "post late") await wait(150)
    const first = deliver(request, real, body)
    if (fate === "post twice" || fate === "post twice, answer lost") {
      if (dice.chance(0.5)) await wait(100)
      await deliver(request, real, body)
    }
    const answer = await first
    if (fate === "post answer lost" || fate === "post twice, answer lost") return cut()
    if (fate === "post 502 after delivery") return void response.writeHead(502).end("bad gateway")
    if (fate === "post 503 after delivery") return void response.writeHead(503, { "retry-after": "0" }).end()
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }

  const get = async (
    request: Http.IncomingMessage,
    response: Http.ServerResponse,
    fate: keyof typeof getFates,
    real: string
  ) => {
    const cut = () => void request.socket.destroy()
    if (fate === "get refused") return cut()
    if (fate === "get 503") return void response.writeHead(503).end()
    if (fate === "get 409") return void response.writeHead(409).end()
    if (fate === "head late") await wait(200)
    const answer = await forward(request, real, undefined)
    if (answer === undefined) return cut()
    // The service often learns late that its reader is gone.
    const gone = () => void wait(100).then(() => answer.destroy())
    if (request.socket.destroyed) gone()
    else request.socket.once("close", gone)
    if (fate === "head lost") return cut()
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    if (fate === "twin") {
      // The same request a second time, as a retrying gateway sends it: for the service the newer one counts.
      const { method, url } = request
      const headers = { ...request.headers, "acp-connection-id": String(answer.headers["acp-connection-id"]) }
      void wait(200)
        .then(() => forward({ method, url, headers }, real, undefined))
        .then((twin) => twin?.on("error", () => {}).resume() && setTimeout(() => twin.destroy(), 50))
    }
    const pace = calm ? "as it is" : dice.pick({ "as it is": 2, split: 2, joined: 1 })
    let left = fate === "cut" || fate === "stream ended" || fate === "gone silent" ? dice.int(0, 12_000) : Infinity
    let queue: Array<Buffer> = []
    let timer: NodeJS.Timeout | undefined
    const write = (piece: Buffer) => {
      if (left === 0 || response.destroyed) return
      response.write(piece.subarray(0, left))
      left = Math.max(0, left - piece.length)
      if (left > 0) return
      if (fate === "cut") response.socket?.destroy()
      if (fate === "stream ended") response.end()
    }
    const drain = () => {
      timer = undefined
      const all = Buffer.concat(queue)
      queue = []
      if (pace === "joined" || all.length > 2000) return write(all)
      const size = dice.int(1, Math.max(1, Math.min(200, all.length)))
      write(all.subarray(0, size))
      if (all.length > size) queue = [all.subarray(size)]
      if (queue.length > 0) timer = setTimeout(drain, 0)
    }
    answer.on("data", (piece: Buffer) => {
      if (fate === "no heartbeats" && piece.equals(heartbeat)) return
      if (pace === "as it is") return write(piece)
      queue.push(piece)
      timer ??= setTimeout(drain, pace === "joined" ? dice.int(1, 40) : 0)
    })
    const end = () => {
      clearTimeout(timer)
      write(Buffer.concat(queue))
      response.end()
    }
    answer.once("end", end)
    answer.once("error", cut)
    // Nothing lives long.
    if (!calm) setTimeout(cut, dice.int(50, 2500) * (1 + lives++ / 20)).unref()
  }

  const listener = (at: number) => (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    response.on("error", () => {})
    const kind = request.method === "GET" ? "get" : "post"
    if (!calm && issued !== undefined && Date.now() > issued.until) {
      issued = undefined
      count("token expired")
      if (dice.chance(0.4)) {
        place = 1 - place
        count("link moved")
      }
    }
    const current = issued !== undefined && request.headers.authorization === `Bearer ${issued.token}`
    if (current && at !== issued?.place) count(tokenElsewhere)
    if (issued === undefined || !current || at !== issued.place) {
      request.resume()
      count("401")
      return void response.writeHead(401, { "content-type": "application/json" }).end(`{"code":1,"msg":"expired"}`)
    }
    const { real } = issued
    if (kind === "get") {
      const fate = calm ? "get" : dice.pick(getFates)
      count(fate)
      void get(request, response, fate, real)
    } else {
      const fate = calm ? "post" : dice.pick(postFates)
      count(fate)
      void track(post(request, response, fate, real))
    }
  }
  const servers = [0, 1].map((at) => Http.createServer(listener(at)))
  const urls = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    })
  )
  return {
    tally,
    ticket: (path, real) => {
      issued ??= { token: `client-${++tokens}`, real, until: Date.now() + dice.int(3000, 10_000), place }
      return { link: urls[issued.place] + path, token: issued.token }
    },
    calm: (is = true) => {
      calm = is
    },
    fresh: () => {
      lives = 0
    },
    delivered: async () => {
      while (deliveries.size > 0) await Promise.all(deliveries)
    },
    close: () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    }
  }
}

/** The name of what must never happen: a valid token sent to a link that is not its own. */
export const tokenElsewhere = "token sent elsewhere"

type Outgoing = Pick<Http.IncomingMessage, "method" | "url" | "headers">

const getFates = {
  get: 20,
  "get refused": 6,
  "get 503": 3,
  "get 409": 3,
  "head late": 6,
  "head lost": 6,
  cut: 26,
  "stream ended": 6,
  "gone silent": 5,
  "no heartbeats": 5,
  twin: 4
}

const postFates = {
  post: 64,
  "post refused": 5,
  "post 503": 3,
  "post broken off": 3,
  "post late": 6,
  "post answer lost": 6,
  "post 502 after delivery": 2,
  "post 503 after delivery": 2,
  "post twice": 8,
  "post twice, answer lost": 3
}

const heartbeat = Buffer.from(": ping\n\n")

const bytes = async (stream: Http.IncomingMessage): Promise<Buffer> => {
  const pieces: Array<Buffer> = []
  try {
    for await (const piece of stream) pieces.push(piece)
  } catch {
    // The sender broke off; what came until then is passed on.
  }
  return Buffer.concat(pieces)
}
