import * as Effect from "effect/Effect"
import * as Api from "./Api.ts"
import { CheckContext, type Turn, type Task } from "./CheckContext.ts"
import { Mismatch } from "./CheckFailure.ts"
import * as AcpChannel from "./internal/AcpChannel.ts"
import { at } from "./internal/Json.ts"

/** Creates a task and waits for its link, its token and the end of its first turn (contract 4.9, 4.11). */
export const createTask = (prompt: string) =>
  Effect.gen(function* () {
    const created = yield* Api.send(Api.post("/tasks", { prompt }))
    const taskId = at(created.json, "task_id")
    if (typeof taskId !== "string") {
      return yield* new Mismatch({ problems: [`a task can be created; the response was ${created.status}`] })
    }
    return yield* awaitLink(taskId)
  })

/** Reads a task until it has link and token and does not run its prompt, for about 8 seconds. */
export const awaitLink = (taskId: string) =>
  Effect.gen(function* () {
    let task: Task | undefined
    for (let tries = 0; tries < 30; tries++) {
      const { json } = yield* Api.send(Api.get(`/tasks/${encodeURIComponent(taskId)}`))
      const link = at(json, "link")
      const token = at(json, "token")
      if (typeof link === "string" && typeof token === "string") {
        yield* (yield* CheckContext).mask(token)
        task = { taskId, link, token, sandboxUrl: sandboxUrlOf(link) }
        // A service may refuse a prompt while another one runs.
        if (!runs.includes(at(json, "status"))) return task
      }
      yield* Effect.sleep("250 millis")
    }
    if (task !== undefined) return task
    return yield* new Mismatch({ problems: ["a task has link and token within 8 seconds of its creation (2.7)"] })
  })

/** The states of a task that has not finished its prompt (contract 3). */
const runs: ReadonlyArray<unknown> = ["CREATING", "creating", "planning", "working"]

/** Runs one turn: initialize, session/load and session/prompt, in the order of contract 4.13. */
export const runTurn = (task: Task, prompt: string) =>
  Effect.gen(function* () {
    const channel = yield* AcpChannel.open(task)
    const initialize = yield* channel.request("initialize", initializeParams)
    const load = yield* channel.request("session/load", loadParams(task.taskId))
    const promptTurn = yield* channel.request("session/prompt", {
      sessionId: task.taskId,
      prompt: [{ type: "text", text: prompt }]
    })
    const requests = [initialize, load, promptTurn]
    return {
      task,
      initializeResponse: initialize.response,
      loadResponse: load.response,
      promptResponse: promptTurn.response,
      messages: requests.flatMap(({ earlierMessages, response }) => [...earlierMessages, response]),
      posts: requests.map(({ postResponse: { status, text } }) => ({ status, text }))
    } satisfies Turn
  }).pipe(Effect.scoped)

export const initializeParams = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } }
}

export const loadParams = (sessionId: string) => ({ sessionId, cwd: "/", mcpServers: [] })

/** `{sandbox_url}`: the link without its `/acp` (contract 4.14; decision 79). */
export const sandboxUrlOf = (link: string): string | undefined => {
  const { origin, pathname } = new URL(link)
  const path = pathname.replace(/\/$/, "")
  return path.endsWith("/acp") ? origin + path.slice(0, -"/acp".length) : undefined
}

/** The common task, as it was read first. */
export const task = Effect.flatMap(CheckContext, (context) => context.task)

/** The task of the channel and of the artifacts, with link and token. */
export const channelTask = Effect.flatMap(CheckContext, (context) => context.channelTask)

/** The common turn. It runs once for all checks, so its messages are added to the report of each. */
export const turn = Effect.gen(function* () {
  const context = yield* CheckContext
  const turn = yield* context.turn
  yield* context.record({
    sent: "initialize, session/load, session/prompt",
    received: [turn.initializeResponse, turn.loadResponse, turn.promptResponse]
      .map((message) => JSON.stringify(message).slice(0, 300))
      .join("\n")
  })
  return turn
})
