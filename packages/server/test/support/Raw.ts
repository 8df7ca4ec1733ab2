import * as Effect from "effect/Effect"
import * as Net from "node:net"
import type { TestServer } from "./TestServer.ts"

/** What came back on a socket, byte for byte. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
  readonly json: Record<string, unknown>
}

/** Writes pieces to a socket one after the other, as long as there is no answer, and reads the first one. */
export const exchange = (
  server: Pick<TestServer, "url">,
  pieces: Iterable<string | Buffer>
): Effect.Effect<RawAnswer> =>
  Effect.async<RawAnswer>((resume) => {
    const socket = Net.connect(Number(new URL(server.url).port), "127.0.0.1")
    let received = ""
    let done = false
    // The answer to HEAD tells the length of a body that does not come.
    let bodyless = false
    const finish = () => {
      const at = received.indexOf("\r\n\r\n")
      if (done || at < 0) return
      const head = received.slice(0, at)
      const length = bodyless ? 0 : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
      const body = received.slice(at + 4)
      if (Buffer.byteLength(body) < length) return
      done = true
      socket.destroy()
      const json = body !== "" && /^content-type: application\/json/im.test(head) ? JSON.parse(body) : {}
      resume(Effect.succeed({ status: Number(head.slice(9, 12)), head, body, json }))
    }
    socket.on("data", (data) => {
      received += data.toString("utf8")
      finish()
    })
    socket.on("error", (error) => {
      if (!done) resume(Effect.die(error))
    })
    socket.on("close", () => {
      if (!done) resume(Effect.die(new Error(`closed without an answer: ${JSON.stringify(received)}`)))
    })
    const iterator = pieces[Symbol.iterator]()
    const write = () => {
      const next = iterator.next()
      if (done || next.done === true) return
      bodyless ||= String(next.value).startsWith("HEAD ")
      if (socket.write(next.value)) setImmediate(write)
      else socket.once("drain", write)
    }
    socket.once("connect", write)
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("10 seconds"), Effect.orDie)

/** The head of a request, with these headers. */
export const head = (method: string, path: string, headers: Record<string, string>): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: "service", ...headers }).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")

/** A piece of a chunked body. */
export const chunk = (content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
}
