import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import { describe, expect, it } from "vitest"
import { apiOf, createTask } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { eventually } from "./Eventually.ts"
import { startService } from "./Services.ts"

const limited = { status: 429, retryAfterSeconds: 3 }

describe("faults", () => {
  it("limit the rate of every endpoint", async () => {
    const service = await startService({ media: "url" })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const image = { type: "media", uri: "agent:///artifacts/a", mimeType: "image/png" }
    service.putArtifact(task.task_id, "created", image, new Uint8Array(1))
    const api = apiOf(service)
    const sandbox = task.link.replace(/\/acp$/, "")
    const headers = { Authorization: `Bearer ${task.token}` }
    const requests = [
      () => api.get("/user/profile"),
      () => api.post("/user/phoneverification", {}),
      () => api.post("/tasks", { prompt: "a" }),
      () => api.post("/redemptions", {}),
      () => api.get("/localassistant/message"),
      () => fetch(`${service.url}/openapi/v2/token`, { method: "POST" }),
      () => fetch(`${service.url}/openapi/v2/authorize`),
      () => fetch(task.link, { headers }),
      () => channel.post({ jsonrpc: "2.0", method: "session/cancel" }),
      () => fetch(`${sandbox}/api/session/artifacts`, { headers }),
      () => fetch(`${sandbox}/artifacts/a`, { headers })
    ]
    for (const request of requests) {
      service.addFault({ when: "before", effect: limited })
      const response = await request()
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3"])
    }
    expect(service.requests.filter(({ status }) => status === 429)).toHaveLength(requests.length)
    expect(service.tasks()).toHaveLength(1)
  })

  it("tell a client that its body is too long, after all of it was read", async () => {
    const service = await startService()
    for (let round = 0; round < 20; round++) {
      const asked = request(`${service.url}/openapi/v2/tasks`, { method: "POST", agent: false })
      asked.end(Buffer.alloc(16 * 1024 * 1024))
      const [response] = (await once(asked, "response")) as [IncomingMessage]
      expect([response.statusCode, await text(response)]).toEqual([400, expect.stringContaining("body is too long")])
    }
  })

  it("happen before or after the service acts", async () => {
    const service = await startService()
    const create = () => apiOf(service).post("/tasks", { prompt: "a" })
    service.addFault({ method: "POST", path: /\/tasks$/, when: "before", effect: { status: 503 } })
    expect((await create()).status).toBe(503)
    expect(service.tasks()).toHaveLength(0)
    service.addFault({ method: "POST", path: /\/tasks$/, when: "after", effect: "reset" })
    await expect(create()).rejects.toThrow()
    expect(service.tasks()).toHaveLength(1)
    expect(service.requests.map(({ status }) => status)).toEqual([503, 0])
    expect((await create()).status).toBe(201)
  })

  it("choose a JSON-RPC method, or the answers to requests", async () => {
    const service = await startService({
      script: async ({ ask, text }) => ({ stopReason: text === "ask" ? await ask({ title: "?" }) : "end_turn" })
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    service.addFault({ rpcMethod: "session/prompt", when: "after", effect: { status: 500, body: "broken" } })
    await expect(channel.prompt(task.task_id, "ask")).rejects.toThrow("500")
    const { id } = await channel.until(({ method }) => method === "session/request_permission")
    const answer = { jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: "allow" } } }
    service.addFault({ rpcMethod: "response", when: "before", effect: { status: 502, body: { odd: true } } })
    const response = await channel.post(answer)
    expect([response.status, await response.json()]).toEqual([502, { odd: true }])
    await channel.post(answer)
    await channel.until(({ result }) => result?.stopReason === "allow")
    expect(service.rounds).toHaveLength(2)
  })

  it("delay, hang, and count how often", async () => {
    const service = await startService()
    const begun = Date.now()
    service.addFault({ when: "after", effect: { delayMs: 40 } })
    expect((await apiOf(service).get("/credit")).status).toBe(200)
    expect(Date.now() - begun).toBeGreaterThanOrEqual(39)
    service.addFault({ when: "before", effect: "hang" })
    const abort = new AbortController()
    const hangs = fetch(`${service.url}/openapi/v2/credit`, { signal: abort.signal }).catch(() => "aborted")
    await eventually(() => service.requests).toHaveLength(2)
    abort.abort()
    expect(await hangs).toBe("aborted")
    const remove = service.addFault({ when: "before", effect: { status: 404 }, times: Infinity })
    service.addFault({ when: "before", effect: { status: 500 }, times: 2 })
    const statusOf = async () => (await apiOf(service).get("/credit")).status
    expect([await statusOf(), await statusOf()]).toEqual([404, 404])
    remove()
    expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([500, 500, 200])
    service.addFault({ when: "before", effect: { status: 500 } })
    service.clearFaults()
    expect(await statusOf()).toBe(200)
  })

  it("after a stream was opened leave no connection", async () => {
    const service = await startService()
    const task = await createTask(service)
    service.addFault({ method: "GET", path: /\/acp$/, when: "after", effect: { status: 502 } })
    await expect(Channel.open(task)).rejects.toThrow("502")
    expect(service.tasks()[0]?.connections).toBe(0)
  })
})
