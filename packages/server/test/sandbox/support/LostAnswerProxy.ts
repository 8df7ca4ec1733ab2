import * as Http from "node:http"

/** A proxy that loses the answer to the first `session/load`, after the service has taken it. */
export interface LostAnswerProxy {
  readonly url: string
  /** How many times `session/load` was requested. */
  readonly loads: () => number
  readonly close: () => void
}

/**
 * Opens a proxy in front of the service at `target`.
 *
 * From the first load on, the event stream is held back until the load is repeated. The repeated load is passed on after
 * more updates have passed on that stream, or after the stream has ended.
 */
export const open = async (target: string): Promise<LostAnswerProxy> => {
  let loads = 0
  let first: HeldStream | undefined

  const forward = ({ headers, method, url }: Http.IncomingMessage, body?: Buffer) =>
    new Promise<Http.IncomingMessage>((resolve, reject) => {
      const to = Http.request(target + url, { method, agent: false, headers }, resolve)
      to.on("error", reject)
      to.end(body)
    })

  const get = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const answer = await forward(request)
    // With this header the client posts a message several times before it takes the answer for lost.
    const { "acp-idempotent-posts": _, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 502, headers)
    response.flushHeaders()
    const stream = heldStream(answer, response)
    first ??= stream
    stream.release()
  }

  const post = async (request: Http.IncomingMessage, response: Http.ServerResponse) => {
    const body = await bytesOf(request)
    const nth = String(body).includes(`"session/load"`) ? ++loads : 0
    if (nth === 1) {
      first?.hold()
      await bytesOf(await forward(request, body))
      return void request.socket.destroy()
    }
    if (nth === 2) {
      first?.release()
      await first?.passed(5)
    }
    const answer = await forward(request, body)
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  }

  const server = Http.createServer((request, response) => {
    response.on("error", () => {})
    const handled = request.method === "GET" ? get(request, response) : post(request, response)
    handled.catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    loads: () => loads,
    close: () => {
      server.close()
      server.closeAllConnections()
    }
  }
}

/** An event stream that can be held back. */
interface HeldStream {
  readonly hold: () => void
  readonly release: () => void
  /** Waits until this many more chunks have passed, or the stream has ended. */
  readonly passed: (chunks: number) => Promise<void>
}

const heldStream = (answer: Http.IncomingMessage, response: Http.ServerResponse): HeldStream => {
  answer.on("error", () => response.destroy())
  response.on("close", () => answer.destroy())
  return {
    hold: () => void answer.unpipe().pause(),
    release: () => void answer.pipe(response),
    passed: (chunks) =>
      new Promise((resolve) => {
        if (answer.destroyed) return resolve()
        let left = chunks
        answer.on("data", () => --left === 0 && resolve())
        answer.once("close", resolve)
      })
  }
}

const bytesOf = async (stream: Http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
