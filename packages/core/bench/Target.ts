import * as Http from "node:http"

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

const server = Http.createServer((request, response) => {
  const body = bodies.get(request.url ?? "")
  if (body === undefined) return response.writeHead(404).end()
  return response
    .writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-request-id": "0123456789abcdef01234567"
    })
    .end(body)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.send?.({ ready: { url: `http://127.0.0.1:${address.port}` } })
})
