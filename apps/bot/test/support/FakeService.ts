// The wire of the agent is scripted JSON, read and written freely.
/* oxlint-disable typescript/no-explicit-any */
import { randomUUID } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { makeFakeAgents, type Script, type Task } from "./FakeAgent.ts"

/** A service of its own for tests: the wire is real, the agent is a script. */
export const startFakeService = async (script: Script) => {
  const tasks = new Map<string, Task>()
  const keys = new Map<string, string>()
  const files = new Map<string, Uint8Array>()
  const requests: Array<string> = []
  const prompts: Array<string> = []
  const answers: Array<any> = []
  const state = {
    script,
    runAtOnce: undefined as Script | undefined,
    down: false,
    /** Of 1000. */
    creditsUsed: 250,
    /** How long every answer takes. */
    delayMs: 0,
    /** How long it takes until a message to an agent is said to be taken, which it is at once. */
    slowAnswersMs: 0,
    /** How long it takes until a cancellation is acted upon. */
    slowCancelMs: 0,
    /** Nothing is answered. */
    silent: false,
    /** Whether a request is cut off before it counts. */
    cutsOff: (_body: string): boolean => false,
    promptCapabilities: { embeddedContext: true } as object,
    token: "oa_at_1",
    /** Who signs in. */
    openId: "o-1",
    /** The scope of the last request, which is granted. */
    scope: "",
    refuseTokens: false,
    refuseClient: false,
    refuseCallback: false,
    refusePrompt: undefined as string | undefined,
    /** Runs in place of the next prompt, which no agent ever gets; its channel breaks. */
    losePrompt: undefined as (() => void) | undefined,
    /** What the service itself gives as the reason of that refusal; nothing when the agent refuses. */
    refuseReason: undefined as string | undefined,
    createError: undefined as undefined | { status: number; body: object }
  }
  let asked = 0
  let port = 0

  const json = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json", "accept-idempotency-key": "true" })
    response.end(JSON.stringify(body))
  }
  const view = (task: Task) => ({
    task_id: task.id,
    status: task.status,
    name: task.name,
    // Without a script for it, the prompt of a new task waits for the client.
    ...(state.runAtOnce === undefined ? { initial_prompt: "hold" } : {}),
    link: `http://127.0.0.1:${port}/sandboxes/${task.id}/acp`,
    token: "oa_tk_1",
    expire_at: Math.floor(Date.now() / 1000) + 3600
  })

  /** New tokens, which end those before. */
  const tokens = (scope: { readonly scope?: string }) => {
    state.token = `oa_at_${randomUUID()}`
    const rest = { token_type: "Bearer", expires_in: 3600, refresh_token: "oa_rt_1", open_id: state.openId }
    return { access_token: state.token, ...rest, ...scope }
  }

  const { acp, broadcast, runTurn } = makeFakeAgents({ answers, files, prompts, state })

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", async () => {
      if (state.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, state.delayMs))
      asked++
      if (state.silent) return
      const body = Buffer.concat(chunks).toString()
      const url = new URL(request.url ?? "/", "http://x")
      requests.push(`${request.method} ${url.pathname}`)
      if (state.cutsOff(body)) return void request.socket.destroy()
      if (state.down)
        return json(response, 503, {
          error: "temporarily_unavailable",
          error_description: "down",
          request_id: "r-down"
        })
      const path = url.pathname.split("/").slice(1)
      if (path[0] === "sandboxes") {
        const task = tasks.get(path[1] ?? "")
        if (task === undefined) return json(response, 404, { code: 1, msg: "no session" })
        if (path[2] === "acp") return acp(task, request, response, body)
        if (path[2] === "api") {
          const artifacts = [...task.artifacts.values()]
          return json(response, 200, {
            code: 0,
            msg: "success",
            data: {
              sessionId: task.id,
              artifacts,
              pagination: { total: artifacts.length, returned: artifacts.length, limit: 0, offset: 0, hasMore: false },
              filter: { type: null, startMs: null, endMs: null }
            }
          })
        }
        const file = files.get(`agent:///${path.slice(2).join("/")}`)
        if (file === undefined) return json(response, 404, { code: 1, msg: "no file" })
        response.writeHead(200, { "content-type": "image/png" })
        return void response.end(file)
      }
      if (url.pathname === "/openapi/v2/authorize") {
        if (state.refuseCallback) return json(response, 400, { error: "invalid_request" })
        const to = new URL(url.searchParams.get("redirect_uri")!)
        state.scope = url.searchParams.get("scope") ?? ""
        to.searchParams.set("code", "oa_code_1")
        to.searchParams.set("state", url.searchParams.get("state")!)
        response.writeHead(302, { location: to.href })
        return void response.end()
      }
      if (url.pathname === "/openapi/v2/token") {
        const form = new URLSearchParams(body)
        if (state.refuseClient) return json(response, 401, { error: "invalid_client" })
        if (form.get("grant_type") === "refresh_token" && state.refuseTokens) {
          return json(response, 400, { error: "invalid_grant", error_description: "gone", request_id: "r-1" })
        }
        state.refuseTokens = false
        return json(
          response,
          200,
          tokens(form.get("grant_type") === "authorization_code" ? { scope: state.scope } : {})
        )
      }
      if (request.headers.authorization !== `Bearer ${state.token}` || state.refuseTokens) {
        return json(response, 401, { error: "invalid_token", error_description: "expired", request_id: "r-2" })
      }
      if (url.pathname === "/openapi/v2/credit")
        return json(response, 200, { total_capacity_size: 1000, total_capacity_used: state.creditsUsed })
      if (path[2] === "tasks" && request.method === "POST") {
        if (state.createError !== undefined) return json(response, state.createError.status, state.createError.body)
        const key = String(request.headers["idempotency-key"] ?? randomUUID())
        const known = keys.get(key)
        const input = JSON.parse(body)
        const task: Task = (known === undefined ? undefined : tasks.get(known)) ?? {
          id: `task-${tasks.size + 1}`,
          name: input.name ?? input.prompt.slice(0, 60),
          prompt: input.prompt,
          status: "idle",
          journal: [],
          artifacts: new Map(),
          connections: new Map(),
          attached: new Set(),
          pending: new Map(),
          cancel: () => {}
        }
        tasks.set(task.id, task)
        keys.set(key, task.id)
        if (known === undefined && state.runAtOnce !== undefined) {
          void runTurn(task, [{ type: "text", text: input.prompt }], () => {}, state.runAtOnce)
        }
        return json(response, 201, view(task))
      }
      if (path[2] === "tasks" && path[3] !== undefined) {
        const task = tasks.get(path[3])
        return task === undefined
          ? json(response, 404, { error: "not_found", error_description: "no task", request_id: "r-3" })
          : json(response, 200, view(task))
      }
      if (path[2] === "tasks") {
        const all = [...tasks.values()].map(({ id, name, status }) => ({
          task_id: id,
          name,
          status,
          created_at: "2026-01-01T00:00:00Z"
        }))
        const page = Number(url.searchParams.get("page") ?? 1)
        const size = Number(url.searchParams.get("size") ?? 20)
        return json(response, 200, {
          tasks: all.slice((page - 1) * size, page * size),
          total: all.length,
          pagination: { page, size, total: all.length }
        })
      }
      return json(response, 404, { error: "not_found", error_description: "no such page", request_id: "r-4" })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${port}`,
    state,
    tasks,
    files,
    requests,
    /** How many requests have come, answered or not. */
    asked: () => asked,
    prompts,
    /** Every answer to a request of the agent, as they arrived. */
    answers,
    /** Tokens without the authorize page. */
    grant: (scopes: ReadonlyArray<string>) => tokens({ scope: (state.scope = scopes.join(" ")) }),
    /** Writes to a task from another client; the task answers at once. */
    elsewhere: (text: string, answer: string, task = [...tasks.values()][0]) => {
      if (task === undefined) throw new Error("there is no task")
      const chunk = (who: string, words: string) => ({
        sessionId: task.id,
        update: {
          sessionUpdate: `${who}_message_chunk`,
          messageId: randomUUID(),
          content: { type: "text", text: words }
        }
      })
      for (const params of [chunk("user", text), chunk("agent", answer)]) {
        task.journal.push(params)
        broadcast(task, { method: "session/update", params })
      }
    },
    cutStreams: () => {
      for (const task of tasks.values()) for (const connection of task.connections.values()) connection.destroy()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
