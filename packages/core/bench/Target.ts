import * as Http from "node:http"
import { gzipSync } from "node:zlib"

const bodies = new Map([
  ["/openapi/v2/user/profile", JSON.stringify({ nickname: "Ada", avatar: "" })],
  [
    "/openapi/v2/tasks/task_1",
    JSON.stringify({
      task_id: "task_1",
      status: "running",
      name: "Count the rows of every table",
      link: "https://example.com/sandboxes/task_1/acp",
      token: "oa_tk_0000000000000000000000000000000000000000000",
      expire_at: 1_900_000_000,
      created_at: "2026-11-21T12:00:00.000Z",
      updated_at: "2026-11-21T12:00:01.000Z"
    })
  ]
])

/** Answers as the prefix of the path says: plain with a length, in chunks without, or compressed for those who ask. */
const server = Http.createServer((request, response) => {
  const [, shape, path = ""] = /^\/(plain|chunked|compressed)(\/.*)$/.exec(request.url ?? "") ?? []
  const body = bodies.get(path)
  if (body === undefined) return response.writeHead(404).end()
  const isCompressed = shape === "compressed" && /\bgzip\b/.test(String(request.headers["accept-encoding"]))
  const answer = isCompressed ? gzipSync(body) : Buffer.from(body)
  return response
    .writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      ...(isCompressed ? { "content-encoding": "gzip" } : {}),
      ...(shape === "chunked" ? {} : { "content-length": answer.length }),
      "x-request-id": "0123456789abcdef01234567"
    })
    .end(answer)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.send?.({ ready: { url: `http://127.0.0.1:${address.port}` } })
})
