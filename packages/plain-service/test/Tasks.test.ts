import { describe, expect, it } from "vitest"
import { apiOf, createTask, poll } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { startService } from "./Services.ts"

const open = (task: { readonly link: string; readonly token: string }) => {
  const abort = new AbortController()
  const headers = { Authorization: `Bearer ${task.token}` }
  return fetch(task.link, { headers, signal: abort.signal }).finally(() => abort.abort())
}

describe("tasks", () => {
  it("are created without a link, and run their prompt as the first round", async () => {
    const service = await startService({ creatingMs: 30 })
    const response = await apiOf(service).post("/tasks", { prompt: "Count\nall", unknown: 1 })
    const created = (await response.json()) as any
    expect(response.status).toBe(201)
    expect(created).toEqual({ task_id: expect.any(String), status: "CREATING", name: "Count" })
    const task = await poll(service, created.task_id, ({ status }) => status === "idle")
    expect(task).toMatchObject({ link: expect.stringMatching(/\/acp$/), token: expect.any(String) })
    expect(service.rounds[0]!.startedAt - service.requests[0]!.at).toBeGreaterThanOrEqual(29)
    expect(task.expire_at).toBeGreaterThan(Date.now() / 1000 + 3600)
    expect(service.rounds).toMatchObject([
      { taskId: task.task_id, text: "Count\nall", end: { stopReason: "end_turn" } }
    ])
  })

  it("run their prompt later, or leave it to the client", async () => {
    const later = await startService({ firstPrompt: "runsLater" })
    expect(await createTask(later)).toMatchObject({ status: "idle" })
    expect(later.rounds).toEqual([])
    await expect.poll(() => later.rounds, { timeout: 3000 }).toMatchObject([{ text: "first" }])
    const waiting = await startService({ firstPrompt: "waits" })
    const channel = await Channel.load(await createTask(waiting))
    expect(waiting.rounds).toEqual([])
    await channel.prompt(waiting.tasks()[0]!.taskId, "first")
    expect(waiting.rounds).toMatchObject([{ text: "first" }])
  })

  it("are created as often as asked, whatever Idempotency-Key says", async () => {
    const service = await startService()
    const create = () =>
      fetch(`${service.url}/openapi/v2/tasks`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${service.grant().access_token}`,
          "Content-Type": "application/json",
          "Idempotency-Key": "same"
        },
        body: JSON.stringify({ prompt: "a" })
      })
    await create()
    await create()
    expect(service.tasks()).toHaveLength(2)
  })

  it("need a prompt", async () => {
    const service = await startService()
    for (const body of [{}, { prompt: " " }, { prompt: 5 }, { prompt: "a", name: 5 }, []])
      expect((await apiOf(service).post("/tasks", body)).status).toBe(400)
    expect((await apiOf(service).get("/tasks/none")).status).toBe(404)
  })

  it("show the documented statuses", async () => {
    const steps: Array<() => void> = []
    const service = await startService({
      creatingMs: 0,
      askStatus: "pending",
      script: async ({ ask, text }) => {
        await new Promise<void>((resolve) => steps.push(resolve))
        if (text === "ask") await ask({ title: "May I?" })
        return text === "fail" ? { failed: "no disk" } : { stopReason: "end_turn" }
      }
    })
    const create = async (prompt: string) =>
      ((await (await apiOf(service).post("/tasks", { prompt })).json()) as any).task_id as string
    const [ends, asks, fails] = [await create("end"), await create("ask"), await create("fail")]
    const statuses = () => service.tasks().map(({ status }) => status)
    expect(statuses()).toEqual(["working", "working", "working"])
    for (const step of steps) step()
    await poll(service, fails, ({ status }) => status === "failed")
    expect(statuses()).toEqual(["idle", "pending", "failed"])
    service.setTaskStatus(ends, "archived")
    service.setTaskStatus(asks, "deleted")
    expect(await poll(service, ends, () => true)).toEqual({ task_id: ends, status: "archived", name: "end" })
    expect(await poll(service, fails, () => true)).toMatchObject({ link: expect.any(String) })
  })

  it("rest as pending or completed, if the readings say so", async () => {
    const service = await startService({ restStatus: "pending" })
    expect((await createTask(service)).status).toBe("pending")
    service.setReadings({ restStatus: "completed" })
    expect((await createTask(service)).status).toBe("completed")
  })

  it("have only the optional fields that the readings name", async () => {
    const service = await startService({ taskFields: [] })
    const task = await createTask(service)
    expect(Object.keys(task)).toEqual(["task_id", "status", "link", "token"])
    service.setReadings({ taskFields: ["link", "sandboxLink", "sandboxDataLink"] })
    expect(Object.keys(await createTask(service))).toContain("sandboxDataLink")
    const { tasks } = (await (await apiOf(service).get("/tasks")).json()) as any
    expect(Object.keys(tasks[0])).toEqual(["task_id", "status", "link"])
  })

  it("are listed by pages without tokens", async () => {
    const service = await startService()
    for (let index = 0; index < 23; index++) await apiOf(service).post("/tasks", { prompt: `p${index}` })
    const list = async (query: string) => (await (await apiOf(service).get(`/tasks${query}`)).json()) as any
    const first = await list("?page=x&size=0")
    expect(first).toMatchObject({ total: 23, pagination: { page: 1, size: 20, total: 23 } })
    expect(first.tasks[0]).toMatchObject({ name: "p22", created_at: expect.stringContaining("+08:00") })
    expect(first.tasks[0]).not.toHaveProperty("token")
    expect((await list("?page=2&size=20")).tasks).toHaveLength(3)
    expect((await list("?size=1000")).pagination.size).toBe(100)
    expect((await list("?size=10000000000")).pagination.size).toBe(100)
    expect(await list("?page=10000000000")).toMatchObject({ tasks: [], pagination: { page: 10_000_000_000 } })
    expect((await list("?page=-1&size=2.5")).pagination).toEqual({ page: 1, size: 20, total: 23 })
    service.setReadings({ taskOrder: "oldestFirst" })
    expect((await list("")).tasks[0].name).toBe("p0")
  })

  it("belong to one person", async () => {
    const service = await startService()
    const { task_id } = await createTask(service)
    service.setReadings({ person: "grace" })
    expect((await apiOf(service).get(`/tasks/${task_id}`)).status).toBe(404)
    expect(await (await apiOf(service).get("/tasks")).json()).toMatchObject({ tasks: [], total: 0 })
  })
})

describe("links and tokens", () => {
  it("a token ends after its lifetime, a query gives another", async () => {
    const service = await startService({ ticketLifetimeMs: 0 })
    const old = await createTask(service)
    expect((await open(old)).status).toBe(401)
    service.setReadings({ ticketLifetimeMs: 60_000 })
    const fresh = await poll(service, old.task_id, () => true)
    expect(fresh.link).toBe(old.link)
    expect((await open(fresh)).status).toBe(200)
    service.revokeTickets()
    expect((await open(fresh)).status).toBe(401)
  })

  it("a token is for the channel, an access token is not", async () => {
    const service = await startService()
    const task = await createTask(service)
    expect((await open({ ...task, token: service.grant().access_token })).status).toBe(401)
    expect((await apiOf(service, task.token).get("/tasks")).status).toBe(401)
    expect((await open({ ...task, link: task.link.replace(task.task_id, "none") })).status).toBe(404)
  })

  it("every query moves the link and ends the old one, if the readings say so", async () => {
    const service = await startService({ linkMovesOnQuery: true })
    const old = await createTask(service)
    const channel = await Channel.load(old)
    const fresh = await poll(service, old.task_id, () => true)
    expect(fresh.link).not.toBe(old.link)
    expect((await open(old)).status).toBe(401)
    expect((await open({ ...fresh, token: old.token })).status).toBe(401)
    expect((await open(fresh)).status).toBe(200)
    expect(service.tasks()[0]?.connections).toBeGreaterThan(0)
    service.setReadings({ endedTickets: "cutStreams" })
    await poll(service, old.task_id, () => true)
    await channel.closed
  })

  it("the end of a token cuts its stream, if the readings say so", async () => {
    const service = await startService({ endedTickets: "cutStreams", ticketLifetimeMs: 400 })
    const channel = await Channel.open(await createTask(service))
    await channel.closed
  })

  it("an archived task closes its channel", async () => {
    const service = await startService()
    const task = await createTask(service)
    const channel = await Channel.load(task)
    service.setTaskStatus(task.task_id, "archived")
    await channel.closed
    expect((await open(task)).status).toBe(404)
  })
})
