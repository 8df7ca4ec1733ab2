import { connect, type Task } from "./ChannelClient.ts"
import { answerRuns } from "./Runs.ts"

interface Run {
  readonly connections: number
  /** How many the agent sends in a turn: so many that the turn's own beginning and end weigh little. */
  readonly events: number
  readonly tasks: ReadonlyArray<Task>
  /** Only opens connections, of the same or of different tasks, and keeps them. */
  readonly idle?: boolean
  readonly same?: boolean
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

answerRuns(run)
