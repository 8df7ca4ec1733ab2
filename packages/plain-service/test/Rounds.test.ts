import { describe, expect, it } from "vitest"
import { createTask } from "./Api.ts"
import { Channel } from "./Channel.ts"
import { eventually } from "./Eventually.ts"
import { startService } from "./Services.ts"

const ended = { stopReason: "end_turn" }

describe("session/prompt", () => {
  it("ends with the stop reason and a usage", async () => {
    const service = await startService({
      script: async ({ index }) => ({ stopReason: index ? "refusal" : "end_turn" })
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const usage = { inputTokens: 12, outputTokens: 30, totalTokens: 42 }
    expect((await channel.prompt(task.task_id, "a")).result).toEqual({ stopReason: "refusal", usage })
    service.setReadings({ usage: "empty" })
    expect((await channel.prompt(task.task_id, "b")).result).toEqual({ stopReason: "refusal", usage: {} })
    expect(service.rounds.map(({ text }) => text)).toEqual(["first", "a", "b"])
  })

  it("runs one round at a time", async () => {
    const steps: Array<() => void> = []
    const service = await startService({
      script: async ({ index }) => {
        if (index > 0) await new Promise<void>((resolve) => steps.push(resolve))
        return ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const first = channel.prompt(task.task_id, "a")
    await eventually(() => service.rounds).toHaveLength(2)
    const second = await channel.prompt(task.task_id, "b")
    expect(second.error).toMatchObject({ code: -32600 })
    for (const step of steps) step()
    expect((await first).result).toMatchObject(ended)
    expect(service.rounds).toHaveLength(2)
  })

  it("fails with a JSON-RPC error, and the next one works", async () => {
    const service = await startService({
      script: async ({ text }) => {
        if (text === "throw") throw new Error("no memory")
        return text === "fail" ? { failed: "no disk" } : ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    expect((await channel.prompt(task.task_id, "fail")).error).toEqual({ code: -32603, message: "no disk" })
    expect((await channel.prompt(task.task_id, "throw")).error?.message).toBe("no memory")
    expect(service.tasks()[0]?.status).toBe("failed")
    expect((await channel.prompt(task.task_id, "go on")).result).toMatchObject(ended)
    expect(service.tasks()[0]?.status).toBe("idle")
  })
})

describe("session/cancel", () => {
  const cancelOf = (task: any) => ({
    jsonrpc: "2.0",
    method: "session/cancel",
    params: { sessionId: task.task_id }
  })

  it("ends the round as cancelled, whether the script listens or not", async () => {
    const service = await startService({
      cancelGraceMs: 20,
      script: async ({ say, signal, text }) => {
        if (text === "first") return ended
        say("begun")
        await new Promise<void>((resolve) => text === "listen" && signal.addEventListener("abort", () => resolve()))
        say("stopped")
        return ended
      }
    })
    const task = await createTask(service)
    for (const [index, text] of ["listen", "ignore"].entries()) {
      const channel = await Channel.load(task)
      const round = channel.prompt(task.task_id, text)
      await eventually(() => service.rounds).toHaveLength(index + 2)
      await channel.post(cancelOf(task))
      expect((await round).result.stopReason).toBe("cancelled")
    }
    expect((await Channel.load(task)).said).toBe("begunstoppedbegun")
  })

  it("is ignored, if the readings say so", async () => {
    const steps: Array<() => void> = []
    const service = await startService({
      ignoreCancel: true,
      script: async ({ index }) => {
        if (index > 0) await new Promise<void>((resolve) => steps.push(resolve))
        return ended
      }
    })
    const task = await createTask(service)
    const channel = await Channel.load(task)
    const round = channel.prompt(task.task_id, "a")
    await eventually(() => steps).toHaveLength(1)
    await channel.post(cancelOf(task))
    for (const step of steps) step()
    expect((await round).result).toMatchObject(ended)
  })
})
