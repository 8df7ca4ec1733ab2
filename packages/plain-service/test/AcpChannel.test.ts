import type { Round } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { createTask, poll } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { startService } from "./Services.ts"

const ended = { stopReason: "end_turn" }

describe("the stream", () => {
  it("has its id in a header, and data lines only", async () => {
    const service = await startService()
    const task = await createTask(service)
    const channel = await Channel.load(task)
    expect(channel.id).toMatch(/./)
    await channel.prompt(task.task_id, "a")
    expect(channel.lines.filter((line) => line !== "" && !line.startsWith("data: {"))).toEqual([])
  })

  it("may tear events apart, as the format allows", async () => {
    const service = await startService({ sse: "awkward", replay: "none" })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    await channel.prompt(task.task_id, "größer 🙂")
    expect(channel.said).toBe("Echo: größer 🙂")
    expect(channel.lines).toContain("event:message")
    expect(channel.lines).toContain('data: "jsonrpc": "2.0",')
  })

  it("of each connection gets only its own results, but all updates", async () => {
    const service = await startService({ replay: "none" })
    const task = await createTask(service)
    const [asks, listens] = [await Channel.load(task), await Channel.load(task)]
    await asks.call("session/prompt", { sessionId: task.task_id, prompt: [{ type: "text", text: "a" }] })
    await listens.until(({ method }) => method === "session/update")
    expect(listens.said).toBe("Echo: a")
    expect(listens.messages.filter(({ result }) => result?.stopReason !== undefined)).toEqual([])
  })
})

describe("posts to the channel", () => {
  it("are acknowledged with an empty 202", async () => {
    const service = await startService()
    const channel = await Channel.open(await createTask(service))
    const response = await channel.post({ jsonrpc: "2.0", id: 7, method: "initialize", params: { protocolVersion: 1 } })
    expect([response.status, await response.text()]).toEqual([202, ""])
    expect(await channel.until(({ id }) => id === 7)).toEqual({ jsonrpc: "2.0", id: 7, result: { protocolVersion: 1 } })
  })

  it("need a known connection and a JSON-RPC message", async () => {
    const service = await startService()
    const channel = await Channel.open(await createTask(service))
    const call = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } }
    expect((await channel.post(call, { "Acp-Connection-Id": "" })).status).toBe(400)
    expect((await channel.post(call, { "Acp-Connection-Id": "other" })).status).toBe(404)
    expect((await channel.post(call, { Authorization: "Bearer other" })).status).toBe(401)
    expect((await channel.post(call, { "Content-Type": "text/plain" })).status).toBe(400)
    for (const body of ["{", [call], { id: 1, method: "initialize" }, { jsonrpc: "2.0", id: 1 }])
      expect((await channel.post(body)).status).toBe(400)
  })

  it("get JSON-RPC errors over the stream", async () => {
    const service = await startService()
    const task = await createTask(service)
    const channel = await Channel.open(task)
    const load = { sessionId: task.task_id, cwd: "/", mcpServers: [] }
    const codeOf = async (method: string, params: unknown) => (await channel.call(method, params)).error?.code
    expect(await codeOf("session/load", load)).toBe(-32600)
    expect(await codeOf("initialize", {})).toBe(-32602)
    expect(await codeOf("initialize", { protocolVersion: 1 })).toBe(undefined)
    expect(await codeOf("initialize", { protocolVersion: 1 })).toBe(-32600)
    expect(await codeOf("session/prompt", { sessionId: task.task_id, prompt: [] })).toBe(-32600)
    expect(await codeOf("session/load", { ...load, sessionId: "other" })).toBe(-32002)
    expect(await codeOf("session/load", { sessionId: task.task_id })).toBe(-32602)
    expect(await codeOf("session/load", load)).toBe(undefined)
    expect(await codeOf("session/prompt", { sessionId: task.task_id, prompt: [{ type: "image" }] })).toBe(-32602)
    expect(await codeOf("session/new", {})).toBe(-32601)
    expect((await channel.post({ jsonrpc: "2.0", method: "_other/method" })).status).toBe(202)
  })
})

describe("initialize", () => {
  it("may tell the capabilities", async () => {
    const service = await startService({ initialize: "full" })
    const channel = await Channel.open(await createTask(service))
    const { result } = await channel.call("initialize", { protocolVersion: 1 })
    expect(result).toMatchObject({ agentCapabilities: { loadSession: true }, agentInfo: {}, authMethods: [] })
  })

  it("may allow images in prompts", async () => {
    const blocks: Array<Round["blocks"]> = []
    const promptCapabilities = { image: true, audio: false, embeddedContext: false }
    const service = await startService({
      initialize: "full",
      promptCapabilities,
      script: async (round) => {
        blocks.push(round.blocks)
        return ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const prompt = [{ type: "image", data: "AA==", mimeType: "image/png" }]
    expect((await channel.call("session/prompt", { sessionId: task.task_id, prompt })).result).toMatchObject(ended)
    expect(blocks[1]).toEqual(prompt)
  })
})

describe("session/load", () => {
  const started = () =>
    startService({
      script: async ({ say, tool }) => {
        say("one ")
        say("two")
        const toolCallId = tool({ title: "Read", kind: "read", status: "pending" })
        tool({ toolCallId, status: "completed" })
        return ended
      }
    })
  const kinds = ({ updates }: Channel) => updates.map(({ sessionUpdate }) => sessionUpdate)
  const agent = ["agent_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update"]

  it("replays what the agent did, without the person's messages", async () => {
    const service = await started()
    const task = await createTask(service)
    const channel = await Channel.load(task)
    expect(kinds(channel)).toEqual(agent)
    await channel.prompt(task.task_id, "again")
    expect(kinds(channel)).toEqual([...agent, ...agent])
    expect(channel.updates[2].toolCallId).toBe(channel.updates[3].toolCallId)
  })

  it("replays all or nothing, if the readings say so", async () => {
    const service = await started()
    service.setReadings({ replay: "full" })
    const task = await createTask(service)
    const full = await Channel.load(task)
    expect(kinds(full)).toEqual(["user_message_chunk", ...agent])
    expect(full.updates[0].content).toEqual({ type: "text", text: "first" })
    service.setReadings({ replay: "none", loadResult: "null" })
    const none = await Channel.load(task)
    expect(kinds(none)).toEqual([])
    expect(none.messages.at(-1)?.result).toBe(null)
  })

  it("may join the chunks of a message", async () => {
    const service = await started()
    service.setReadings({ replayedChunks: "joined" })
    const channel = await Channel.load(await createTask(service))
    expect(kinds(channel)).toEqual(agent.slice(1))
    expect(channel.said).toBe("one two")
  })

  it("during a round shows what follows, but never its result", async () => {
    const steps: Array<() => void> = []
    const service = await startService({
      script: async ({ index, say }) => {
        say(`before ${index}`)
        if (index > 0) await new Promise<void>((resolve) => steps.push(resolve))
        say(`, after ${index}`)
        return ended
      }
    })
    const task = await createTask(service)
    const first = await Channel.load(task)
    void first.prompt(task.task_id, "a").catch(() => undefined)
    await first.until(({ params }) => params?.update?.content?.text === "before 1")
    first.close()
    const second = await Channel.load(task)
    for (const step of steps) step()
    await poll(service, task.task_id, ({ status }) => status === "idle")
    await second.until(({ params }) => params?.update?.content?.text === ", after 1")
    expect(second.said).toBe("before 0, after 0before 1, after 1")
    expect(second.messages.filter(({ result }) => result?.stopReason !== undefined)).toEqual([])
  })
})
