import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * Makes a check for rows without progress: a waiting message in a thread without a turn, or a request without a running
 * start. Reports rows that every check found for `maxIdleMs` milliseconds.
 */
export const watch = Effect.fn("Backlog.watch")(function* (maxIdleMs: number) {
  const sql = yield* SqlClient.SqlClient
  let idleSince = new Map<string, number>()
  const idle = sql<{ readonly id: string; readonly thread: string }>`
    SELECT event_id AS id, thread_id AS thread FROM inbox AS waiting WHERE state = 'queued' AND NOT EXISTS (
      SELECT 1 FROM inbox AS other WHERE other.thread_id = waiting.thread_id AND other.state = 'running')`
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const idleRows = yield* Effect.orDie(idle)
    idleSince = new Map(idleRows.map(({ id }) => [id, idleSince.get(id) ?? now]))
    const overdue = idleRows.filter(({ id }) => now - (idleSince.get(id) ?? now) >= maxIdleMs)
    const [oldest] = overdue
    if (oldest === undefined) return undefined
    const threads = new Set(overdue.map(({ thread }) => thread)).size
    return threads === 1
      ? `A message waits in thread ${oldest.thread} and no turn takes it.`
      : `Messages wait in ${threads} threads, such as ${oldest.thread}, and no turn takes them.`
  })
})
