import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Http from "node:http"
import { afterAll } from "vitest"
import { Client } from "../support/client.ts"
import { temporary, type Started, type Task } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

describe("a long history", { timeout: 60_000 }, () => {
  const start = serviceOfTest()
  const dataDir = temporary()
  afterAll(() => Fs.rmSync(dataDir, { recursive: true, force: true }))

  it("holds up no other request while several clients load it", async () => {
    const first = await start({ dataDir })
    const { taskId } = await spoken(first)
    await lengthen(first, taskId, 48)
    await first.stop()
    const service = await start({ dataDir })
    const task = await service.reopen(taskId)
    const longest = await longestWait(service, async () => {
      const loads = await Promise.all(Array.from({ length: 5 }, () => load(task)))
      for (const { bytes, hasEnded } of loads) {
        assert.isAbove(bytes, 48 * megabyte)
        assert.isTrue(hasEnded)
      }
    })
    assert.isBelow(longest, maxWaitMillis)
  })

  it("replays short and long updates as they were sent", async () => {
    const first = await start({ dataDir })
    const task = await spoken(first)
    const texts = [10, 20_000].map((count) => "é🧵".repeat(count))
    for (const [index, text] of texts.entries())
      await first.rows(
        journalRow(task, 100 + index, JSON.stringify({ sessionUpdate: "tool_call", toolCallId: "a", title: text }))
      )
    await first.stop()
    const service = await start({ dataDir })
    const { updates } = await Client.loaded(await service.reopen(task.taskId))
    for (const text of texts)
      assert.lengthOf(
        updates.filter((update) => update.includes(`"title":"${text}"`)),
        1
      )
  })

  it("takes no more memory than one budget for all readers that do not read", async () => {
    const service = await start({ dataDir, sandbox: { maxHeld: 40_000_000 } })
    const client = await Client.loaded(await service.task())
    await client.prompt("big 12000000")
    const stopped = await Promise.all(Array.from({ length: 8 }, () => open(client.task)))
    for (const { stream } of stopped) stream.pause()
    for (const { id } of stopped) await askToLoad(client.task, id)
    const last = await Client.loaded(client.task)
    assert.strictEqual(last.text.length, 12_000_000)
    const statuses = await Promise.all(
      stopped.map(
        async ({ id }) => (await client.post({ jsonrpc: "2.0", method: "x" }, { "acp-connection-id": id })).status
      )
    )
    assert.isAtMost(statuses.filter((status) => status === 202).length, 3)
    for (const { stream } of stopped) stream.destroy()
    for (const each of [client, last]) each.cut()
  })

  it("ends the tool calls that a killed service left in it", async () => {
    const first = await start({ dataDir })
    const task = await spoken(first)
    await first.rows(journalRow(task, 1000, `{"sessionUpdate":"tool_call","toolCallId":"open","status":"in_progress"}`))
    await lengthen(first, task.taskId, 3, 1000)
    await first.rows(`INSERT INTO sandbox_turns (turn_id, task_id, message_id, started_at)
      VALUES ('open', '${task.taskId}', 'message', 1) RETURNING 1`)
    await first.stop()
    const service = await start({ dataDir })
    const { updates } = await Client.loaded(await service.reopen(task.taskId))
    assert.isTrue(updates.some((update) => update.includes('"open"') && update.includes('"failed"')))
  })
})

const megabyte = 1024 * 1024

/** One page of a history and what a busy machine adds to it. */
const maxWaitMillis = 1500

/** A task that had a turn. */
const spoken = async (service: Started) => {
  const task = await service.task()
  const client = await Client.loaded(task)
  await client.prompt("echo first")
  client.cut()
  return task
}

/** Adds updates of one MiB each to the journal of a task that is not loaded. */
const lengthen = (service: Started, taskId: string, count: number, from = 100) =>
  service.rows(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO sandbox_journal (task_id, seq, at, method, params)
    SELECT '${taskId}', ${from} + i, 0, 'session/update',
      '{"sessionId":"${taskId}","update":{"sessionUpdate":"tool_call_update","toolCallId":"long","status":"completed","content":{"type":"text","text":"' || hex(zeroblob(524288)) || '"}}}'
    FROM n RETURNING seq`)

const journalRow = (task: Task, seq: number, update: string) =>
  `INSERT INTO sandbox_journal (task_id, seq, at, method, params) VALUES ('${task.taskId}', ${seq}, 0,
    'session/update', '{"sessionId":"${task.taskId}","update":${update}}') RETURNING seq`

/** How long the slowest of the requests to an unknown task takes, in milliseconds, while `run` goes on. */
const longestWait = async (service: Started, run: () => Promise<void>): Promise<number> => {
  const over = new AbortController()
  let longest = 0
  const ask = async () => {
    while (!over.signal.aborted) {
      const before = performance.now()
      await (await fetch(`${service.url}/sandboxes/unknown/acp`)).body?.cancel()
      longest = Math.max(longest, performance.now() - before)
    }
  }
  await Promise.all([ask(), run().finally(() => over.abort())])
  return longest
}

const open = async (task: Task) => {
  const headers = { authorization: `Bearer ${task.token}` }
  const stream = await new Promise<Http.IncomingMessage>((resolve, reject) => {
    Http.get(task.link, { agent: false, headers }, resolve).on("error", reject)
  })
  stream.on("error", () => undefined)
  return { stream, id: String(stream.headers["acp-connection-id"]) }
}

const askToLoad = (task: Task, id: string) =>
  fetch(task.link, {
    method: "POST",
    headers: { authorization: `Bearer ${task.token}`, "content-type": "application/json", "acp-connection-id": id },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "load",
      method: "session/load",
      params: { sessionId: task.taskId, cwd: "/", mcpServers: [] }
    })
  })

/** Loads a session and counts what arrives until its response, without a look into it. */
const load = async (task: Task): Promise<{ readonly bytes: number; readonly hasEnded: boolean }> => {
  const { id, stream } = await open(task)
  await askToLoad(task, id)
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (chunk.subarray(-1000).includes('"id":"load"')) return { bytes, hasEnded: true }
  }
  return { bytes, hasEnded: false }
}
