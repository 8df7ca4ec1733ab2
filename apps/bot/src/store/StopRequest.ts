import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { endPost } from "./Posts.ts"
import type { By } from "./Rules.ts"
import { type StopCandidate, type StopTarget, stopTarget } from "./StopTarget.ts"

/** Marks the turn that a person means to stop, in the open transaction. */
export const requestStop = Effect.fn("StopRequest.requestStop")(function* (
  threadId: string,
  { at, eventId }: By
): Effect.fn.Return<StopTarget, SqlError, SqlClient.SqlClient> {
  const target = stopTarget(
    { candidates: yield* readCandidates(threadId), requests: yield* readRequests(threadId) },
    eventId
  )
  if (!("turnId" in target)) return target
  yield* markStopped(threadId, target.turnId, at)
  return target
}, Effect.orDie)

/** Marks a turn that is to be stopped; a message that waits, was just taken or starts a task has no turn yet. */
export const markStopped = Effect.fn("StopRequest.markStopped")(function* (
  threadId: string,
  turnId: string,
  at: number
): Effect.fn.Return<void, SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO turns ${sql.insert({
    turn_id: turnId,
    thread_id: threadId,
    started_at: at,
    prompted: 0,
    stop_asked: 1
  })} ON CONFLICT (turn_id) DO UPDATE SET stop_asked = 1`
}, Effect.orDie)

/** How many of the last turns, and of the last requests, are read. */
const most = 20

/** The messages that are not handled yet, and the last turns, which may have ended since the request. */
const readCandidates = Effect.fnUntraced(function* (threadId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`
    SELECT event_id, state, kind, first, prompted, stop_asked, ended,
      (${endPost(sql)} AND message_id IS NOT NULL LIMIT 1) AS end_post_id FROM inbox
    LEFT JOIN turns ON turns.turn_id = event_id
    WHERE event_id IN (
      SELECT event_id FROM inbox WHERE thread_id = ${threadId} AND state = 'running'
      UNION SELECT event_id FROM inbox WHERE thread_id = ${threadId} AND state = 'queued' AND kind <> 'late_output'
      UNION SELECT turn_id FROM (SELECT turn_id FROM turns WHERE thread_id = ${threadId} ORDER BY rowid DESC LIMIT ${most}))
    ORDER BY state = 'queued', length(event_id), event_id`
  return rows.map(fromRow)
})

const readRequests = Effect.fnUntraced(function* (threadId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ event_id: string }>`SELECT event_id FROM audit WHERE thread_id = ${threadId}
    AND json_extract(action, '$._tag') = 'Stopped' ORDER BY rowid DESC LIMIT ${most}`
  return rows.map(({ event_id }) => event_id)
})

interface Row {
  readonly event_id: string
  readonly state: StopCandidate["state"]
  readonly kind: StopCandidate["kind"]
  readonly first: number
  /** Null, as what follows, without a turn. */
  readonly prompted: number | null
  readonly stop_asked: number | null
  readonly ended: string | null
  readonly end_post_id: string | null
}

const fromRow = (row: Row): StopCandidate => ({
  eventId: row.event_id,
  state: row.state,
  kind: row.kind,
  first: row.first === 1,
  prompted: row.prompted === 1,
  stopAsked: row.stop_asked === 1,
  ended: row.ended !== null,
  endPostId: row.end_post_id ?? undefined
})
