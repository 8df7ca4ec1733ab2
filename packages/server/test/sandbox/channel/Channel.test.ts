import { assert, describe, it } from "@effect/vitest"
import { Client, isPermission, saysText } from "../support/client.ts"
import type { Task } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

describe("the ACP channel", () => {
  const { opened, service } = serviceOfSuite()
  /** Two connections to one task; the first has loaded the session. */
  const openedTwice = async () => {
    const one = await opened()
    return [one, await Client.open(one.task)] as const
  }

  it("opens, initializes, loads an empty history and runs a turn", async () => {
    const task = await service().task()
    const client = new Client(task)
    const response = await client.connect()
    assert.strictEqual(response.headers.get("content-type"), "text/event-stream; charset=utf-8")
    assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
    assert.include(response.headers.get("cache-control") ?? "", "no-transform")
    await client.until(() => client.comments.includes("ok"), "the first comment")
    const { result } = await client.initialize()
    assert.strictEqual(result.protocolVersion, 1)
    assert.strictEqual(result.agentCapabilities.loadSession, true)
    assert.strictEqual(result.agentCapabilities.promptCapabilities.embeddedContext, true)
    assert.strictEqual(result.agentCapabilities.promptCapabilities.image, true)
    assert.strictEqual(await service().status(task.taskId), "idle")
    const loaded = await client.load()
    assert.deepStrictEqual(loaded.result.modes.currentModeId, "code")
    assert.isFalse(client.updates.some((update) => update.includes("message_chunk")))
    const { result: end } = await client.prompt("echo hello")
    assert.deepStrictEqual(end, { stopReason: "end_turn" })
    assert.strictEqual(client.text, "hello")
    const kinds = client.messages
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => [params.sessionId, params.update.sessionUpdate])
    assert.deepStrictEqual(kinds.slice(-2), [
      [task.taskId, "user_message_chunk"],
      [task.taskId, "agent_message_chunk"]
    ])
    assert.strictEqual(client.messages.at(-1)?.result?.stopReason, "end_turn")
    assert.strictEqual(await service().status(task.taskId), "completed")
  })

  it("runs the initial prompt without a client and shows it to later clients", async () => {
    const task = await service().task({ prompt: "echo first", hold: false })
    const client = await Client.loaded(task)
    await client.message(saysText("first"))
    assert.strictEqual(
      client.messages.filter(({ params }) => params?.update?.sessionUpdate === "user_message_chunk").length,
      1
    )
  })

  it("gives two connections the same stream in the same order", async () => {
    const one = await opened()
    const two = await Client.loaded(one.task)
    const from = [one.updates.length, two.updates.length]
    await one.prompt("count 300 0")
    await two.until(() => two.updates.length === from[1]! + 301)
    assert.deepStrictEqual(two.updates.slice(from[1]), one.updates.slice(from[0]))
  })

  it("replays during a turn without gaps or repeats", async () => {
    const one = await opened()
    const turn = one.askPrompt("count 400 1")
    await one.message(saysText("40 "))
    const late = await Promise.all(
      [0, 50, 100].map(async (pause) => {
        await new Promise((resolve) => setTimeout(resolve, pause))
        const client = await Client.open(one.task)
        await client.initialize()
        await client.load()
        return client
      })
    )
    await one.answerTo(await turn)
    const rows = await service().rows(
      `SELECT params FROM sandbox_journal WHERE task_id = '${one.task.taskId}' AND method = 'session/update' ORDER BY seq`
    )
    const journal = rows.map(({ params }) => String(params))
    for (const client of late) {
      await client.until(() => client.updates.length >= journal.length)
      assert.deepStrictEqual(client.updates, journal)
    }
    assert.isAbove(journal.length, 400)
  })

  it("queues prompts and answers each to its sender", async () => {
    const [one, two] = await openedTwice()
    const first = await one.askPrompt("count 5 10")
    const second = await two.askPrompt("echo after")
    await two.answerTo(second)
    await one.answerTo(first)
    assert.lengthOf(
      one.messages.filter(({ result }) => result?.stopReason !== undefined),
      1
    )
    await one.message(saysText("after"))
    assert.isTrue(one.text.endsWith("5 after"))
  })

  it("does not wait for an answer when no connected client can ask", async () => {
    const [one, two] = await openedTwice()
    await two.load()
    const refuse = (client: Client, id: unknown) =>
      client.post({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })

    const turn = await one.askPrompt("ask May I?")
    await refuse(one, (await one.message(isPermission)).id)
    // One of two has refused: the other one may still answer, and who refused is not asked again.
    await one.load()
    const asked = await two.message(isPermission)
    assert.strictEqual(await service().status(one.task.taskId), "pending")
    assert.lengthOf(one.messages.filter(isPermission), 1)
    await two.answer(asked, { outcome: "selected", optionId: "yes" })
    await one.answerTo(turn)
    assert.include(two.text, 'answer {"outcome":"selected","optionId":"yes"}')

    const before = [one, two].map((client) => client.messages.length)
    const again = await one.askPrompt("ask And now?")
    for (const [n, client] of [one, two].entries()) {
      await client.until(() => client.messages.slice(before[n]).some(isPermission), "the question")
      await refuse(client, client.messages.slice(before[n]).find(isPermission)?.id)
    }
    await one.answerTo(again)
    assert.include(one.text, 'answer {"outcome":"selected","optionId":"no"}')
    assert.include(one.text, "No connected application could show the question")
    assert.strictEqual(await service().status(one.task.taskId), "completed")
  })

  it("asks every client, takes the first valid answer and withdraws the other requests", async () => {
    const [one, two] = await openedTwice()
    await two.load()
    const turn = await one.askPrompt("ask May I?")
    const asked = await one.message(isPermission)
    await two.message(isPermission)
    assert.strictEqual(asked.params.sessionId, one.task.taskId)
    assert.strictEqual(await service().status(one.task.taskId), "pending")
    const late = await Client.open(one.task)
    await late.load()
    const askedLate = await late.message(isPermission)
    // What is asked about stands in the history, as those saw it who were there.
    assert.isTrue(late.updates.some((update) => update.includes('"toolCallId":"call-1"')))
    await one.answer(asked, { outcome: "selected", optionId: "everything" })
    await late.answer(askedLate, { outcome: "selected", optionId: "yes", answers: { q_0: "Red" } })
    await one.answerTo(turn)
    const withdrawn = await one.message(({ method }) => method === "$/cancel_request")
    assert.strictEqual(withdrawn.params.requestId, asked.id)
    await two.message(({ method }) => method === "$/cancel_request")
    assert.isFalse(late.messages.some(({ method }) => method === "$/cancel_request"))
    assert.include(one.text, '"optionId":"yes","answers":{"q_0":"Red"}')
    assert.strictEqual(await service().status(one.task.taskId), "completed")
  })

  it("withdraws a request that the agent withdraws", async () => {
    const one = await opened()
    const turn = await one.askPrompt("askBriefly")
    const asked = await one.message(isPermission)
    const withdrawn = await one.message(({ method }) => method === "$/cancel_request")
    assert.strictEqual(withdrawn.params.requestId, asked.id)
    await one.answerTo(turn)
    assert.include(one.text, "withdrawn -32800")
  })

  it("cancels the turn, its requests and queued prompts from any connection", async () => {
    const [one, two] = await openedTwice()
    const first = await one.askPrompt("ask May I?\necho more")
    const second = await two.askPrompt("echo never")
    await one.message(isPermission)
    await two.notify("session/cancel", { sessionId: one.task.taskId })
    assert.strictEqual((await one.answerTo(first)).result.stopReason, "cancelled")
    assert.strictEqual((await two.answerTo(second)).result.stopReason, "cancelled")
    assert.include(one.text, 'answer {"outcome":"cancelled"}')
    assert.notInclude(one.text, "never")
  })

  it("drops a queued prompt and cancels a running one that its sender withdraws", async () => {
    const one = await opened()
    const first = await one.askPrompt("count 500 5")
    const second = await one.askPrompt("echo never")
    await one.message(saysText("3 "))
    await one.notify("$/cancel_request", { requestId: second })
    assert.strictEqual((await one.answerTo(second)).error.code, -32800)
    await one.notify("$/cancel_request", { requestId: first })
    assert.strictEqual((await one.answerTo(first)).result.stopReason, "cancelled")
    assert.notInclude(one.text, "never")
  })

  it("refuses unknown methods and other sessions", async () => {
    const one = await opened()
    const refusals = await Promise.all([
      one.request("terminal/create", { sessionId: one.task.taskId }),
      one.request("session/load", { sessionId: "another", cwd: "/", mcpServers: [] }),
      one.request("session/prompt", { sessionId: one.task.taskId, prompt: "text" }),
      one.request("session/prompt", {
        sessionId: one.task.taskId,
        prompt: [{ type: "image", data: "", mimeType: "image/png" }]
      }),
      one.request("initialize", {})
    ])
    assert.deepStrictEqual(
      refusals.map(({ error }) => error.code),
      [-32601, -32002, -32602, -32602, -32602]
    )
    assert.include(refusals[3]?.error.message, '"image"')
    await one.prompt("unknown")
    assert.include(one.text, "unknown -32601")
  })

  it("echoes request ids of any kind exactly", async () => {
    const one = await opened()
    const raws = [
      "0",
      '"0"',
      "null",
      '""',
      "-7",
      "9007199254740993",
      "18446744073709551615",
      "1.50",
      '"9007199254740993"'
    ]
    const heard = await Promise.all(raws.map((raw) => rawAnswer(one.task, raw)))
    assert.deepStrictEqual(heard, raws)
  })

  it("ignores unknown notifications, and cancels a request that the agent handles", async () => {
    const one = await opened()
    assert.strictEqual((await one.notify("nobody/knows", { sessionId: one.task.taskId })).status, 202)
    const big = "9007199254740993"
    const setting = { sessionId: one.task.taskId, configId: "c", value: "v" }
    const params = JSON.stringify(setting)
    await one.post(`{"jsonrpc":"2.0","id":${big},"method":"session/set_config_option","params":${params}}`)
    await one.post('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9007199254740992}}')
    await one.post(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${big}}}`)
    const { error } = await one.message(({ error }) => error !== undefined)
    assert.strictEqual(error.code, -32800)
    assert.strictEqual((await one.prompt("echo on")).result.stopReason, "end_turn")
  })

  it("executes a repeated request once", async () => {
    const one = await opened()
    const body = {
      jsonrpc: "2.0",
      id: "same",
      method: "session/prompt",
      params: { sessionId: one.task.taskId, prompt: [{ type: "text", text: "echo once" }] }
    }
    const answers = await Promise.all([one.post(body), one.post(body), one.post(body)])
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      [202, 202, 202]
    )
    await one.message(({ id, result }) => id === "same" && result !== undefined)
    await one.prompt("echo then")
    assert.strictEqual(one.text, "oncethen")
  })

  it("resumes a broken stream exactly, by connection id and last event id", async () => {
    const one = await opened()
    const turn = await one.askPrompt("count 200 2")
    for (const at of ["20 ", "60 ", "110 "]) {
      await one.message(saysText(at))
      one.cut()
      const id = one.id
      const response = await one.connect({ "acp-connection-id": id, "last-event-id": one.lastEventId })
      assert.strictEqual(response.headers.get("acp-connection-id"), id)
    }
    await one.answerTo(turn)
    assert.strictEqual(one.text, Array.from({ length: 200 }, (_, n) => `${n + 1} `).join(""))
    for (const last of ["99999", "0.5", "1e1", "0x1", "-0", "none"]) {
      const again = await opened()
      const fresh = await new Client(again.task).connect({ "acp-connection-id": again.id, "last-event-id": last })
      assert.strictEqual(fresh.status, 200)
      assert.notStrictEqual(fresh.headers.get("acp-connection-id"), again.id, last)
    }
  })

  it("continues a turn after its sender has disconnected", async () => {
    const one = await opened()
    await one.askPrompt("count 20 10\necho done")
    await one.message(saysText("3 "))
    const closed = await fetch(one.task.link, {
      method: "DELETE",
      headers: { authorization: `Bearer ${one.task.token}`, "acp-connection-id": one.id }
    })
    assert.strictEqual(closed.status, 202)
    await one.until(() => one.ended)
    const two = await Client.open(one.task)
    await two.load()
    await two.message(saysText("done"))
    const turns = async () =>
      service().rows(`SELECT stop_reason FROM sandbox_turns WHERE task_id = '${one.task.taskId}'`)
    while ((await turns())[0]?.["stop_reason"] === null) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.strictEqual(await service().status(one.task.taskId), "completed")
  })

  it("refuses invalid requests with a description", async () => {
    const one = await opened()
    const other = await service().task()
    const bearer = { authorization: `Bearer ${one.task.token}` }
    const get = (headers: Record<string, string>) => fetch(one.task.link, { headers })
    const cases: ReadonlyArray<readonly [number, Response]> = [
      [401, await get({})],
      [401, await get({ authorization: "Bearer nonsense" })],
      [401, await get({ authorization: `Bearer ${other.token}` })],
      [401, await get({ authorization: `Basic ${one.task.token}` })],
      [406, await get({ ...bearer, accept: "application/json" })],
      [400, await one.post({ jsonrpc: "2.0", method: "x" }, { "acp-connection-id": "" })],
      [409, await one.post({ jsonrpc: "2.0", method: "x" }, { "acp-connection-id": "unknown" })],
      [400, await one.post([{ jsonrpc: "2.0", method: "x" }])],
      [400, await one.post("{")],
      [400, await one.post("7")],
      [415, await one.post({}, { "content-type": "text/plain" })],
      [413, await one.post(`"${"x".repeat(17 * 1024 * 1024)}"`)]
    ]
    for (const [status, response] of cases) {
      const body = (await response.json()) as { code?: number; msg: string }
      assert.strictEqual(response.status, status, JSON.stringify(body))
      assert.strictEqual(body.code, status === 401 ? undefined : 1)
      assert.isString(body.msg)
      if (status === 401) assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/)
    }
    const stolen = new Client(other)
    await stolen.connect()
    const foreign = await stolen.post({ jsonrpc: "2.0", method: "x" }, { "acp-connection-id": one.id })
    assert.strictEqual(foreign.status, 409)
  })

  it("carries a 10 MB attachment and keeps only its name and size", async () => {
    const one = await opened()
    const blob = Buffer.alloc(10_000_000, 7).toString("base64")
    const { result } = await one.request("session/prompt", {
      sessionId: one.task.taskId,
      prompt: [
        { type: "text", text: "sizes" },
        { type: "resource", resource: { uri: "file:///big%20file.bin", mimeType: "application/octet-stream", blob } }
      ]
    })
    assert.strictEqual(result.stopReason, "end_turn")
    assert.include(one.text, "file 10000000 10000000")
    const link = one.messages.find(({ params }) => params?.update?.content?.type === "resource_link")
    assert.deepStrictEqual(link?.params.update.content, {
      type: "resource_link",
      uri: "file:///big%20file.bin",
      name: "big file.bin",
      mimeType: "application/octet-stream",
      size: 10_000_000
    })
  })

  it("forwards large messages and drops invalid ones and those of other sessions", async () => {
    const one = await opened()
    await one.prompt("raw not json\nforeign\nbig 9000000\necho end")
    assert.strictEqual(one.text.length, 9_000_003)
  })

  it("forwards a mode change and answers a later load with it", async () => {
    const one = await opened()
    const { result } = await one.request("session/set_mode", { sessionId: one.task.taskId, modeId: "ask" })
    assert.deepStrictEqual(result, {})
    const again = await one.load()
    assert.strictEqual(again.result.modes.currentModeId, "ask")
  })
})

/** Asks for the session's mode under an id, and gives the id of the answer as it is written. */
const rawAnswer = async (task: Task, id: string): Promise<string | undefined> => {
  const headers = { authorization: `Bearer ${task.token}` }
  const end = new AbortController()
  const stream = await fetch(task.link, { headers: { ...headers, accept: "text/event-stream" }, signal: end.signal })
  const connection = { "acp-connection-id": stream.headers.get("acp-connection-id")! }
  await fetch(task.link, {
    method: "POST",
    headers: { ...headers, ...connection, "content-type": "application/json" },
    body: `{"jsonrpc":"2.0","id":${id},"method":"session/list"}`
  })
  let text = ""
  for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    const found = /"id":(.*),"result":/.exec(text)
    if (found !== null) {
      end.abort()
      return found[1]
    }
  }
  return undefined
}
