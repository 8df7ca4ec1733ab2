import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { AuditLog } from "../store/AuditLog.ts"
import type { By } from "../store/Rules.ts"
import { isLateOutput } from "./LateOutput.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import type { Thread } from "../store/Threads.ts"

/** What there was to stop. */
export type Asked =
  | { readonly _tag: "Stopping"; readonly turnId: string }
  /** It has ended and is only being posted. */
  | { readonly _tag: "Posting"; readonly turnId: string }
  /** The answer has ended, and its agent goes on talking. */
  | { readonly _tag: "Late"; readonly turnId: string }
  /** None ran, and the message that is next will not be given to the agent. */
  | { readonly _tag: "Next"; readonly turnId: string }
  /** What ran then is over. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "Idle" }

/**
 * Asks in its row to stop the turn that a person means, so that it is stopped after a restart, too, and notes who did if
 * there was one. Gives what there was to stop, and what tells the owner of the thread. What is meant is what ran for
 * whoever read the thread when it was said, by the ids of Discord, since that may be heard much later; if nothing did, it
 * is the message before that waits.
 */
export const ask = Effect.fn("Stop.ask")(function* ({ guildId, name, threadId }: Thread, by: By) {
  const audit = yield* AuditLog
  const sql = yield* SqlClient.SqlClient
  const deed = { _tag: "Stopped", task: name } as const
  const asked = yield* sql
    .withTransaction(
      Effect.tap(find(sql, { guildId, threadId }, by), ({ _tag }) =>
        _tag === "Stopping" || _tag === "Next" || _tag === "Late"
          ? audit.note({ eventId: by.eventId, guildId, at: by.at, actorId: by.userId, threadId, deed })
          : Effect.void
      )
    )
    .pipe(Effect.orDie)
  const signal = "turnId" in asked ? ThreadOwner.stop(threadId, asked.turnId) : Effect.void
  return { what: asked._tag, signal }
})

const find = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { guildId, threadId }: Pick<Thread, "guildId" | "threadId">,
  { at, eventId: said }: By
): Effect.fn.Return<Asked, SqlError> {
  const newer = (id: Fragment, than: Fragment) =>
    sql`(length(${id}) > length(${than}) OR (length(${id}) = length(${than}) AND ${id} > ${than}))`
  const these = (which: Fragment) =>
    sql<Row>`SELECT event_id, state, author_id, first, COALESCE(stop_asked, 0) AS asked
      FROM inbox LEFT JOIN turns ON turn_id = event_id WHERE inbox.thread_id = ${threadId}
      AND ${newer(sql`${said}`, sql`inbox.event_id`)} AND ${which} ORDER BY length(inbox.event_id), inbox.event_id`
  const end = sql`(SELECT message_id FROM posts WHERE posts.turn_id = event_id AND post_key = 'end')`
  const all = yield* these(sql`((state = 'running' AND ${end} IS NULL) OR ${newer(end, sql`${said}`)})`)
  const ran = all.find((row) => !isAsked(row))
  if (ran !== undefined && ran.state !== "running") return { _tag: "Over" }
  // Said again, by whomever, it means what was written since, or is only impatient.
  const saidSince = sql`EXISTS (SELECT 1 FROM audit WHERE guild_id = ${guildId} AND audit.thread_id = ${threadId}
    AND deed LIKE '%"Stopped"%' AND ${newer(sql`audit.event_id`, sql`inbox.event_id`)}
    AND ${newer(sql`${said}`, sql`audit.event_id`)})`
  const waiting = ran === undefined ? yield* these(sql`state = 'queued' AND author_id <> ''`) : []
  const [next] = ran === undefined ? yield* these(sql`state = 'queued' AND author_id <> '' AND NOT ${saidSince}`) : []
  const meant = ran ?? next ?? all.find(({ state }) => state === "running") ?? waiting.find(isAsked)
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
  if (isLateOutput({ authorId: meant.author_id })) return { _tag: "Late", turnId }
  // The service has the first message of a task already.
  return { _tag: meant.state === "queued" && meant.first === 0 ? "Next" : "Stopping", turnId }
})

interface Row {
  readonly event_id: string
  readonly state: string
  readonly author_id: string
  readonly first: number
  readonly asked: number
}

const isAsked = ({ asked }: Row): boolean => Number(asked) === 1
