import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { By } from "./Rules.ts"
import type { Thread } from "./Threads.ts"

/** The target of a request to stop. */
export type StopTarget =
  | { readonly _tag: "Stopping"; readonly turnId: string }
  /** The turn has ended and is being posted. */
  | { readonly _tag: "Posting"; readonly turnId: string }
  /** The turn has ended, and the agent produces late output. */
  | { readonly _tag: "Late"; readonly turnId: string }
  /** No turn ran, and the next message will not reach the agent. */
  | { readonly _tag: "Next"; readonly turnId: string }
  /** The turn of that time is over. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Idle" }

/**
 * Marks the turn that a person means to stop, in the open transaction. Discord ids decide: the turn that ran when the
 * person read the thread, otherwise the message that waited before it.
 */
export const requestStop = Effect.fn("StopTarget.requestStop")(function* (
  { guildId, threadId }: Pick<Thread, "guildId" | "threadId">,
  { at, eventId: said }: By
): Effect.fn.Return<StopTarget, SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const newer = (id: Fragment, than: Fragment) =>
    sql`(length(${id}) > length(${than}) OR (length(${id}) = length(${than}) AND ${id} > ${than}))`
  // A repeated request means the messages since the first one, or is only impatient.
  const saidSince = sql`EXISTS (SELECT 1 FROM audit WHERE guild_id = ${guildId} AND audit.thread_id = ${threadId}
    AND action LIKE '%"Stopped"%' AND ${newer(sql`audit.event_id`, sql`inbox.event_id`)}
    AND ${newer(sql`${said}`, sql`audit.event_id`)})`
  // A running message that the agent does not have yet, written before an earlier request to stop.
  const untouched = sql`state = 'running' AND kind = 'message' AND first = 0 AND COALESCE(prompted, 0) = 0 AND ${saidSince}`
  const these = (which: Fragment) =>
    sql<Row>`SELECT event_id, state, kind, first, COALESCE(stop_asked, 0) AS asked, (${untouched}) AS untouched
      FROM inbox LEFT JOIN turns ON turn_id = event_id WHERE inbox.thread_id = ${threadId}
      AND ${newer(sql`${said}`, sql`inbox.event_id`)} AND ${which} ORDER BY length(inbox.event_id), inbox.event_id`
  const end = sql`(SELECT message_id FROM posts WHERE posts.turn_id = event_id AND post_key = 'end')`
  const all = yield* these(sql`((state = 'running' AND ${end} IS NULL) OR ${newer(end, sql`${said}`)})`)
  const ran = all.find((row) => !isAsked(row) && Number(row.untouched) === 0)
  if (ran !== undefined && ran.state !== "running") return { _tag: "Over" }
  const waiting = ran === undefined ? yield* these(sql`state = 'queued' AND kind = 'message'`) : []
  const [next] = ran === undefined ? yield* these(sql`state = 'queued' AND kind = 'message' AND NOT ${saidSince}`) : []
  const meant = ran ?? next ?? all.find((row) => row.state === "running" && isAsked(row)) ?? waiting.find(isAsked)
  if (meant === undefined) return { _tag: all.length === 0 ? "Idle" : "Over" }
  const turnId = meant.event_id
  // A message that was just taken may not have its turn yet.
  const [turn] = yield* sql<{ ended: string | null }>`INSERT INTO turns ${sql.insert({
    turn_id: turnId,
    thread_id: threadId,
    started_at: at,
    prompted: 0,
    stop_asked: 1
  })} ON CONFLICT (turn_id) DO UPDATE SET stop_asked = 1 RETURNING ended`
  if (turn?.ended !== null) return { _tag: "Posting", turnId }
  if (meant.kind === "late_output") return { _tag: "Late", turnId }
  // The service already has the first message of a task.
  return { _tag: meant.state === "queued" && meant.first === 0 ? "Next" : "Stopping", turnId }
}, Effect.orDie)

interface Row {
  readonly event_id: string
  readonly state: string
  readonly kind: "late_output" | "message"
  readonly first: number
  readonly asked: number
  readonly untouched: number
}

const isAsked = ({ asked }: Row): boolean => Number(asked) === 1
