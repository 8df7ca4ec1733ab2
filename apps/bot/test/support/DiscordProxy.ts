import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Uint8Array
}

/** What a client sees instead of the answer of Discord, which may still have carried out the request. */
export interface Fault {
  readonly acts: boolean
  /** Nothing: the connection breaks. */
  readonly answer: Answer | undefined
}

interface Call {
  readonly method: string
  readonly path: string
}

/** Stands between a bot and Discord's REST; `handle` decides about each call, and no answer breaks the connection. */
export const startDiscordProxy = async (
  api: string,
  handle: (call: Call, act: () => Promise<Answer>) => Promise<Answer | undefined | void>
) => {
  const target = new URL(api)
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      const { method = "GET", url = "/" } = request
      const act = async (): Promise<Answer> => {
        const answer = await fetch(new URL(url, target), {
          method,
          headers: passed(request.headers),
          ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
        })
        const headers = Object.fromEntries(
          [...answer.headers].filter(([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name))
        )
        return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) }
      }
      const answer = await handle({ method, path: url.replace(/^\/api(\/v\d+)?/, "") }, act).catch(() => undefined)
      if (answer === undefined) return void request.socket.resetAndDestroy()
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

const passed = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value !== "string" || ["host", "connection", "content-length", "transfer-encoding"].includes(name)
        ? []
        : [[name, value]]
    )
  )
