import { assert, describe, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as SessionState from "@heddle/acp/SessionState"
import * as Ticket from "@heddle/acp/Ticket"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll } from "vitest"
import { Client } from "./support/client.ts"
import { start, type Started, type Task } from "./support/service.ts"

/** How many updates are replayed and sessions opened at once; by hand 200,000 and 1,000. */
const asked = process.env["HEDDLE_ROUNDS"]
const updates = asked === undefined ? 5000 : 200 * Number(asked)
const sessions = asked === undefined ? 20 : Number(asked)

const megabyte = 1024 * 1024
const text = (words: string) => ({ type: "text", text: words }) as const

const open = (task: Task, options: { readonly maxMessageSize?: number } = {}) =>
  Effect.gen(function* () {
    const ticket = yield* Ticket.make(Effect.succeed({ link: task.link, token: Redacted.make(task.token) }))
    return yield* AcpSession.open({ ticket, sessionId: task.taskId, ...options })
  })

const said = (session: AcpSession.AcpSession) =>
  Effect.map(session.state, (state) => SessionState.messages(state, "agent").map((message) => message.text))

const memory = () => Math.round(process.memoryUsage().rss / megabyte)

describe("large messages on the channel", { timeout: 300_000 }, () => {
  let service: Started
  beforeAll(async () => {
    service = await start({})
  })
  afterAll(() => service.stop())

  it.scopedLive("carries 10 MB into the task and 10 MB back", () =>
    Effect.gen(function* () {
      const session = yield* open(yield* Effect.promise(() => service.task()))
      const blob = "A".repeat(10_000_000)
      const resource = { type: "resource", resource: { uri: "file:///large.bin", blob } } as const
      yield* session.prompt([text("sizes"), resource])
      assert.deepStrictEqual(yield* said(session), ["file 7500000 7500000"])
      yield* session.prompt([text("big 10000000")])
      assert.strictEqual((yield* said(session)).at(-1)?.length, 10_000_000)
    })
  )

  it.scopedLive("omits an update above the limit, reports it, and continues", () =>
    Effect.gen(function* () {
      const session = yield* open(yield* Effect.promise(() => service.task()), { maxMessageSize: megabyte })
      const skipped = yield* session.changes.pipe(
        Stream.filter((event) => event._tag === "Skipped"),
        Stream.take(1),
        Stream.runCollect,
        Effect.fork
      )
      yield* Effect.yieldNow()
      yield* session.prompt([text("big 2000000\necho after")])
      const [event] = Chunk.toReadonlyArray(yield* Fiber.join(skipped))
      assert.strictEqual(event?._tag === "Skipped" && event.reason, "TooLarge")
      assert.deepStrictEqual(yield* said(session), ["after"])
    })
  )

  it.scopedLive("refuses a prompt above the limit with its reason, stores none of it, and continues", () =>
    Effect.gen(function* () {
      const session = yield* open(yield* Effect.promise(() => service.task()))
      const resource = { type: "resource", resource: { uri: "file:///x", blob: "A".repeat(17 * megabyte) } } as const
      const error = yield* Effect.flip(session.prompt([text("sizes"), resource]))
      assert.strictEqual(error._tag, "ChannelRefused")
      assert.strictEqual(error._tag === "ChannelRefused" && error.status, 413)
      assert.deepStrictEqual((yield* session.state).entries, [])
      yield* session.prompt([text("echo after")])
      assert.deepStrictEqual(yield* said(session), ["after"])
    })
  )

  it.scopedLive(`replays ${updates} updates in bounded memory`, () =>
    Effect.gen(function* () {
      const [task] = yield* resting(service, 1)
      assert.isDefined(task)
      const update = {
        sessionUpdate: "agent_message_chunk",
        content: text("forty-five bytes of text, give or take one")
      }
      const params = JSON.stringify({ sessionId: task.taskId, update })
      yield* Effect.promise(() =>
        service.rows(`WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ${updates})
          INSERT INTO sandbox_journal (task_id, seq, at, method, params)
          SELECT '${task.taskId}', seq, 0, 'session/update', '${params}' FROM n`)
      )
      const [before, from] = [memory(), performance.now()]
      let peak = before
      yield* Effect.sync(() => (peak = Math.max(peak, memory()))).pipe(
        Effect.zipRight(Effect.sleep("20 millis")),
        Effect.forever,
        Effect.forkScoped
      )
      const session = yield* open(task)
      const seconds = (performance.now() - from) / 1000
      assert.strictEqual((yield* said(session))[0]?.length, updates * update.content.text.length)
      console.log(JSON.stringify({ updates, seconds, perSecond: Math.round(updates / seconds), before, peak }))
      // Both ends live in this process; the text itself is a small part of it.
      assert.isBelow(peak - before, 250)
    })
  )

  it.scopedLive(`holds ${sessions} sessions at once`, () =>
    Effect.gen(function* () {
      const tasks = yield* resting(service, sessions)
      const [before, from] = [memory(), performance.now()]
      const opened = yield* Effect.forEach(tasks, (task) => open(task), { concurrency: 50 })
      const seconds = (performance.now() - from) / 1000
      const kilobytes = Math.round(((memory() - before) * 1024) / sessions)
      console.log(JSON.stringify({ sessions, seconds, before, after: memory(), kilobytesOfBothEnds: kilobytes }))
      assert.strictEqual(opened.length, sessions)
      for (const session of opened) assert.deepStrictEqual((yield* session.state).entries, [])
    })
  )
})

/** Tasks whose agent is known and not running: their channel opens without one. */
const resting = (service: Started, count: number) =>
  Effect.promise(async () => {
    const first = await Client.loaded(await service.task())
    first.cut()
    const { taskId } = first.task
    const ready = `SELECT 1 AS one FROM sandboxes WHERE task_id = '${taskId}' AND agent_info IS NOT NULL`
    while ((await service.rows(ready)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    const name = `${taskId}-`
    const numbers = `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})`
    await service.rows(`${numbers} INSERT INTO tasks (task_id, client_id, user_id, name, status, created_at, updated_at)
      SELECT '${name}' || n, client_id, user_id, name, status, 0, 0 FROM tasks, n WHERE task_id = '${taskId}'`)
    await service.rows(`${numbers} INSERT INTO sandboxes
      (task_id, prompt, held, agent_session_id, agent_info, session_info, created_at)
      SELECT '${name}' || n, '', 1, agent_session_id, agent_info, session_info, 0
      FROM sandboxes, n WHERE task_id = '${taskId}'`)
    const tasks: Array<Task> = []
    for (let n = 1; n <= count; n++) tasks.push(await service.reopen(`${name}${n}`))
    return tasks
  })
