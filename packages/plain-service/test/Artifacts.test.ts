import type { PlainService } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { createTask } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { startService } from "./Services.ts"

const ended = { stopReason: "end_turn" }
const plan = {
  type: "plan",
  uri: "agent:///artifacts/plan",
  text: "# Plan",
  version: 1,
  createdAt: 1000,
  updatedAt: 1000
}
const image = { type: "media", uri: "agent:///artifacts/a b.png", mimeType: "image/png", createdAt: 1, updatedAt: 2000 }
const bytes = new Uint8Array([137, 80, 78, 71])

const sandboxOf = ({ link }: any) => (link as string).replace(/\/acp$/, "")

const list = (task: any, query = "", token = task.token) =>
  fetch(`${sandboxOf(task)}/api/session/artifacts${query}`, { headers: { Authorization: `Bearer ${token}` } })

const dataOf = async (task: any, query = "") => ((await (await list(task, query)).json()) as any).data

const filled = async (service: PlainService) => {
  const task = await createTask(service)
  service.putArtifact(task.task_id, "created", plan)
  service.putArtifact(task.task_id, "created", image, bytes)
  service.putArtifact(task.task_id, "created", { type: "diagram", uri: "agent:///artifacts/d", updatedAt: 3000 })
  return task
}

describe("the artifact list", () => {
  it("has numeric strings for int64, no md5, and unknown types", async () => {
    const service = await startService()
    const task = await filled(service)
    const answer = (await (await list(task)).json()) as any
    expect(answer).toMatchObject({ code: 0, msg: "success" })
    const { artifacts, filter, pagination, sessionId } = answer.data
    expect([sessionId, filter]).toEqual([task.task_id, {}])
    expect(pagination).toEqual({ total: 3, returned: 3, limit: 0, offset: 0, hasMore: false })
    expect(artifacts[0]).toEqual({
      sessionId: task.task_id,
      event: "created",
      artifact: { ...plan, createdAt: "1000", updatedAt: "1000" }
    })
    expect(artifacts[1].artifact.size).toBe("4")
    expect(artifacts[2].artifact.type).toBe("diagram")
    service.setReadings({ int64: "number", artifactPagination: "absent" })
    const data = await dataOf(task)
    expect(data.artifacts[0].artifact).toEqual(plan)
    expect(data).not.toHaveProperty("pagination")
  })

  it("filters and pages", async () => {
    const task = await filled(await startService())
    const uris = async (query: string) => (await dataOf(task, query)).artifacts.map(({ artifact }: any) => artifact.uri)
    expect(await uris("?type=plan")).toEqual([plan.uri])
    expect(await uris("?startMs=1001&endMs=2000")).toEqual([image.uri])
    expect(await uris("?startMs=0&endMs=0&limit=0")).toHaveLength(3)
    expect((await dataOf(task, "?startMs=1001&type=media")).filter).toEqual({ type: "media", startMs: "1001" })
    const largest = "9223372036854775807"
    expect(await dataOf(task, `?startMs=${largest}`)).toMatchObject({ artifacts: [], filter: { startMs: largest } })
    expect((await list(task, "?startMs=9223372036854775808")).status).toBe(400)
    const { artifacts, pagination } = await dataOf(task, `?limit=1&offset=1&sessionId=${task.task_id}`)
    expect(artifacts[0].artifact.uri).toBe(image.uri)
    expect(pagination).toEqual({ total: 3, returned: 1, limit: 1, offset: 1, hasMore: true })
  })

  it("names wrong parameters, sessions and credentials", async () => {
    const service = await startService({ severalSessions: true, unauthorized: "empty" })
    const task = await filled(service)
    const error = async (query: string) => {
      const response = await list(task, query)
      return [response.status, await response.json()]
    }
    expect(await error("")).toEqual([400, { code: 1, msg: "sessionId is required" }])
    expect(await error("?sessionId=other")).toEqual([404, { code: 1, msg: "session does not exist" }])
    const own = `?sessionId=${task.task_id}`
    expect(await error(`${own}&type=diagram`)).toEqual([400, { code: 1, msg: "invalid type" }])
    for (const query of ["startMs=-1", "endMs=x", "limit=501", "limit=", "offset=1.5"])
      expect((await list(task, `${own}&${query}`)).status).toBe(400)
    const unauthorized = await list(task, own, "other")
    expect([unauthorized.status, await unauthorized.text()]).toEqual([401, ""])
    service.setReadings({ unauthorized: "envelope" })
    expect(await (await list(task, own, "other")).json()).toEqual({
      msg: "Unauthorized",
      request_id: expect.any(String)
    })
    const unknown = { ...task, link: task.link.replace(task.task_id, "none") }
    expect(await (await list(unknown)).json()).toEqual({ code: 1, msg: "session does not exist" })
    service.setTaskStatus(task.task_id, "archived")
    expect((await error(own))[0]).toBe(404)
  })

  it("keeps type and uri of what was deleted, or nothing", async () => {
    const service = await startService()
    const task = await filled(service)
    service.putArtifact(task.task_id, "deleted", plan)
    expect((await dataOf(task)).artifacts[0]).toEqual({
      sessionId: task.task_id,
      event: "deleted",
      artifact: { type: "plan", uri: plan.uri }
    })
    service.setReadings({ deletedArtifacts: "absent" })
    expect((await dataOf(task)).artifacts).toHaveLength(2)
  })
})

describe("media", () => {
  it("are downloaded by their uri with the token", async () => {
    const task = await filled(await startService())
    expect((await dataOf(task)).artifacts[1]).not.toHaveProperty("url")
    const address = image.uri.replace("agent:///", `${sandboxOf(task)}/`)
    const download = (token: string) => fetch(address, { headers: { Authorization: `Bearer ${token}` } })
    const response = await download(task.token)
    expect(response.headers.get("content-type")).toBe("image/png")
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect((await download("other")).status).toBe(401)
    expect((await fetch(`${address}x`, { headers: { Authorization: `Bearer ${task.token}` } })).status).toBe(404)
  })

  it("may have a direct URL, which needs no token", async () => {
    const service = await startService({ media: "url" })
    const task = await filled(service)
    const [, { url }] = (await dataOf(task)).artifacts
    expect(new Uint8Array(await (await fetch(url)).arrayBuffer())).toEqual(bytes)
    service.putArtifact(task.task_id, "deleted", image)
    expect((await fetch(url)).status).toBe(404)
  })
})

describe("_vendor.ai/artifact", () => {
  it("pushes what the list has, and is not replayed", async () => {
    const service = await startService({
      script: async ({ artifact, index }) => {
        artifact(index === 0 ? "created" : "updated", { ...plan, version: index + 1 })
        if (index > 1) artifact("deleted", plan)
        return ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const pushed = () => channel.messages.filter(({ method }) => method === "_vendor.ai/artifact")
    expect(pushed()).toEqual([])
    await channel.prompt(task.task_id, "b")
    expect(pushed()[0]?.params).toEqual({
      sessionId: task.task_id,
      event: "updated",
      artifact: { ...plan, version: 2, createdAt: "1000", updatedAt: "1000" }
    })
    expect((await dataOf(task)).artifacts).toMatchObject([{ event: "updated", artifact: { version: 2 } }])
    await channel.prompt(task.task_id, "c")
    expect(pushed().at(-1)?.params.artifact).toEqual({ type: "plan", uri: plan.uri })
  })
})
