import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as MonotonicClock from "../../concurrency/MonotonicClock.ts"

/**
 * Moves the deadlines of requests that were asked later than now: the time of day was set back between two processes. So
 * none is later than its full time after a start.
 */
export const bound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* MonotonicClock.now
  yield* sql`UPDATE permissions SET deadline_at = deadline_at - asked_at + ${now}, asked_at = ${now}
    WHERE asked_at > ${now}`
  const [askedAt, expiresAt] = [sql`json_extract(question, '$.askedAt')`, sql`json_extract(question, '$.expiresAt')`]
  yield* sql`UPDATE assistant_questions SET question = json_set(question,
      '$.expiresAt', ${expiresAt} - ${askedAt} + ${now}, '$.askedAt', ${now})
    WHERE ${askedAt} > ${now}`
})
