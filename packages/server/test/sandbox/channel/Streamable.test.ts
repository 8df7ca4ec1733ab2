import { client, type SessionNotification } from "@agentclientprotocol/sdk"
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client"
import { assert, describe, it } from "@effect/vitest"
import { createParser } from "eventsource-parser"
import { afterAll, beforeAll } from "vitest"
import { Client, isPermission, saysText, type Loose, type Message } from "../support/client.ts"
import { start, type Started, type Task } from "../support/service.ts"

describe("the official SDK's HTTP client", () => {
  let service: Started
  beforeAll(async () => {
    service = await start({})
  })
  afterAll(() => service.stop())

  /** The official client on a task's channel, with the updates it received and its answers to permission requests. */
  const connect = (task: Task, decide: (request: Loose) => Loose = () => ({ outcome: { outcome: "cancelled" } })) => {
    const updates: Array<SessionNotification> = []
    const asked: Array<Loose> = []
    const app = client({ name: "test" })
      .onNotification("session/update", ({ params }) => void updates.push(params))
      .onRequest("session/request_permission", ({ params }) => {
        asked.push(params)
        return decide(params)
      })
    let deleted = Promise.resolve<Response | undefined>(undefined)
    const stream = createHttpStream(task.link, {
      headers: { authorization: `Bearer ${task.token}` },
      fetch: (input, init) => {
        const response = fetch(input, init)
        if (init?.method === "DELETE") deleted = response
        return response
      }
    })
    const connection = app.connect(stream)
    const agent = connection.agent
    const text = () =>
      updates
        .map(({ update }: Loose) => (update.sessionUpdate === "agent_message_chunk" ? update.content.text : ""))
        .join("")
    return {
      agent,
      updates,
      asked,
      text,
      /** Closes the connection; gives the status that the service answers it with. */
      close: async () => {
        connection.close()
        await connection.closed
        return (await deleted)?.status
      },
      cancel: () => agent.notify("session/cancel", { sessionId: task.taskId }),
      initialize: () => agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} }),
      load: () => agent.request("session/load", { sessionId: task.taskId, cwd: "/", mcpServers: [] }),
      prompt: (text: string) =>
        agent.request("session/prompt", { sessionId: task.taskId, prompt: [{ type: "text", text }] })
    }
  }

  it("initializes, loads, prompts and receives everything in order", async () => {
    const task = await service.task()
    const sdk = connect(task)
    const { agentCapabilities, protocolVersion } = await sdk.initialize()
    assert.strictEqual(protocolVersion, 1)
    assert.isTrue(agentCapabilities?.loadSession)
    assert.deepStrictEqual((await sdk.load())?.modes?.currentModeId, "code")
    assert.deepStrictEqual(await sdk.prompt("count 200 0"), { stopReason: "end_turn" })
    const { sessions } = await sdk.agent.request("session/list", {})
    assert.deepStrictEqual(
      sessions.map(({ sessionId }) => sessionId),
      [task.taskId]
    )
    const single = await Client.loaded(task)
    const all = Array.from({ length: 200 }, (_, n) => `${n + 1} `).join("")
    assert.strictEqual(sdk.text(), all)
    assert.strictEqual(single.text, all)
    await single.prompt("echo from elsewhere")
    assert.deepStrictEqual(await sdk.prompt("echo !"), { stopReason: "end_turn" })
    assert.strictEqual(sdk.text(), `${all}from elsewhere!`)
    assert.strictEqual(await sdk.close(), 202)
  })

  it("gets this task's session when it asks for a new one, and the history when it loads later", async () => {
    const task = await service.task({ prompt: "echo before", hold: false })
    const first = await Client.loaded(task)
    await first.until(() => first.text === "before")
    const sdk = connect(task)
    await sdk.initialize()
    const created = await sdk.agent.request("session/new", { cwd: "/", mcpServers: [] })
    assert.strictEqual(created.sessionId, task.taskId)
    await sdk.prompt("echo after")
    assert.strictEqual(sdk.text(), "after")
    await sdk.load()
    assert.strictEqual(sdk.text(), "afterbeforeafter")
    await sdk.close()
  })

  it("answers permission requests, late ones too, and cancels a turn", async () => {
    const task = await service.task()
    const one = connect(task, ({ options }) => ({ outcome: { outcome: "selected", optionId: options[0].optionId } }))
    await one.initialize()
    await one.load()
    await one.prompt("ask May I?")
    assert.strictEqual(one.text(), 'answer {"outcome":"selected","optionId":"yes"}')
    assert.strictEqual(one.asked[0].sessionId, task.taskId)
    await one.close()

    const single = await Client.loaded(task)
    const turn = await single.askPrompt("ask And now?")
    await single.message(isPermission)
    const two = connect(task, () => ({ outcome: { outcome: "selected", optionId: "no" } }))
    await two.initialize()
    await two.load()
    await single.answerTo(turn)
    assert.isTrue(single.text.endsWith('answer {"outcome":"selected","optionId":"no"}'))
    const running = two.prompt("count 1000 5")
    await single.message(saysText("3 "))
    await two.cancel()
    assert.deepStrictEqual(await running, { stopReason: "cancelled" })
    await two.close()
  })

  it("gets an error for an unknown session without losing its connection", async () => {
    const task = await service.task()
    const sdk = connect(task)
    await sdk.initialize()
    const error = await sdk.agent
      .request("session/load", { sessionId: "another", cwd: "/", mcpServers: [] })
      .then(undefined, (error: Loose) => error)
    assert.strictEqual(error.data.status, 409)
    await sdk.load()
    assert.deepStrictEqual(await sdk.prompt("echo still here"), { stopReason: "end_turn" })
    assert.strictEqual(await sdk.close(), 202)
  })
})

describe("streamable HTTP", () => {
  let service: Started
  beforeAll(async () => {
    service = await start({})
  })
  afterAll(() => service.stop())

  const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }

  const speak = (task: Task) => {
    const ask = (method: string, headers: Record<string, string> = {}, body?: unknown) =>
      fetch(task.link, {
        method,
        headers: {
          authorization: `Bearer ${task.token}`,
          accept: "application/json, text/event-stream",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    const open = async () => {
      const response = await ask("POST", {}, initialize)
      return { response, id: response.headers.get("acp-connection-id") ?? "" }
    }
    return { ask, open }
  }

  /** Reads a stream until a message fits; gives all up to it, with their event ids. */
  const readUntil = async (response: Response, fits: (message: Message) => boolean) => {
    const events: Array<{ id: string | undefined; message: Message }> = []
    const parser = createParser({ onEvent: ({ data, id }) => events.push({ id, message: JSON.parse(data) }) })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const at = events.findIndex(({ message }) => fits(message))
      if (at >= 0) {
        await reader.cancel()
        return events.slice(0, at + 1)
      }
      const { done, value } = await reader.read()
      if (done) throw new Error(`the stream ended before: ${JSON.stringify(events.slice(-3))}`)
      parser.feed(value)
    }
  }

  it("follows the protocol's rules of connections, sessions and streams", async () => {
    const task = await service.task()
    const { ask, open } = speak(task)
    const { id, response } = await open()
    assert.strictEqual(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    const answer = (await response.json()) as Message
    assert.strictEqual(answer.id, 0)
    assert.strictEqual(answer.result.agentCapabilities.loadSession, true)
    const at = { "acp-connection-id": id }
    const session = { ...at, "acp-session-id": task.taskId }
    const load = { jsonrpc: "2.0", id: 1, method: "session/load", params: { sessionId: task.taskId } }
    const reading = await ask("GET", at)
    assert.strictEqual(reading.status, 200)
    const cases: ReadonlyArray<readonly [number, Response]> = [
      [400, await ask("POST", {}, load)],
      [400, await ask("POST", {}, { ...initialize, id: null })],
      [400, await ask("POST", at, initialize)],
      [400, await ask("POST", at, load)],
      [400, await ask("POST", { ...at, "acp-session-id": "another" }, load)],
      [400, await ask("POST", at, [load])],
      [400, await ask("GET", { "acp-session-id": task.taskId })],
      [400, await ask("DELETE")],
      [404, await ask("POST", { ...session, "acp-connection-id": "s-unknown" }, load)],
      [404, await ask("GET", { "acp-connection-id": "s-unknown" })],
      [404, await ask("DELETE", { "acp-connection-id": "s-unknown" })],
      [409, await ask("GET", { ...at, "acp-session-id": "another" })],
      [409, await ask("GET", at)],
      [404, await speak(await service.task()).ask("GET", at)],
      [202, await ask("POST", session, load)],
      [202, await ask("DELETE", at)]
    ]
    for (const [status, response] of cases) {
      const text = await response.text()
      assert.strictEqual(response.status, status, text)
      if (status !== 202) assert.isString((JSON.parse(text) as { msg: string }).msg)
    }
    assert.include(await reading.text(), ": ok")
    assert.strictEqual((await ask("POST", session, load)).status, 404)
  })

  it("answers requests without a session on the connection's stream, and a load after its replay", async () => {
    const task = await service.task({ prompt: "count 50 0", hold: false })
    const { ask, open } = speak(task)
    const { id } = await open()
    const at = { "acp-connection-id": id }
    const session = { ...at, "acp-session-id": task.taskId }
    await ask("POST", at, { jsonrpc: "2.0", id: 1, method: "session/list", params: {} })
    await ask("POST", at, { jsonrpc: "2.0", id: 2, method: "nothing/like/that" })
    const aside = await readUntil(await ask("GET", at), ({ id }) => id === 2)
    assert.deepStrictEqual(
      aside.map(({ message }) => message.id),
      [1, 2]
    )
    assert.strictEqual(aside[1]?.message.error.code, -32601)
    const first = await Client.loaded(task)
    await first.message(saysText("50 "))
    await ask("POST", session, { jsonrpc: "2.0", id: 3, method: "session/load", params: { sessionId: task.taskId } })
    const replayed = await readUntil(await ask("GET", session), ({ id }) => id === 3)
    assert.isAbove(replayed.length, 51)
    await ask("DELETE", at)
  })

  it("does not resume after an incomplete event", async () => {
    const { ask, open } = speak(await service.task())
    const { id } = await open()
    const of = { "acp-connection-id": id }
    for (const n of [1, 2, 3]) await ask("POST", of, { jsonrpc: "2.0", id: n, method: "session/list" })
    assert.strictEqual((await ask("GET", { ...of, "last-event-id": "0.5" })).status, 404)
    assert.strictEqual((await ask("GET", of)).status, 404)
  })

  it("resumes a session's stream, with and without Last-Event-ID", async () => {
    const task = await service.task()
    const { ask, open } = speak(task)
    const { id } = await open()
    const session = { "acp-connection-id": id, "acp-session-id": task.taskId }
    const at = await ask("GET", { "acp-connection-id": id })
    const prompt = [{ type: "text", text: "count 120 3" }]
    const body = { jsonrpc: "2.0", id: "p", method: "session/prompt", params: { sessionId: task.taskId, prompt } }
    assert.strictEqual((await ask("POST", session, body)).status, 202)
    const seen: Array<Message> = []
    const take = async (text: string, last?: string) => {
      for (;;) {
        const stream = await ask("GET", { ...session, ...(last === undefined ? {} : { "last-event-id": last }) })
        // The service notices the end of the stream before a moment later.
        if (stream.status !== 409) {
          assert.strictEqual(stream.status, 200)
          const events = await readUntil(stream, (message) => saysText(text)(message) || message.id === text)
          seen.push(...events.map(({ message }) => message))
          return events.at(-1)?.id
        }
        await stream.text()
      }
    }
    const left = await take("20 ")
    const again = await take("60 ", left)
    // The same request once more, as after a lost answer: it is not executed again.
    assert.strictEqual((await ask("POST", session, body)).status, 202)
    await take("p", again)
    const said = seen.flatMap(({ params }) =>
      params?.update?.sessionUpdate === "agent_message_chunk" ? [params.update.content.text] : []
    )
    assert.deepStrictEqual(
      said,
      Array.from({ length: 120 }, (_, n) => `${n + 1} `)
    )
    const turns = await service.rows(`SELECT COUNT(*) AS n FROM sandbox_turns WHERE task_id = '${task.taskId}'`)
    assert.strictEqual(Number(turns[0]?.["n"]), 1)
    // A reader without Last-Event-ID continues with the updates that no reader received yet.
    await ask("POST", session, {
      ...body,
      id: "q",
      params: { ...body.params, prompt: [{ type: "text", text: "echo on" }] }
    })
    const fresh = await take("q")
    assert.isDefined(fresh)
    assert.lengthOf(seen.filter(saysText("1 ")), 1)
    await ask("DELETE", session)
    assert.include(await at.text(), ": ok")
  })
})
