import * as Effect from "effect/Effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** A request that the small service below answers. */
export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Http.IncomingHttpHeaders
  readonly body: string
}

/** How it answers. */
export interface ServiceResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Breaks a rule: changes an answer that was in order. */
export type Fault = (response: ServiceResponse, request: ServiceRequest) => ServiceResponse

/** A service of profile, credits and tasks that keeps the document, but for one fault. */
export const serve = (fault: Fault = (response) => response) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.async<Http.Server>((resume) => {
        let requests = 0
        const tasks = new Map<string, Task>()
        const server = Http.createServer((incoming, outgoing) => {
          let body = ""
          incoming.on("data", (piece) => (body += piece))
          incoming.once("end", () => {
            const url = new URL(incoming.url ?? "/", "http://service")
            const request: ServiceRequest = {
              method: incoming.method ?? "GET",
              path: url.pathname,
              query: url.searchParams,
              headers: incoming.headers,
              body
            }
            const response = fault(answer(request, `r-${++requests}`, tasks), request)
            outgoing.writeHead(response.status, response.headers)
            outgoing.end(incoming.method === "HEAD" ? "" : response.body)
          })
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.async<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

/** A token of the service, whatever it may do. */
export const tokens = { all: "token-for-everything", profile: "token-for-the-profile", other: "token-of-another-user" }

const json = (status: number, id: string, value: unknown, headers: Record<string, string> = {}): ServiceResponse => ({
  status,
  headers: {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "private, no-store",
    "x-request-id": id,
    "accept-idempotency-key": "true",
    ...headers
  },
  body: JSON.stringify(value)
})

const refuse = (status: number, word: string, id: string, headers: Record<string, string> = {}): ServiceResponse =>
  json(
    status,
    id,
    { error: word, error_description: `It is ${word}.`, code: word, msg: `It is ${word}.`, request_id: id },
    headers
  )

const agents = ["claude", "codex"]

interface Task {
  readonly task_id: string
  readonly status: string
  readonly name: string
  readonly agent: string
  readonly link: string
  readonly created_at: string
  readonly updated_at: string
}

type Respond = (request: ServiceRequest, id: string, tasks: Map<string, Task>) => ServiceResponse

const list: Respond = ({ headers, query }, id, tasks) => {
  const whole = (name: string, least: number, otherwise: number) => {
    const text = query.get(name) ?? ""
    return /^\d+$/.test(text) && Number(text) >= least ? Number(text) : otherwise
  }
  const page = whole("page", 1, 1)
  const size = Math.min(100, whole("size", 1, 20))
  const own = headers.authorization === `Bearer ${tokens.other}` ? [] : [...tasks.values()].toReversed()
  const total = own.length
  return json(200, id, { tasks: own.slice((page - 1) * size, page * size), total, pagination: { page, size, total } })
}

const create: Respond = ({ body, headers }, id, tasks) => {
  const key = String(headers["idempotency-key"] ?? id)
  const given = JSON.parse(body) as { readonly prompt: unknown; readonly name?: unknown; readonly agent?: string }
  const { agent = "claude", name = String(given.prompt).split("\n")[0]?.slice(0, 60), prompt } = given
  if (!agents.includes(agent)) return refuse(400, "invalid_request", id)
  const good = typeof prompt === "string" && prompt !== "" && prompt.length <= 32 * 1024
  if (!good || typeof name !== "string" || name.length > 200) return refuse(400, "invalid_request", id)
  const now = new Date().toISOString()
  const taskId = `task-${key}`
  const link = "http://127.0.0.1:9/acp"
  tasks.set(taskId, { task_id: taskId, status: "idle", name, agent, link, created_at: now, updated_at: now })
  return json(
    201,
    id,
    { task_id: taskId, status: "CREATING", name, agent },
    { location: `/openapi/v2/tasks/${taskId}` }
  )
}

const get: Respond = ({ headers, path }, id, tasks) => {
  const task = tasks.get(path.split("/").at(-1) ?? "")
  if (task === undefined || headers.authorization === `Bearer ${tokens.other}`) return refuse(404, "not_found", id)
  const ticket = { token: `ticket-of-${task.task_id}`, expire_at: Math.floor(Date.now() / 1000) + 86_400 }
  return json(200, id, { ...task, ...ticket, sandboxLink: "http://127.0.0.1:9" })
}

const operations: ReadonlyArray<readonly [method: string, path: RegExp, scope: string, respond: Respond]> = [
  ["GET", /^\/user\/profile$/, "user.profile.readable", (_, id) => json(200, id, { nickname: "Ada", avatar: "" })],
  [
    "GET",
    /^\/credit$/,
    "user.credit.readable",
    (_, id) => json(200, id, { total_capacity_size: 10, total_capacity_used: 3 })
  ],
  ["GET", /^\/tasks$/, "user.task.readable", list],
  ["GET", /^\/agents$/, "user.task.invokable", (_, id) => json(200, id, { agents: agents.map((name) => ({ name })) })],
  ["POST", /^\/tasks$/, "user.task.invokable", create],
  ["GET", /^\/tasks\/[^/]+$/, "user.task.readable", get]
]

const answer = (request: ServiceRequest, id: string, tasks: Map<string, Task>): ServiceResponse => {
  const path = request.path.replace(/^\/openapi\/v2(?=\/)/, "")
  const there = path === request.path ? [] : operations.filter(([, pattern]) => pattern.test(path))
  if (there.length === 0) return refuse(404, "not_found", id)
  const operation = there.find(([method]) => method === request.method.replace("HEAD", "GET"))
  if (operation === undefined) {
    return refuse(405, "invalid_request", id, { allow: there.map(([method]) => method).join(", ") })
  }
  const token = /^bearer (\S+)$/i.exec(request.headers.authorization ?? "")?.[1]
  const [, , scope, respond] = operation
  if (request.headers.authorization === undefined || token === undefined) {
    return refuse(401, "invalid_token", id, { "www-authenticate": 'Bearer realm="openapi"' })
  }
  if (!Object.values(tokens).includes(token)) {
    return refuse(401, "invalid_token", id, { "www-authenticate": 'Bearer realm="openapi", error="invalid_token"' })
  }
  if (token === tokens.profile && scope !== "user.profile.readable") {
    const challenge = `Bearer realm="openapi", error="insufficient_scope", scope="${scope}"`
    return refuse(403, "insufficient_scope", id, { "www-authenticate": challenge })
  }
  return respond(request, id, tasks)
}
