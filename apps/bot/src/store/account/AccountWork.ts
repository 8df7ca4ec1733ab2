import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { isUnanswered } from "../Posts.ts"

/** The work that depends on a person's connected account. */
export interface AccountWork {
  /** Their tasks that are starting, visibly answering or have waiting messages. */
  readonly tasks: number
  /** Their shared tasks. */
  readonly shared: number
  /** Redemptions without a known outcome. */
  readonly redemptions: number
}

/** Counts the work that a disconnection or replacement would end. */
export const countWork = Effect.fn("AccountWork.countWork")(function* (
  userId: string
): Effect.fn.Return<AccountWork, never, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.orDie(sql<AccountWork>`SELECT
    (SELECT COUNT(DISTINCT t.task_id) FROM threads t JOIN inbox i ON i.thread_id = t.thread_id
      WHERE t.owner_id = ${userId} AND ${isUnanswered(sql)})
    + (SELECT COUNT(*) FROM requests WHERE user_id = ${userId} AND state = 'starting' AND thread_id IS NULL) AS tasks,
    (SELECT COUNT(DISTINCT t.task_id) FROM threads t JOIN task_shares s ON s.task_id = t.task_id
      WHERE t.owner_id = ${userId}) AS shared,
    (SELECT COUNT(*) FROM redemptions WHERE user_id = ${userId} AND settled = 0) AS redemptions`)
  return {
    tasks: Number(row?.tasks ?? 0),
    shared: Number(row?.shared ?? 0),
    redemptions: Number(row?.redemptions ?? 0)
  }
})
