import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Does several writes in one transaction: in the one that is open already, which then fails as a whole, or in one of its own. */
export const together = <A, E, R>(
  writes: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (open) =>
    Option.isSome(open) ? writes : Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(writes))
  )
