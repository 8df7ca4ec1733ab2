import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import * as ProcessExit from "@heddle/command-line/ProcessExit"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"

/**
 * A SQLite file with group commit: concurrent writes share one wait for the disk. Each caller continues when its own
 * write is durable, and each transaction rolls back alone. Reads use a connection of their own and wait for no writer.
 * Statements wait while another program has locked the file.
 */
export const layer = (filename: string): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.scoped(SqlClient.SqlClient, make(filename)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* (filename: string) {
  const writer = yield* connect({ filename })
  const reader = yield* connect({ filename, disableWAL: true })
  const groups = yield* makeGroups(writer)
  // The file is then whole without those beside it, unless another program still reads it.
  const checkpoint = Effect.ignore(execute(writer, "PRAGMA wal_checkpoint(TRUNCATE)"))
  yield* ProcessExit.before(() =>
    Effect.runSync(Effect.zipRight(Effect.ignore(execute(writer, "ROLLBACK")), checkpoint))
  )
  // Before the connections close.
  yield* Effect.addFinalizer(() => Effect.zipRight(groups.commit, checkpoint))
  return yield* SqlClient.make({
    acquirer: Effect.succeed(singleStatements(reader, writer, groups)),
    transactionAcquirer: transaction(writer, groups),
    compiler: makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/** The writes that are committed together. */
interface Groups {
  /** Held while a statement or a transaction writes. */
  readonly lock: Effect.Semaphore
  /** The open group; the lock is held. */
  readonly join: Effect.Effect<Group, SqlError>
  /** Commits the open group. */
  readonly commit: Effect.Effect<void>
}

const makeGroups = Effect.fnUntraced(function* (writer: Connection): Effect.fn.Return<Groups> {
  const lock = yield* Effect.makeSemaphore(1)
  let group: Group | undefined

  const commit = lock.withPermits(1)(
    Effect.suspend(() => {
      const ending = group
      group = undefined
      return ending === undefined
        ? Effect.void
        : execute(writer, "COMMIT").pipe(
            Effect.asVoid,
            // A transaction that failed to commit may still be open and would block the next one.
            Effect.tapError(() => Effect.ignore(execute(writer, "ROLLBACK"))),
            Effect.exit,
            Effect.flatMap((exit) => Deferred.done(ending, exit))
          )
    })
  )
  // Writes that arrive during the wait for the lock still join the group.
  const commitSoon = Effect.forkDaemon(Effect.uninterruptible(Effect.zipRight(others, commit)))

  const join: Effect.Effect<Group, SqlError> = Effect.suspend(() =>
    group !== undefined
      ? Effect.succeed(group)
      : whileLocked(execute(writer, "BEGIN IMMEDIATE")).pipe(
          Effect.zipRight(Deferred.make<void, SqlError>()),
          Effect.tap((fresh) => Effect.sync(() => (group = fresh))),
          Effect.zipLeft(commitSoon)
        )
  )

  return { lock, join, commit }
})

/** Statements outside of transactions: each write is durable when it returns, and reads do not wait for it. */
const singleStatements = (reader: Connection, writer: Connection, { join, lock }: Groups): Connection => {
  const alone = <A>(write: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* restore(lock.take(1))
        // A failed statement rolls back only itself.
        const [written, durable] = yield* Effect.ensuring(
          Effect.flatMap(restore(join), (durable) => Effect.map(write, (written) => [written, durable] as const)),
          lock.release(1)
        )
        yield* Deferred.await(durable)
        return written
      })
    )
  const either = <A>(statement: string, run: (connection: Connection) => Effect.Effect<A, SqlError>) =>
    /^\s*SELECT\b/i.test(statement) ? whileLocked(run(reader)) : alone(run(writer))

  return {
    execute: (statement, params, transform) =>
      either(statement, (connection) => connection.execute(statement, params, transform)),
    executeRaw: (statement, params) => either(statement, (connection) => connection.executeRaw(statement, params)),
    executeValues: (statement, params) =>
      either(statement, (connection) => connection.executeValues(statement, params)),
    executeUnprepared: (statement, params, transform) =>
      either(statement, (connection) => connection.executeUnprepared(statement, params, transform)),
    executeStream: reader.executeStream
  }
}

/** The connection of a transaction, which has the writer until its end and is durable with its group. */
const transaction = (writer: Connection, { join, lock }: Groups) =>
  Effect.gen(function* () {
    yield* Effect.interruptible(lock.take(1))
    let holds = true
    const leave = Effect.suspend(() => {
      if (!holds) return Effect.void
      holds = false
      return lock.release(1)
    })
    yield* Effect.addFinalizer(() => leave)
    let durable: Group | undefined
    const end = (...statements: ReadonlyArray<string>) =>
      Effect.ensuring(
        Effect.forEach(statements, (statement) => execute(writer, statement), { discard: true }),
        leave
      )
    const steps: Record<string, Effect.Effect<unknown, SqlError>> = {
      BEGIN: join.pipe(
        Effect.tap((joined) => Effect.sync(() => (durable = joined))),
        Effect.zipRight(execute(writer, "SAVEPOINT member"))
      ),
      COMMIT: Effect.zipRight(
        end("RELEASE member"),
        Effect.suspend(() => (durable === undefined ? Effect.void : Deferred.await(durable)))
      ),
      ROLLBACK: end("ROLLBACK TO member", "RELEASE member")
    }
    return {
      ...writer,
      executeUnprepared: (statement, params, transform) => {
        const step = steps[statement]
        return step === undefined ? writer.executeUnprepared(statement, params, transform) : Effect.as(step, [])
      }
    } satisfies Connection
  }).pipe(Effect.uninterruptible)

const execute = (connection: Connection, statement: string) => connection.execute(statement, [], undefined)

/** Completes when the group's writes are durable; fails when none is. */
type Group = Deferred.Deferred<void, SqlError>

const connect = Effect.fnUntraced(function* (config: SqliteClient.SqliteClientConfig) {
  // The client throws when it cannot open the file.
  const client = yield* Effect.catchAllDefect(SqliteClient.make(config), (cause) =>
    Effect.fail(new SqlError({ cause, message: cause instanceof Error ? cause.message : "unknown" }))
  )
  yield* client`PRAGMA synchronous=FULL`
  // A wait inside a statement would block the whole process.
  yield* client`PRAGMA busy_timeout=0`
  return preparingAnew(yield* client.reserve)
})

/**
 * Runs a statement that could not be prepared without the client's cache, which keeps that failure for ten minutes. The
 * cache still keeps every prepared statement: one that met a lock holds up commits until it runs again.
 */
const preparingAnew = (connection: Connection): Connection => ({
  ...connection,
  execute: (statement, params, transform) =>
    Effect.catchIf(connection.execute(statement, params, transform), isUnprepared, () =>
      Effect.try({
        try: () => connection.executeUnprepared(statement, params, transform),
        catch: (cause) => new SqlError({ cause, message: unprepared })
      }).pipe(Effect.flatten)
    )
})

const unprepared = "Failed to prepare statement "
const isUnprepared = ({ message }: SqlError): boolean => message === unprepared

/** A schedule costs more than most statements, so the first try has none. */
const whileLocked = <A>(run: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.catchIf(run, isLocked, () => RetryPolicy.retryIf(run, isLocked, RetrySchedules.lockedDatabase))

const isLocked = ({ cause }: SqlError): boolean =>
  cause instanceof Error && "code" in cause && String(cause.code).startsWith("SQLITE_BUSY")

/** Yields until all ready fibers have run. */
const others = Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
