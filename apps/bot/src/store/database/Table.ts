import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** Provides the service of a table. */
export const layer = <I, S>(
  tag: Context.Tag<I, S>,
  make: (sql: SqlClient.SqlClient) => S
): Layer.Layer<I, never, SqlClient.SqlClient> => Layer.effect(tag, Effect.map(SqlClient.SqlClient, make))

/** Provides the service of a table that needs one other service. */
export const layerWith = <I, S, J, T>(
  tag: Context.Tag<I, S>,
  other: Context.Tag<J, T>,
  make: (sql: SqlClient.SqlClient, other: T) => S
): Layer.Layer<I, never, J | SqlClient.SqlClient> => Layer.effect(tag, Effect.zipWith(SqlClient.SqlClient, other, make))

/** Runs a write and drops its rows. A failure of the store is a defect, here and below. */
export const write = <E, R>(statement: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> =>
  statement.pipe(Effect.orDie, Effect.asVoid)

/** Runs a write that stores the time, in epoch milliseconds. */
export const writeNow = <E, R>(
  statement: (now: number) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, R> => write(Effect.flatMap(Clock.currentTimeMillis, statement))

/** Decodes the first row, if there is one. */
export const first =
  <Row, A>(decode: (row: Row) => A) =>
  <R>(rows: Effect.Effect<ReadonlyArray<Row>, SqlError, R>): Effect.Effect<Option.Option<A>, never, R> =>
    rows.pipe(
      Effect.orDie,
      Effect.map(([row]) => Option.map(Option.fromNullable(row), decode))
    )

/** Decodes every row. */
export const all =
  <Row, A>(decode: (row: Row) => A) =>
  <R>(rows: Effect.Effect<ReadonlyArray<Row>, SqlError, R>): Effect.Effect<ReadonlyArray<A>, never, R> =>
    rows.pipe(
      Effect.orDie,
      Effect.map((found) => found.map((row) => decode(row)))
    )

/** Whether a statement returns a row. */
export const isAny = <R>(rows: Effect.Effect<ReadonlyArray<unknown>, SqlError, R>): Effect.Effect<boolean, never, R> =>
  rows.pipe(
    Effect.orDie,
    Effect.map(({ length }) => length > 0)
  )
