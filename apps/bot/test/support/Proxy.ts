import { createServer, request as send } from "node:http"
import type { AddressInfo } from "node:net"

/** What becomes of one request: passed on as it is, cut off before it is, or carried out with its answer lost or kept back. */
export type Fate = "pass" | "refuse" | "lose" | "hold"

/** Stands between the bot and a service, and loses what a test wants to be lost. */
export const startProxy = async () => {
  const state = {
    target: "",
    fate: (_method: string, _path: string): Fate | Promise<Fate> => "pass",
    /** What was passed on, with the bodies. */
    seen: [] as Array<{ readonly method: string; readonly path: string; readonly body: string }>,
    /** The answers that were lost or kept back. */
    lost: [] as Array<string>
  }
  const server = createServer(async (request, response) => {
    const { method = "GET", url: path = "/" } = request
    const fate = await state.fate(method, path)
    if (fate === "refuse") return void request.socket.destroy()
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      state.seen.push({ method, path, body: body.toString() })
      const onward = send(new URL(path, state.target), { method, headers: request.headers }, (answer) => {
        if (fate === "pass") {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          return void answer.pipe(response)
        }
        let text = ""
        answer.on("data", (chunk) => (text += String(chunk)))
        answer.on("end", () => {
          state.lost.push(text)
          if (fate === "lose") request.socket.destroy()
        })
      })
      onward.on("error", () => response.destroy())
      response.on("close", () => onward.destroy())
      onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
