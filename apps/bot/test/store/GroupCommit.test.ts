import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as GroupCommit from "@heddle/bot/store/database/GroupCommit"
import { folder } from "@heddle/test-support/Folder"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Runs a test on a new file with one table, and a second program's connection to it. */
const withFile = <A, E>(
  use: (other: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>
): Effect.Effect<A, unknown> =>
  Effect.flatMap(folder("heddle-bot-"), (path) => {
    const filename = join(path, "test.sqlite")
    return Effect.gen(function* () {
      yield* (yield* SqlClient.SqlClient)`CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT NOT NULL)`
      const other = yield* SqliteClient.make({ filename }).pipe(Effect.provide(Reactivity.layer))
      return yield* use(other)
    }).pipe(Effect.scoped, Effect.provide(GroupCommit.layer(filename)))
  }).pipe(Effect.scoped)

const all = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ id: number }>`SELECT id FROM t ORDER BY id`).pipe(
  Effect.map((rows) => rows.map(({ id }) => id))
)

const insert = (id: number) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO t VALUES (${id}, 'x')`)

const together = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(effect))

describe("group commit", () => {
  it.live("continues a caller only after its row is durable and visible", () =>
    withFile((other) =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 300 }, (_, id) => id)
        yield* Effect.forEach(
          ids,
          (id) =>
            Effect.gen(function* () {
              yield* id % 2 === 0 ? insert(id) : together(insert(id))
              const [row] = yield* other<{ n: number }>`SELECT count(*) AS n FROM t WHERE id = ${id}`
              assert.strictEqual(row?.n, 1)
            }),
          { concurrency: "unbounded" }
        )
        assert.deepEqual(yield* all, ids)
      })
    )
  )

  it.live("rolls back a failed transaction or statement alone", () =>
    withFile(() =>
      Effect.gen(function* () {
        const exits = yield* Effect.all(
          [
            Effect.exit(insert(1)),
            Effect.exit(together(Effect.zipRight(insert(2), Effect.fail("no")))),
            Effect.exit(together(Effect.zipRight(insert(3), Effect.ignore(together(Effect.fail("inner")))))),
            Effect.exit(insert(1)),
            Effect.exit(together(Effect.zipRight(insert(4), Effect.yieldNow()))),
            Effect.exit(insert(5))
          ],
          { concurrency: "unbounded" }
        )
        assert.deepEqual(
          exits.map(({ _tag }) => _tag === "Success"),
          [true, false, true, false, true, true]
        )
        assert.deepEqual(yield* all, [1, 3, 4, 5])
      })
    )
  )

  it.live("reads during a slow transaction, and waits for another program's lock", () =>
    withFile((other) =>
      Effect.gen(function* () {
        const slow = yield* Effect.fork(together(Effect.zipLeft(insert(1), Effect.sleep(100))))
        yield* Effect.yieldNow()
        assert.deepEqual(yield* all, [])
        yield* Fiber.join(slow)
        assert.deepEqual(yield* all, [1])

        yield* other`BEGIN IMMEDIATE`
        const write = yield* Effect.fork(insert(2))
        yield* Effect.sleep("60 millis")
        assert.isNull(write.unsafePoll())
        yield* other`ROLLBACK`
        yield* Fiber.join(write)
        assert.deepEqual(yield* all, [1, 2])
      })
    )
  )

  it.live("stays usable after a waiting or running caller is interrupted", () =>
    withFile(() =>
      Effect.gen(function* () {
        const slow = yield* Effect.fork(together(Effect.zipRight(insert(1), Effect.never)))
        yield* Effect.sleep("20 millis")
        const waiting = yield* Effect.fork(together(insert(2)))
        const other = yield* Effect.fork(insert(3))
        yield* Effect.sleep("20 millis")
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(slow)
        yield* Fiber.join(other)
        yield* insert(4)
        assert.deepEqual(yield* all, [3, 4])
      })
    )
  )

  it.effect("runs a statement that could not be prepared before", () =>
    withFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [read, write] = [sql`SELECT id FROM late`, sql`INSERT INTO late VALUES (1)`]
        yield* Effect.flip(read)
        yield* Effect.flip(write)
        yield* sql`CREATE TABLE late (id INTEGER PRIMARY KEY)`
        yield* write
        assert.deepEqual(yield* read, [{ id: 1 }])
      })
    )
  )
})
