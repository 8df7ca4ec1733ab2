import type { PlainService, PlainServiceOptions } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { createTask } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { eventually } from "./Eventually.ts"
import { startService } from "./Services.ts"

const ended = { stopReason: "end_turn" }

const asking = async (options?: PlainServiceOptions) => {
  const outcomes: Array<string> = []
  const service = await startService({
    script: async ({ ask, text }) => {
      if (text === "ask") outcomes.push(await ask({ title: "Write?", toolCall: { kind: "edit" } }))
      return ended
    },
    ...options
  })
  const task = await createTask(service)
  const channel = await Channel.load(task)
  const round = channel.prompt(task.task_id, "ask")
  return { service, outcomes, task, channel, round, request: await requestOn(channel) }
}

const requestOn = (channel: Channel, from = 0) =>
  channel.until(
    (message) => message.method === "session/request_permission" && channel.messages.indexOf(message) >= from
  )

const answer = (id: unknown, outcome: unknown) => ({ jsonrpc: "2.0", id, result: { outcome } })
const allow = { outcome: "selected", optionId: "allow" }

const acceptedOf = ({ answers }: PlainService) => answers.map(({ accepted }) => accepted)

describe("session/request_permission", () => {
  it("is a request with id 0, which the client answers by POST", async () => {
    const { channel, outcomes, request, round, service, task } = await asking()
    expect(request).toEqual({
      jsonrpc: "2.0",
      id: 0,
      method: "session/request_permission",
      params: {
        sessionId: task.task_id,
        toolCall: { toolCallId: expect.any(String), title: "Write?", kind: "edit" },
        options: [
          { optionId: "allow", name: "Allow", kind: "allow_once" },
          { optionId: "reject", name: "Reject", kind: "reject_once" }
        ]
      }
    })
    const response = await channel.post(answer(0, allow))
    expect([response.status, await response.text()]).toEqual([202, ""])
    expect((await round).result).toMatchObject(ended)
    expect(outcomes).toEqual(["allow"])
    expect(service.answers).toMatchObject([{ id: 0, accepted: true, answer: { result: { outcome: allow } } }])
  })

  it("ignores answers to unknown or old ids", async () => {
    const { channel, outcomes, round, service } = await asking()
    expect((await channel.post(answer(99, allow))).status).toBe(202)
    await channel.post(answer(0, { outcome: "selected", optionId: "reject" }))
    await round
    expect((await channel.post(answer(0, allow))).status).toBe(202)
    expect(acceptedOf(service)).toEqual([false, true, false])
    expect(outcomes).toEqual(["reject"])
  })

  it("takes anything but a known option as cancelled", async () => {
    for (const body of [
      answer(0, { outcome: "cancelled" }),
      answer(0, { outcome: "selected", optionId: "other" }),
      { jsonrpc: "2.0", id: 0, error: { code: -32603, message: "no" } }
    ]) {
      const { channel, outcomes, round } = await asking()
      await channel.post(body)
      await round
      expect(outcomes).toEqual(["cancelled"])
    }
  })

  it("lives on its own connection, until its time is over", async () => {
    const { channel, outcomes, round, service, task } = await asking({ permissionTimeoutMs: 150 })
    void round.catch(() => undefined)
    const other = await Channel.load(task)
    await other.post(answer(0, allow))
    channel.close()
    const third = await Channel.load(task)
    await third.post(answer(0, allow))
    expect(acceptedOf(service)).toEqual([false, false])
    await eventually(() => outcomes).toEqual(["cancelled"])
    expect(third.messages.filter(({ method }) => method === "session/request_permission")).toEqual([])
  })

  it("is asked again on a new connection, if the readings say so", async () => {
    const { channel, outcomes, service, task } = await asking({ pendingRequests: "askedAgain", requestIds: "strings" })
    channel.close()
    await eventually(() => service.tasks()[0]?.connections).toBe(0)
    const second = await Channel.load(task)
    const again = await requestOn(second)
    expect(again.id).toEqual(expect.any(String))
    await second.post(answer(again.id, allow))
    await eventually(() => outcomes).toEqual(["allow"])
  })

  it("of a round without listeners waits for the first connection", async () => {
    const outcomes: Array<string> = []
    const service = await startService({
      creatingMs: 0,
      script: async ({ ask }) => {
        outcomes.push(await ask({ title: "Write?" }))
        return ended
      }
    })
    const creation = createTask(service)
    await eventually(() => service.rounds).toHaveLength(1)
    const [{ taskId } = { taskId: "" }] = service.tasks()
    const { link, token } = (await (
      await fetch(`${service.url}/openapi/v2/tasks/${taskId}`, {
        headers: { Authorization: `Bearer ${service.grant().access_token}` }
      })
    ).json()) as any
    const channel = await Channel.load({ link, token, task_id: taskId })
    await channel.post(answer((await requestOn(channel)).id, allow))
    await creation
    expect(outcomes).toEqual(["allow"])
  })

  it("ends at once when the round is cancelled", async () => {
    const { channel, outcomes, round, task } = await asking()
    await channel.post({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: task.task_id } })
    expect((await round).result.stopReason).toBe("cancelled")
    expect(outcomes).toEqual(["cancelled"])
  })
})

describe("other messages of the service", () => {
  it("any request, notification, thought and plan can be sent", async () => {
    const answers: Array<unknown> = []
    const service = await startService({
      script: async ({ notify, plan, request, text, think }) => {
        if (text !== "go") return ended
        think("hm")
        plan([{ content: "a", priority: "high", status: "pending" }])
        notify("_vendor.ai/breakpoint", { a: 1 })
        answers.push(await request("fs/read_text_file", { path: "/a" }))
        return ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const round = channel.prompt(task.task_id, "go")
    const { id } = await channel.until(({ method }) => method === "fs/read_text_file")
    await channel.post({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } })
    await round
    expect(answers).toEqual([{ error: { code: -32601, message: "unknown" } }])
    expect(channel.messages.map(({ method, params }) => params?.update?.sessionUpdate ?? method)).toEqual([
      undefined,
      undefined,
      "agent_thought_chunk",
      "plan",
      "_vendor.ai/breakpoint",
      "fs/read_text_file",
      undefined
    ])
  })
})
