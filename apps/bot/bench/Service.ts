import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { report } from "./Report.ts"

/** What the agents of a service do with a prompt: answer at once, talk for ever, think for ever, or give a report. */
export type Behaviour = "echo" | "report" | "talk" | "think"

/** A service with one account whose tasks are there as soon as they are asked for. */
export interface Service {
  readonly url: string
  readonly behave: (how: Behaviour) => void
  /** How many sessions have somebody attached. */
  readonly attached: () => number
}

interface Task {
  readonly id: string
  status: "idle" | "working" | "completed"
  readonly journal: Array<object>
  readonly connections: Map<string, ServerResponse>
}

interface Message {
  readonly id: number
  readonly method?: string
  readonly params: { readonly prompt: ReadonlyArray<{ readonly text?: string }> }
}

/** Starts a service on a free port of this machine. */
export const startService = async (): Promise<Service> => {
  let behaviour: Behaviour = "echo"
  const tasks = new Map<string, Task>()
  const taskOf = (id: string): Task => {
    const task = tasks.get(id) ?? { id, status: "idle", journal: [], connections: new Map() }
    tasks.set(id, task)
    return task
  }
  let origin = ""

  const tell = (task: Task, update: object): void => {
    const params = { sessionId: task.id, update }
    task.journal.push(params)
    for (const connection of task.connections.values()) send(connection, { method: "session/update", params })
  }
  const update = (task: Task, sessionUpdate: string, messageId: string, text: string): void =>
    tell(task, { sessionUpdate, messageId, content: { type: "text", text } })
  const prompt = (task: Task, from: ServerResponse, message: Message): void => {
    task.status = "working"
    update(task, "user_message_chunk", randomUUID(), message.params.prompt.map(({ text }) => text ?? "").join(""))
    const messageId = randomUUID()
    if (behaviour === "think") return
    const finish = (): void => {
      task.status = "completed"
      send(from, { id: message.id, result: { stopReason: "end_turn" } })
    }
    if (behaviour === "report")
      return void report((piece) =>
        "say" in piece
          ? update(task, "agent_message_chunk", randomUUID(), piece.say)
          : tell(task, {
              sessionUpdate: "tool_call",
              toolCallId: randomUUID(),
              title: piece.step,
              status: "completed"
            })
      ).then(finish)
    let said = 0
    const talk = (): void => update(task, "agent_message_chunk", messageId, `word${said++} `)
    talk()
    if (behaviour === "talk") return void setInterval(talk, 250).unref()
    finish()
  }

  const acp = (task: Task, request: IncomingMessage, response: ServerResponse, body: string): void => {
    if (request.method === "GET") {
      const id = randomUUID()
      response.writeHead(200, { "content-type": "text/event-stream", "acp-connection-id": id }).write(": ok\n\n")
      task.connections.set(id, response)
      // As services do, so that a client can tell a silent agent from a dead channel.
      const pulse = setInterval(() => response.write(": heartbeat\n\n"), 15_000)
      response.on("close", () => {
        clearInterval(pulse)
        task.connections.delete(id)
      })
      return
    }
    response.writeHead(202).end()
    const connection = task.connections.get(String(request.headers["acp-connection-id"]))
    if (connection === undefined || request.method === "DELETE") return
    const message: Message = JSON.parse(body)
    switch (message.method) {
      case "initialize":
        return send(connection, {
          id: message.id,
          result: { protocolVersion: 1, agentCapabilities: { loadSession: true, promptCapabilities: {} } }
        })
      case "session/load":
        for (const params of task.journal) send(connection, { method: "session/update", params })
        return send(connection, { id: message.id, result: {} })
      case "session/prompt":
        return prompt(task, connection, message)
    }
  }

  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const url = new URL(request.url ?? "/", origin)
      const [first, second, third, fourth] = url.pathname.split("/").slice(1)
      if (first === "sandboxes" && third === "acp") return acp(taskOf(second ?? ""), request, response, body)
      if (first === "sandboxes") {
        return json(response, 200, {
          code: 0,
          msg: "success",
          data: {
            sessionId: second,
            artifacts: [],
            pagination: { total: 0, returned: 0, limit: 0, offset: 0, hasMore: false },
            filter: { type: null, startMs: null, endMs: null }
          }
        })
      }
      if (third === "authorize") {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "")
        back.searchParams.set("code", "code")
        back.searchParams.set("state", url.searchParams.get("state") ?? "")
        return response.writeHead(302, { location: back.href }).end()
      }
      if (third === "token") {
        return json(response, 200, {
          access_token: "token",
          token_type: "Bearer",
          expires_in: 86_400,
          refresh_token: "refresh",
          scope: "user.profile.readable user.credit.readable user.task.readable user.task.invokable",
          open_id: "person"
        })
      }
      const task = taskOf(fourth ?? randomUUID())
      return json(response, request.method === "POST" ? 201 : 200, {
        task_id: task.id,
        initial_prompt: "hold",
        status: task.status,
        name: "task",
        link: `${origin}/sandboxes/${task.id}/acp`,
        token: "ticket",
        expire_at: Math.floor(Date.now() / 1000) + 86_400
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  return {
    url: origin,
    behave: (how) => {
      behaviour = how
    },
    attached: () => [...tasks.values()].filter(({ connections }) => connections.size > 0).length
  }
}

const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const send = (to: ServerResponse, message: object): void =>
  void to.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`)
