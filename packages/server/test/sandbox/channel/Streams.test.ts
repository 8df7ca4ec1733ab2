import { assert, describe, it } from "@effect/vitest"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import { createParser } from "eventsource-parser"
import * as Http from "node:http"
import { afterAll, beforeAll } from "vitest"
import { Client } from "../support/client.ts"
import { start, type Started, type Task } from "../support/service.ts"

/** Updates of the history that is replayed; 200,000 by hand. */
const updates = Number(process.env["HEDDLE_ROUNDS"] ?? 4000)

describe("a stream", { timeout: 30_000 + updates }, () => {
  let service: Started
  beforeAll(async () => {
    service = await start({ sandbox: { maxUnsent: 500_000 } })
  })
  afterAll(() => service.stop())

  it("ends with its ticket, and resumes exactly with the next one", async () => {
    const task = await service.task()
    const client = await Client.loaded(task)
    const turn = await client.askPrompt("count 600 5")
    client.cut()
    await service.rows(
      `UPDATE tickets SET expires_at = ${Date.now() + 1500} WHERE task_id = '${task.taskId}' RETURNING 1`
    )
    const again = { "acp-connection-id": client.id, "last-event-id": client.lastEventId }
    assert.strictEqual((await client.connect(again)).status, 200)
    await client.until(() => client.ended, "the end of the stream")
    assert.isAtLeast(client.updates.length, 1)
    assert.strictEqual((await client.connect()).status, 401)
    const { token } = await service.reopen(task.taskId)
    assert.notStrictEqual(token, task.token)
    const renewed = new Client({ ...task, token })
    renewed.messages.push(...client.messages)
    const resumed = { "acp-connection-id": client.id, "last-event-id": client.lastEventId }
    assert.strictEqual((await renewed.connect(resumed)).headers.get("acp-connection-id"), client.id)
    await renewed.answerTo(turn)
    assert.strictEqual(renewed.text, Array.from({ length: 600 }, (_, n) => `${n + 1} `).join(""))
    renewed.cut()
  })

  it("is closed when its reader stops reading, without effect on others", async () => {
    const before = cutOff("behind")
    const task = await service.task()
    const [reads, stops] = [await Client.loaded(task), await stopped(task)]
    const { result } = await reads.prompt(Array.from({ length: 24 }, () => "big 500000").join("\n"))
    assert.strictEqual(result.stopReason, "end_turn")
    assert.strictEqual(reads.text.length, 12_000_000)
    assert.strictEqual(cutOff("behind"), before + 1)
    const gone = await reads.post({ jsonrpc: "2.0", method: "x" }, { "acp-connection-id": stops.id })
    assert.strictEqual(gone.status, 409)
    await stops.end()
    const back = await Client.loaded(task)
    assert.strictEqual(back.text.length, 12_000_000)
    for (const client of [reads, back]) client.cut()
  })

  it("carries a long history in bounded memory, at the speed of its reader", async () => {
    const task = await service.task()
    const first = await Client.loaded(task)
    await first.prompt("echo first")
    first.cut()
    const [{ last } = { last: 0 }] = await service.rows(
      `SELECT MAX(seq) AS last FROM sandbox_journal WHERE task_id = '${task.taskId}'`
    )
    // Clients that load a journal read it; the sandbox itself would only write it more slowly.
    const taken = await service.stop().then(() => start({ dataDir: service.dataDir, sandbox: { maxUnsent: 500_000 } }))
    service = taken
    const text = "x".repeat(800)
    await service.rows(`WITH RECURSIVE n(i) AS (SELECT ${Number(last)} + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Number(last) + updates})
      INSERT INTO sandbox_journal (task_id, seq, at, method, params)
      SELECT '${task.taskId}', i, 0, 'session/update', '{"sessionId":"${task.taskId}","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"' || i || ' ${text}"}}}' FROM n RETURNING seq`)
    const { token } = await service.reopen(task.taskId)
    const link = `${service.url}${new URL(task.link).pathname}`
    const started = process.memoryUsage.rss()
    const { count, highest, inOrder, millis } = await replay({ ...task, link, token })
    assert.strictEqual(count, updates + Number(last))
    assert.isTrue(inOrder)
    const grown = Math.round((highest - started) / 1024 / 1024)
    if (updates >= 100_000) {
      console.info(
        `replayed ${count} updates of 1 KB in ${millis} ms; memory grew by ${grown} MB, the reader's included`
      )
    }
    assert.isBelow(grown, 200)
  })
})

const cutOff = (why: string): number => {
  for (const { metricKey, metricState } of Metric.unsafeSnapshot()) {
    if (metricKey.name !== "acp_connections_cut_off_total") continue
    const tagged = [...metricKey.tags].some(({ value }) => value === why)
    if (tagged && MetricState.isCounterState(metricState)) return Number(metricState.count)
  }
  return 0
}

const head = (task: Task) =>
  new Promise<Http.IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${task.token}`, accept: "text/event-stream" }
    Http.get(task.link, { agent: false, headers }, resolve).on("error", reject)
  })

const load = (task: Task, id: string) =>
  fetch(task.link, {
    method: "POST",
    headers: { authorization: `Bearer ${task.token}`, "content-type": "application/json", "acp-connection-id": id },
    body: JSON.stringify({ jsonrpc: "2.0", id: "load", method: "session/load", params: { sessionId: task.taskId } })
  })

/** A client that has loaded the session and then stops reading. */
const stopped = async (task: Task) => {
  const stream = await head(task)
  const id = String(stream.headers["acp-connection-id"])
  await load(task, id)
  await new Promise<void>((resolve) => {
    stream.on("data", (piece) => {
      if (!String(piece).includes('"id":"load"')) return
      stream.pause()
      resolve()
    })
  })
  const ended = new Promise<void>((resolve) => stream.on("close", resolve).on("error", () => resolve()))
  return {
    id,
    /** Waits for the end that the service made. */
    end: () => {
      stream.resume()
      return ended
    }
  }
}

/** Loads the session and counts its history without keeping it; the reader rests for a moment in the middle. */
const replay = async (task: Task) => {
  const stream = await head(task)
  const started = Date.now()
  let [count, highest, inOrder, lastId] = [0, 0, true, 0]
  const ended = new Promise<void>((resolve, reject) => {
    const parser = createParser({
      onEvent: ({ data, id }) => {
        inOrder &&= Number(id) === lastId + 1
        lastId = Number(id)
        if (data.includes('"id":"load"')) return resolve()
        count += 1
        if (count % 500 === 0) highest = Math.max(highest, process.memoryUsage.rss())
        if (count === Math.floor(updates / 2)) {
          stream.pause()
          setTimeout(() => stream.resume(), 300)
        }
      }
    })
    const decoder = new TextDecoder()
    stream.on("data", (piece: Buffer) => parser.feed(decoder.decode(piece, { stream: true })))
    stream.on("close", () => reject(new Error("the stream ended")))
  })
  await load(task, String(stream.headers["acp-connection-id"]))
  await ended
  const millis = Date.now() - started
  stream.destroy()
  return { count, highest, inOrder, millis }
}
