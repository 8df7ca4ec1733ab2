import type * as SqlClient from "@effect/sql/SqlClient"
import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import type { Subscribers } from "./Subscribers.ts"
import type { Entry } from "./Entry.ts"
import type { Journal } from "./Journal.ts"

/** Collects the changes of one batch of events. One transaction stores them; then the subscribers are notified. */
export interface UnitOfWork {
  /** Journals a notification and sends it to every subscriber of the session. */
  readonly publish: (method: string, params: object) => void
  /** The size of the params of all that was published. */
  readonly publishedBytes: () => number
  /** Adds a change of the database. */
  readonly write: (change: Effect.Effect<unknown>) => void
  /** Runs when everything before it is stored and sent. */
  readonly afterCommit: (run: () => void) => void
  readonly commit: Effect.Effect<void>
}

/** Makes the unit of work of a task whose journal has `lastSeq` entries; it alone numbers them. */
export const make = (
  taskId: TaskId,
  lastSeq: number,
  services: {
    readonly sql: SqlClient.SqlClient
    readonly journal: Journal["Type"]
    readonly subscribers: Subscribers
  }
): UnitOfWork => {
  const { sql, journal, subscribers } = services
  let seq = lastSeq
  let publishedBytes = 0
  let batch = emptyBatch()

  return {
    publish: (method, params) => {
      seq += 1
      const entry: Entry = { seq, method, params: JSON.stringify(params) }
      publishedBytes += Buffer.byteLength(entry.params)
      batch.entries.push(entry)
      batch.afterCommit.push(() => subscribers.broadcast(entry))
    },
    publishedBytes: () => publishedBytes,
    write: (change) => {
      batch.changes.push(change)
    },
    afterCommit: (run) => {
      batch.afterCommit.push(run)
    },
    commit: Effect.suspend(() => {
      const { afterCommit, changes, entries } = batch
      batch = emptyBatch()
      const store =
        entries.length + changes.length === 0
          ? Effect.void
          : journal
              .append(taskId, entries)
              .pipe(Effect.andThen(Effect.all(changes, { discard: true })), sql.withTransaction, Effect.orDie)
      return Effect.andThen(store, () => {
        for (const run of afterCommit) run()
      })
    })
  }
}

/** What the next commit stores and then runs. */
interface Batch {
  readonly entries: Array<Entry>
  readonly changes: Array<Effect.Effect<unknown>>
  readonly afterCommit: Array<() => void>
}

const emptyBatch = (): Batch => ({ entries: [], changes: [], afterCommit: [] })
