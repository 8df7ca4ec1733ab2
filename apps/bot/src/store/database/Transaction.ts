import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The bot's database, for code that only needs transactions. */
export const Store = SqlClient.SqlClient
export type Store = SqlClient.SqlClient

/** Runs writes in one transaction, or in a savepoint of the open one. A failure of the store is a defect. */
export const transaction = <A, E, R>(writes: Effect.Effect<A, E, R>): Effect.Effect<A, never, R | Store> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.withTransaction(writes)))

/** Joins the open transaction, which then fails as a whole, or opens one. */
export const joinTransaction = <A, E, R>(writes: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R | Store> =>
  Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (open) =>
    Option.isSome(open) ? writes : Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(writes))
  )
