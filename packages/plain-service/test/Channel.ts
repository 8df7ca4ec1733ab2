/** A message of JSON-RPC 2.0. */
export interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

/** One stream of the channel, read by the rules of server-sent events. */
export class Channel {
  readonly messages: Array<Message> = []
  readonly lines: Array<string> = []
  readonly id: string
  readonly closed: Promise<void>
  readonly #link: string
  readonly #token: string
  readonly #abort: AbortController
  #nextId = 1
  #waiting: Array<() => void> = []

  private constructor(link: string, token: string, response: Response, abort: AbortController) {
    this.#link = link
    this.#token = token
    this.#abort = abort
    this.id = response.headers.get("acp-connection-id") ?? ""
    this.closed = this.#read(response).catch(() => undefined)
  }

  static async open({ link, token }: { readonly link: string; readonly token: string }): Promise<Channel> {
    const abort = new AbortController()
    const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" }
    const response = await fetch(link, { headers, signal: abort.signal })
    if (response.status !== 200) throw new Error(`the stream answered ${response.status}`)
    return new Channel(link, token, response, abort)
  }

  /** Opens a stream, initializes it and loads the session. */
  static async load(task: { readonly link: string; readonly token: string; readonly task_id: string }) {
    const channel = await Channel.open(task)
    await channel.call("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const loaded = await channel.call("session/load", { sessionId: task.task_id, cwd: "/", mcpServers: [] })
    if (loaded.error !== undefined) throw new Error(loaded.error.message)
    return channel
  }

  async post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#link, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#token}`,
        "Content-Type": "application/json",
        "Acp-Connection-Id": this.id,
        ...headers
      },
      body: typeof body === "string" ? body : JSON.stringify(body)
    })
  }

  async call(method: string, params: unknown): Promise<Message> {
    const id = this.#nextId++
    const response = await this.post({ jsonrpc: "2.0", id, method, params })
    if (response.status !== 202) throw new Error(`${method} was answered with ${response.status}`)
    return this.until((message) => message.id === id && message.method === undefined)
  }

  prompt(sessionId: string, text: string): Promise<Message> {
    return this.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  }

  async until(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(wanted)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** What the agent said and the person is shown to have said, in order. */
  get updates(): ReadonlyArray<any> {
    return this.messages.flatMap(({ method, params }) => (method === "session/update" ? [params.update] : []))
  }

  get said(): string {
    return this.updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map(({ content }) => content.text)
      .join("")
  }

  close(): void {
    this.#abort.abort()
  }

  async #read(response: Response): Promise<void> {
    const decoder = new TextDecoder()
    let text = ""
    let data: Array<string> = []
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split(/\r\n|\n/)
      text = lines.pop() ?? ""
      for (const line of lines) {
        this.lines.push(line)
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
        if (line !== "" || data.length === 0) continue
        this.messages.push(JSON.parse(data.join("\n")))
        data = []
      }
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }
}
