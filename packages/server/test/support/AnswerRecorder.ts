import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer } from "./Described.ts"

/** Passes requests on to a service as they are, and keeps its answers. */
export const make = (service: string) =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(service)
    const answers: Array<Answer> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<Http.Server>((resume) => {
        const server = Http.createServer((incoming, outgoing) => {
          const { method = "GET", url: path = "/" } = incoming
          const passed = Http.request({ hostname, port, method, path, headers: incoming.rawHeaders, agent: false })
          passed.on("response", (response) => {
            const pieces: Array<Buffer> = []
            response.on("data", (piece: Buffer) => pieces.push(piece))
            response.once("end", () => {
              const text = Buffer.concat(pieces).toString("utf8")
              const status = response.statusCode ?? 0
              answers.push({ method, path, status, headers: new Headers(pairs(response.rawHeaders)), text })
            })
            outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders)
            response.pipe(outgoing)
          })
          passed.on("error", () => outgoing.destroy())
          outgoing.on("close", () => passed.destroy())
          incoming.pipe(passed)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers }
  })

const pairs = (raw: ReadonlyArray<string>): Array<[string, string]> =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as [string, string]] : []))
