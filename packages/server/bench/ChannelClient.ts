import * as Http from "node:http"

/** A task of the measured service. */
export interface Task {
  readonly link: string
  readonly taskId: string
  readonly token: string
}

/** One client: connected, initialized, loaded; it counts the markers it receives. */
export const connect = async (task: Task) => {
  const headers = { authorization: `Bearer ${task.token}` }
  const stream = await new Promise<Http.IncomingMessage>((resolve, reject) => {
    const accept = { ...headers, accept: "text/event-stream" }
    Http.get(task.link, { agent: false, headers: accept }, resolve).on("error", reject)
  })
  if (stream.statusCode !== 200) throw new Error(`the server answered ${stream.statusCode}`)
  const id = String(stream.headers["acp-connection-id"])
  const client = { received: 0, onReceived: () => {} }
  let rest = ""
  stream.on("data", (piece: Buffer) => {
    const text = rest + piece.toString("latin1")
    let at = text.indexOf(marker)
    while (at >= 0) {
      client.received += 1
      at = text.indexOf(marker, at + marker.length)
    }
    rest = text.slice(1 - marker.length)
    client.onReceived()
  })
  const waitFor = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (client.received < count) return
        client.onReceived = () => {}
        resolve()
      }
      client.onReceived = look
      look()
    })
  const post = (method: string, params: object) =>
    new Promise<void>((resolve, reject) => {
      const more = { ...headers, "content-type": "application/json", "acp-connection-id": id }
      const request = Http.request(task.link, { method: "POST", agent: false, headers: more }, (response) => {
        response.resume()
        response.once("end", () =>
          response.statusCode === 202 ? resolve() : reject(new Error(`${method} was refused`))
        )
      })
      request.on("error", reject)
      request.end(JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, params }))
    })
  await post("initialize", { protocolVersion: 1, clientCapabilities: {} })
  await waitFor(1)
  await post("session/load", { sessionId: task.taskId, cwd: "/", mcpServers: [] })
  await waitFor(2)
  /** Says goodbye, so that the service keeps nothing for a resume. */
  const close = () =>
    new Promise<void>((resolve, reject) => {
      const closing = { ...headers, "acp-connection-id": id }
      const request = Http.request(task.link, { method: "DELETE", agent: false, headers: closing }, (response) => {
        response.resume()
        response.once("end", resolve)
      })
      request.on("error", reject)
      request.end()
    })
  return { client, close, post, waitFor, task }
}

const marker = "data: {"
let nextId = 1
