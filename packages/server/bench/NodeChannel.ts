import * as Http from "node:http"

// The least that a Node program can do for the same streams: no tokens, no numbers to resume by, nothing kept.

const streams = new Map<string, Http.ServerResponse>()
const tell = (message: object, to: Iterable<Http.ServerResponse>) => {
  const event = Buffer.from(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`)
  for (const stream of to) stream.write(event)
}

const update = (sessionUpdate: string, text: string) => ({
  method: "session/update",
  params: { sessionId: "bench", update: { sessionUpdate, content: { type: "text", text } } }
})

const turn = async (times: number) => {
  tell(update("user_message_chunk", String(times)), streams.values())
  for (let n = 0; n < times; n++) {
    tell(update("agent_message_chunk", "twelve words of an answer, as an agent says them"), streams.values())
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const server = Http.createServer(async (request, response) => {
  if (request.method === "GET") {
    const id = String(streams.size)
    streams.set(id, response)
    response.once("close", () => streams.delete(id))
    response.socket?.setNoDelay(true)
    response.writeHead(200, { "content-type": "text/event-stream", "acp-connection-id": id })
    return response.write(": ok\n\n")
  }
  let body = ""
  for await (const piece of request) body += piece
  const { id, method, params } = JSON.parse(body)
  const stream = streams.get(String(request.headers["acp-connection-id"]))
  response.writeHead(202).end()
  if (method === "session/prompt") await turn(Number(params.prompt[0].text))
  return tell({ id, result: {} }, stream === undefined ? [] : [stream])
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  const url = `http://127.0.0.1:${address.port}/`
  const tasks = Array.from({ length: 1000 }, () => ({ link: url, taskId: "bench", token: "none" }))
  process.send?.({ ready: { tasks } })
})
