import * as SqlClient from "@effect/sql/SqlClient"
import * as Statement from "@effect/sql/Statement"
import { assert } from "@effect/vitest"
import * as Database from "@heddle/server/sql/Database"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Runs an effect; `before` runs before each of its statements, and tells whether that statement fails. */
export const watched = <A, E, R>(
  use: Effect.Effect<A, E, R>,
  before: (text: string, nth: number) => Effect.Effect<boolean>
): Effect.Effect<A, E, R> => {
  let count = 0
  return Statement.withTransformer(use, (statement, sql) => {
    count += 1
    return Effect.map(Statement.withTransformerDisabled(before(statement.compile()[0], count)), (fails) =>
      fails ? sql.unsafe("SELECT broken FROM nothing") : statement
    )
  })
}

/** All rows of all tables. */
export const allRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
  return Object.fromEntries(tables.map(({ name }, index) => [name, rows[index]]))
}).pipe(Effect.orDie)

/**
 * Runs an effect again and again: its first statement fails, then its second, until it gets through. After each failure
 * the state is compared with the one before.
 */
export const failingAtEach = <A, E, R, S, R2>(use: Effect.Effect<A, E, R>, state: Effect.Effect<S, never, R2>) =>
  Effect.gen(function* () {
    for (let failing = 1; ; failing++) {
      const before = yield* state
      let failed: string | undefined
      const exit = yield* Effect.exit(
        watched(use, (text, nth) =>
          Effect.sync(() => {
            if (nth === failing) failed = text
            return nth === failing
          })
        )
      )
      if (failed === undefined) {
        assert.isAbove(failing, 2, "it has several statements")
        return yield* exit
      }
      assert.isTrue(Exit.isFailure(exit), `it fails with: ${failed}`)
      assert.deepStrictEqual(yield* state, before, `nothing changes when this fails: ${failed}`)
    }
  })

/**
 * Fails unless an effect keeps other processes from writing from its first statement to its last, or to the one that begins
 * with this text.
 */
export const lockedThroughout = <A, E, R>(dataDir: string, use: Effect.Effect<A, E, R>, last?: string) =>
  Effect.gen(function* () {
    const other = yield* SqlClient.SqlClient
    // The thread of this test cannot wait for itself.
    yield* other`PRAGMA busy_timeout = 0`
    // In a fiber of its own: one inside of the transaction would be part of it.
    const write = Effect.promise(() => Effect.runPromiseExit(other`UPDATE accounts SET created_at = created_at`))
    const open: Array<string> = []
    let isOver = false
    const result = yield* watched(use, (text, nth) =>
      Effect.map(nth === 1 || isOver ? Effect.succeed(undefined) : write, (written) => {
        if (written !== undefined && Exit.isSuccess(written)) open.push(text)
        isOver ||= last !== undefined && text.startsWith(last)
        return false
      })
    )
    assert.deepStrictEqual(open, [], "statements before which another process could write")
    return result
  }).pipe(Effect.provide(Database.layer(dataDir)))
