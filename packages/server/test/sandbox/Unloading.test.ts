import { assert, describe, it } from "@effect/vitest"
import * as SessionFold from "@heddle/acp/SessionFold"
import * as SessionState from "@heddle/acp/SessionState"
import * as Update from "@heddle/acp/schema/Update"
import { choosingAgent } from "@heddle/test-support/Agents"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { list, update } from "./support/artifacts.ts"
import { Client, isPermission, type Loose } from "./support/client.ts"
import { rmSync, writeFileSync } from "node:fs"
import * as Http from "node:http"
import type { Task } from "./support/service.ts"
import { serviceOfTest } from "./support/suite.ts"

describe("a task that is not used for a while", { timeout: 30_000 }, () => {
  const start = serviceOfTest()
  const sandbox = { agentIdle: Duration.millis(200), sandboxIdle: Duration.millis(300) }

  it("takes no memory, and goes on with its history, its artifacts and its agent's session", async () => {
    const service = await start({ sandbox })
    const task = await service.task()
    const one = await Client.loaded(task)
    await one.prompt("echo first\nwrite artifacts/note.txt a note")
    const asked = await one.askPrompt("ask May I?\necho second")
    await one.answer(await one.message(isPermission), { outcome: "selected", optionId: "yes" })
    await one.answerTo(asked)
    const artifacts = await artifactsOf(task)
    await leave(one)
    await loaded(0)

    // Lists and files are read as before.
    assert.deepStrictEqual(await artifactsOf(task), artifacts)
    await loaded(0)
    const two = await Client.loaded(task)
    assert.deepStrictEqual(told(two), told(one))
    assert.strictEqual(await service.status(task.taskId), "completed")
    assert.strictEqual((await two.prompt("echo third\nwrite artifacts/next.txt x")).result?.stopReason, "end_turn")
    assert.match(two.text, /^firstanswer .*secondthird$/)
    assert.lengthOf(await artifactsOf(task), 2)
    await leave(two)
    await loaded(0)
  })

  it("has a history of few entries, which tells the same to clients and goes on", async () => {
    const service = await start({ sandbox })
    const one = await Client.loaded(await service.task())
    const { taskId } = one.task
    const rows = () => service.rows(`SELECT seq, params FROM sandbox_journal WHERE task_id = '${taskId}' ORDER BY seq`)
    await one.prompt(`count 2000 0\n${update({ sessionUpdate: "tool_call", toolCallId: "t", title: "Look" })}`)
    const text = one.text
    const last = (await rows()).at(-1)
    assert.isAbove((await rows()).length, 2000)
    await leave(one)
    await loaded(0)
    // A client that comes meanwhile waits for the end of it.
    const two = await Client.loaded(one.task)
    assert.isBelow((await rows()).length, 20)
    assert.deepStrictEqual((await rows()).at(-1), last)
    assert.strictEqual(two.text, text)
    assert.deepStrictEqual(told(two), told(one))
    await two.prompt("echo next")
    assert.strictEqual((await rows()).at(-1)?.["seq"], Number(last?.["seq"]) + 2)
    await leave(two)
    await loaded(0)
    assert.strictEqual((await Client.loaded(one.task)).text, `${text}next`)
  })

  it("keeps the mode that was chosen", async () => {
    const service = await start({ sandbox, agentCommand: [process.execPath, choosingAgent, "modes", "forgets"] })
    const one = await Client.loaded(await service.task())
    await one.request("session/set_mode", { sessionId: one.task.taskId, modeId: "plan" })
    await leave(one)
    await loaded(0)
    const two = await Client.loaded(one.task)
    assert.strictEqual((await two.load()).result?.modes.currentModeId, "plan")
    await two.prompt("state")
    assert.strictEqual(JSON.parse(two.text).mode, "plan")
  })

  it("keeps the prompt that is held until a client comes", async () => {
    const service = await start({ sandbox })
    const task = await service.task({ prompt: "echo held" })
    await loaded(0)
    assert.strictEqual(await service.status(task.taskId), "idle")
    const client = await Client.loaded(task)
    await client.prompt("echo held")
    assert.strictEqual(client.text, "held")
  })

  it("keeps its clients, which go on without a gap or a repeat", async () => {
    const service = await start({ sandbox: { ...sandbox, heartbeat: Duration.millis(100) } })
    const one = await Client.loaded(await service.task())
    const two = await Client.loaded(one.task)
    await one.prompt("echo begun\nwrite artifacts/note.txt a note")
    const id = Number(two.lastEventId)
    await loaded(0)
    const beats = two.comments.length
    await two.until(() => two.comments.length > beats + 2, "the heartbeat")
    assert.isFalse(one.ended)

    await one.prompt("echo , still here\nwrite artifacts/next.txt x")
    await two.until(() => two.text === "begun, still here", "the turn of the other client")
    assert.strictEqual(one.text, two.text)
    assert.isAbove(Number(two.lastEventId), id)
    const rows = await service.rows(
      `SELECT COUNT(*) AS count FROM sandbox_journal WHERE task_id = '${one.task.taskId}' AND method = 'session/update'`
    )
    const late = await Client.loaded(one.task)
    assert.deepStrictEqual(told(late), told(one))
    assert.lengthOf(late.updates, Number(rows[0]?.["count"]))
    assert.lengthOf(await artifactsOf(one.task), 2)
  })

  it("is loaded by a resumed client only when that has something to say", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    await client.prompt("echo begun")
    client.cut()
    await loaded(0)
    const response = await client.connect({ "acp-connection-id": client.id, "last-event-id": client.lastEventId })
    assert.strictEqual(response.headers.get("acp-connection-id"), client.id)
    assert.strictEqual(sandboxesLoaded(), 0)
    await client.prompt("echo , resumed")
    assert.strictEqual(client.text, "begun, resumed")
  })

  it("gets the messages that come while it is loaded again in their order", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    for (let round = 0; round < 3; round++) {
      await loaded(0)
      const asked: Array<number> = []
      for (let number = 0; number < 5; number++) asked.push(await client.askPrompt(`echo ${round}${number} `))
      for (const id of asked) await client.answerTo(id)
    }
    assert.strictEqual(client.text, "00 01 02 03 04 10 11 12 13 14 20 21 22 23 24 ")
  })

  it("closes its clients when it was archived, and forgets those that left", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    const left = await Client.loaded(await service.task())
    await loaded(0)
    await leave(left)
    await left.until(() => left.ended, "the end of the stream")
    assert.isTrue(await service.administer(client.task.taskId, "archived"))
    await client.until(() => client.ended, "the end of the stream")
    assert.strictEqual((await client.post({ jsonrpc: "2.0", id: 9, method: "session/list" })).status, 404)
    await loaded(0)
  })

  it("is not loaded by a message that was complete only after its connection had closed", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    await loaded(0)
    const { finish, response } = postSlowly(client)
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.isTrue(await service.administer(client.task.taskId, "archived"))
    await client.until(() => client.ended, "the end of the stream")
    finish()
    assert.strictEqual((await response).statusCode, 409)
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.strictEqual(sandboxesLoaded(), 0)
  })

  it("closes its clients when it cannot be loaded again", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    await loaded(0)
    rmSync(client.task.folder, { recursive: true })
    writeFileSync(client.task.folder, "in the way")
    await client.askPrompt("echo lost")
    await client.until(() => client.ended, "the end of the stream")
    rmSync(client.task.folder)
    const next = await Client.loaded(client.task)
    await next.prompt("echo again")
    assert.strictEqual(next.text, "again")
  })

  it("stays loaded while a person is asked", async () => {
    const service = await start({ sandbox })
    const client = await Client.loaded(await service.task())
    const asked = await client.askPrompt("ask May I?\necho done")
    const request = await client.message(isPermission)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    assert.strictEqual(sandboxesLoaded(), 1)
    await client.answer(request, { outcome: "selected", optionId: "yes" })
    assert.strictEqual((await client.answerTo(asked)).result?.stopReason, "end_turn")
  })

  it("stays loaded for the MCP servers that a connected client named", async () => {
    const service = await start({ sandbox: { ...sandbox, clientMcpServers: true } })
    const client = await Client.open(await service.task())
    await client.initialize()
    const mcpServers = [{ name: "one", command: "one", args: [], env: [] }]
    await client.request("session/load", { sessionId: client.task.taskId, cwd: "/", mcpServers })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    assert.strictEqual(sandboxesLoaded(), 1)
    await leave(client)
    await loaded(0)
  })

  it("is left alone while its agent works without a client, and has what it says after its turn", async () => {
    const service = await start({ sandbox: { ...sandbox, agentIdle: Duration.seconds(2) } })
    const slow = await service.task({ prompt: "wait 1500\necho slow", hold: false })
    const client = await Client.loaded(await service.task())
    await client.prompt("echo done\nlater 1200 echo , late")
    await leave(client)
    await loaded(0)
    assert.strictEqual((await Client.loaded(client.task)).text, "done, late")
    assert.strictEqual((await Client.loaded(slow)).text, "slow")
  })

  it("has the last words of an agent that crashed after its turn, also those that may begin a path", async () => {
    const service = await start({ sandbox: { ...sandbox, agentIdle: Duration.seconds(20) } })
    const client = await Client.loaded(await service.task())
    await client.prompt("echo done\nlater 300 echo  in /\nlater 500 crash")
    await loaded(0)
    assert.strictEqual(client.text, "done in /")
    assert.strictEqual((await Client.loaded(client.task)).text, "done in /")
  })

  it("is loaded once for the clients that come together, also while it is unloaded", async () => {
    const service = await start({ sandbox: { agentIdle: Duration.zero, sandboxIdle: Duration.zero } })
    const task = await service.task()
    for (let round = 1; round <= 4; round++) {
      if (round % 2 === 0) await loaded(0)
      const clients = await Promise.all(Array.from({ length: 4 }, () => Client.loaded(task)))
      await clients[0]!.prompt(`echo ${round} `)
      for (const client of clients) await leave(client)
    }
    assert.strictEqual((await Client.loaded(task)).text, "1 2 3 4 ")
  })
})

/** Ends a connection, so that it is not kept to be resumed. */
const leave = async ({ id, task }: Client) => {
  const headers = { authorization: `Bearer ${task.token}`, "acp-connection-id": id }
  await fetch(task.link, { method: "DELETE", headers })
}

/** Posts a message, and holds its end back. */
const postSlowly = ({ id, task }: Client) => {
  const headers = {
    authorization: `Bearer ${task.token}`,
    "acp-connection-id": id,
    "content-type": "application/json"
  }
  const request = Http.request(task.link, { method: "POST", headers })
  const response = new Promise<Http.IncomingMessage>((resolve, reject) => {
    request.once("response", (response) => resolve(response.resume()))
    request.once("error", reject)
  })
  request.write('{"jsonrpc":"2.0","id":90,')
  return { finish: () => request.end('"method":"session/list"}'), response }
}

/** The artifacts of a task, without the times and signatures of their addresses. */
const artifactsOf = async (task: Task): Promise<ReadonlyArray<Loose>> =>
  (await list(task)).artifacts.map(({ url, ...artifact }: Loose) => ({ ...artifact, path: new URL(url).pathname }))

/** The session as a client shows it, and the other notifications. */
const told = ({ messages }: Client) => {
  const folding = SessionFold.make(SessionState.empty)
  for (const { method, params } of messages) {
    const update = method === "session/update" ? Update.decode(params)?.update : undefined
    if (update !== undefined) folding.apply(update)
  }
  const others = messages.filter(({ id, method }) => id === undefined && method !== "session/update")
  return { session: folding.state(), others }
}

/** Waits until this many sandboxes are in memory. */
const loaded = async (count: number) => {
  while (sandboxesLoaded() !== count) await new Promise((resolve) => setTimeout(resolve, 20))
}

const sandboxesLoaded = () => {
  const gauge = Effect.runSync(Metric.snapshot).find(({ metricKey }) => metricKey.name === "sandboxes_loaded")
  return (gauge?.metricState as { readonly value?: number } | undefined)?.value ?? 0
}
