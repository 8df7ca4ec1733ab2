import { createParser } from "eventsource-parser"
import type { Task } from "./service.ts"

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: Loose
  readonly result?: Loose
  readonly error?: Loose
}

// The tests look into messages freely; what is not there fails the assertion.
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any

/** A plain client of the ACP channel, in fetch and nothing else. */
export class Client {
  readonly messages: Array<Message> = []
  readonly comments: Array<string> = []
  lastEventId = "0"
  id = ""
  ended = false
  private waiting: Array<() => void> = []
  private nextId = 1
  private abort = new AbortController()
  readonly task: Task

  constructor(task: Task) {
    this.task = task
  }

  static async open(task: Task): Promise<Client> {
    const client = new Client(task)
    await client.connect()
    return client
  }

  /** A connection that has loaded the session. */
  static async loaded(task: Task): Promise<Client> {
    const client = await Client.open(task)
    await client.initialize()
    await client.load()
    return client
  }

  /** Opens the stream, a second time with the headers of resumption. */
  async connect(headers: Record<string, string> = {}): Promise<Response> {
    this.abort = new AbortController()
    const { signal } = this.abort
    this.ended = false
    const response = await fetch(this.task.link, {
      signal,
      headers: { authorization: `Bearer ${this.task.token}`, accept: "text/event-stream", ...headers }
    })
    if (!response.ok) return response
    this.id = response.headers.get("acp-connection-id") ?? ""
    const parser = createParser({
      onEvent: (event) => {
        if (event.id !== undefined) this.lastEventId = event.id
        this.messages.push(JSON.parse(event.data))
        this.wake()
      },
      onComment: (comment) => {
        this.comments.push(comment)
        this.wake()
      }
    })
    void (async () => {
      const text = new TextDecoder()
      try {
        for await (const chunk of response.body!) {
          // What had already arrived when it was cut may still be delivered: no reader has seen it.
          if (signal.aborted) break
          parser.feed(text.decode(chunk, { stream: true }))
        }
      } catch {
        // Cut by the test or by the server.
      }
      this.ended = true
      this.wake()
    })()
    return response
  }

  /** Cuts the stream as a lost network would. */
  cut() {
    this.abort.abort()
  }

  private wake() {
    for (const each of this.waiting.splice(0)) each()
  }

  /** Waits until something about this client is so. */
  async until(fits: () => boolean, what = "the client"): Promise<void> {
    const deadline = Date.now() + 10_000
    while (!fits()) {
      if (Date.now() > deadline)
        throw new Error(`gave up waiting: ${what}; got ${JSON.stringify(this.messages.slice(-5))}`)
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve)
        setTimeout(resolve, 500)
      })
    }
  }

  async message(fits: (message: Message) => boolean, what?: string): Promise<Message> {
    await this.until(() => this.messages.some(fits), what)
    return this.messages.find(fits)!
  }

  post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.task.link, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.task.token}`,
        "content-type": "application/json",
        "acp-connection-id": this.id,
        ...headers
      },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  }

  /** Sends a request without waiting for its answer; gives its id. */
  async ask(method: string, params: object): Promise<number> {
    const id = this.nextId++
    const response = await this.post({ jsonrpc: "2.0", id, method, params })
    if (response.status !== 202) throw new Error(`${method}: ${response.status} ${await response.text()}`)
    return id
  }

  answerTo(id: number): Promise<Message> {
    return this.message((message) => message.id === id && message.method === undefined, `the answer to ${id}`)
  }

  async request(method: string, params: object): Promise<Message> {
    return this.answerTo(await this.ask(method, params))
  }

  initialize() {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  }

  load() {
    return this.request("session/load", { sessionId: this.task.taskId, cwd: "/", mcpServers: [] })
  }

  prompt(text: string) {
    return this.request("session/prompt", { sessionId: this.task.taskId, prompt: [{ type: "text", text }] })
  }

  askPrompt(text: string) {
    return this.ask("session/prompt", { sessionId: this.task.taskId, prompt: [{ type: "text", text }] })
  }

  notify(method: string, params: object) {
    return this.post({ jsonrpc: "2.0", method, params })
  }

  /** Answers a permission request that came on this connection. */
  answer(request: Message, outcome: object) {
    return this.post({ jsonrpc: "2.0", id: request.id, result: { outcome } })
  }

  /** The session updates so far, as text to compare. */
  get updates(): ReadonlyArray<string> {
    return this.messages.filter(({ method }) => method === "session/update").map(({ params }) => JSON.stringify(params))
  }

  /** What the agent said so far. */
  get text(): string {
    return this.messages
      .filter(({ params }) => params?.update?.sessionUpdate === "agent_message_chunk")
      .map(({ params }) => params.update.content.text)
      .join("")
  }
}

export const isPermission = ({ method }: Message) => method === "session/request_permission"

export const saysText = (text: string) => (message: Message) => message.params?.update?.content?.text === text
