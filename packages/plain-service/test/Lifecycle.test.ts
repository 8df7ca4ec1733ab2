import type { PlainService } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { apiOf, createTask, poll } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { startService } from "./Services.ts"

const ended = { stopReason: "end_turn" }

/** The first requests may still meet connections that the service closed. */
const reconnected = (service: PlainService) =>
  expect
    .poll(() =>
      fetch(service.url).then(
        ({ status }) => status,
        () => 0
      )
    )
    .toBe(404)

const restart = async (service: PlainService) => {
  await service.restart()
  await reconnected(service)
}

describe("the life of the service", () => {
  it("a restart keeps what is durable, and cuts every connection", async () => {
    const service = await startService()
    const task = await createTask(service)
    service.putArtifact(task.task_id, "created", { type: "plan", uri: "agent:///artifacts/p", text: "a" })
    const api = apiOf(service)
    const channel = await Channel.load(task)
    await restart(service)
    await channel.closed
    expect((await api.get(`/tasks/${task.task_id}`)).status).toBe(200)
    const headers = { Authorization: `Bearer ${task.token}` }
    const artifacts = await fetch(task.link.replace(/\/acp$/, "/api/session/artifacts"), { headers })
    expect(await artifacts.json()).toMatchObject({ data: { artifacts: [{ artifact: { text: "a" } }] } })
    expect((await channel.post({ jsonrpc: "2.0", method: "session/cancel" })).status).toBe(404)
    expect((await Channel.load(task)).said).toBe("Echo: first")
  })

  it("stops and starts on the same port", async () => {
    const service = await startService({ creatingMs: 60_000 })
    const api = apiOf(service)
    const { task_id } = (await (await api.post("/tasks", { prompt: "a" })).json()) as any
    await service.stop()
    await expect(api.get("/tasks")).rejects.toThrow()
    service.setReadings({ creatingMs: 0 })
    await service.start()
    await reconnected(service)
    await poll(service, task_id, ({ status }) => status === "idle")
    expect(service.rounds).toHaveLength(1)
  })

  it("rounds outlive a restart, or fail", async () => {
    const steps: Array<() => void> = []
    const service = await startService({
      script: async ({ say, signal }) => {
        await new Promise<void>((resolve) => {
          steps.push(resolve)
          signal.addEventListener("abort", () => resolve())
        })
        say("done")
        return ended
      }
    })
    const create = async () =>
      ((await (await apiOf(service).post("/tasks", { prompt: "a" })).json()) as any).task_id as string
    const continued = await create()
    await poll(service, continued, ({ status }) => status === "working")
    await restart(service)
    for (const step of steps) step()
    await poll(service, continued, ({ status }) => status === "idle")
    service.setReadings({ roundsAtRestart: "fail" })
    const failed = await create()
    await poll(service, failed, ({ status }) => status === "working")
    await restart(service)
    const task = await poll(service, failed, ({ status }) => status === "failed")
    expect((await Channel.load(task)).said).toBe("")
  })

  it("streams are cut on demand, by an end or a reset", async () => {
    const service = await startService()
    const task = await createTask(service)
    for (const how of ["end", "reset"] as const) {
      const channel = await Channel.load(task)
      service.cutStreams(how)
      await channel.closed
      expect((await channel.post({ jsonrpc: "2.0", method: "session/cancel" })).status).toBe(404)
    }
  })

  it("records every request in its order", async () => {
    const service = await startService()
    const task = await createTask(service)
    await Channel.load(task)
    const api = apiOf(service)
    await api.get("/localassistant/message?limit=2")
    await fetch(`${service.url}/other`)
    expect(service.requests[0]).toMatchObject({
      method: "POST",
      path: "/openapi/v2/tasks",
      status: 201,
      authorized: true
    })
    expect(service.requests.slice(-5)).toMatchObject([
      { method: "GET", path: expect.stringMatching(/\/acp$/), status: 200 },
      { method: "POST", rpcMethod: "initialize", status: 202 },
      { method: "POST", rpcMethod: "session/load", status: 202 },
      { path: "/openapi/v2/localassistant/message", query: "limit=2", status: 200 },
      { path: "/other", status: 404, authorized: false }
    ])
  })
})
