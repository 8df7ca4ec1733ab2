import * as Http from "node:http"
import { answerRuns } from "./Runs.ts"

interface Task {
  readonly link: string
  readonly taskId: string
  readonly token: string
}

interface Run {
  readonly connections: number
  /** How many the agent sends in a turn: so many that the turn's own beginning and end weigh little. */
  readonly events: number
  readonly tasks: ReadonlyArray<Task>
  /** Only opens connections, of the same or of different tasks, and keeps them. */
  readonly idle?: boolean
  readonly same?: boolean
}

/** One client: connected, initialized, loaded; it counts the markers it receives. */
const connect = async (task: Task) => {
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
  return { client, post, waitFor, task }
}

type Client = Awaited<ReturnType<typeof connect>>

const connectAll = async (tasks: ReadonlyArray<Task>): Promise<ReadonlyArray<Client>> => {
  const clients: Array<Client> = []
  const left = [...tasks]
  const worker = async () => {
    for (let task = left.pop(); task !== undefined; task = left.pop()) clients.push(await connect(task))
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  return clients
}

/** Lets the first of all connections prompt, and waits until each has received the whole turn. */
const run = async ({ connections, events, idle, same, tasks }: Run): Promise<number> => {
  const [first] = tasks
  if (first === undefined) throw new Error("there is no task")
  if (idle === true) {
    const chosen = Array.from({ length: connections }, (_, at) => (same === true ? first : (tasks[at] ?? first)))
    return (await connectAll(chosen)).length
  }
  let clients = open.get(first.token + first.link)
  if (clients === undefined) {
    clients = await connectAll(Array.from({ length: connections }, () => first))
    open.set(first.token + first.link, clients)
  }
  const [speaker] = clients
  if (speaker === undefined) throw new Error("there is no connection")
  // A turn is its prompt and the updates; the connection that sent the prompt also receives its end.
  const ends = clients.map((each) => each.waitFor(each.client.received + events + 1 + (each === speaker ? 1 : 0)))
  await speaker.post("session/prompt", { sessionId: first.taskId, prompt: [{ type: "text", text: String(events) }] })
  await Promise.all(ends)
  return (events + 1) * clients.length
}

const open = new Map<string, ReadonlyArray<Client>>()
const marker = "data: {"
let nextId = 1

answerRuns(run)
