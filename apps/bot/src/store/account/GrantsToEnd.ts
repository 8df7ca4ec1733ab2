import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Table from "../database/Table.ts"

/** A grant to revoke at the service. Times are epoch milliseconds. */
export interface GrantToEnd {
  readonly grantId: string
  readonly dueAt: number
  /** The time of its first entry, from which the waits grow. */
  readonly since: number
}

/** The unused grants that the service still has to revoke. */
export class GrantsToEnd extends Context.Tag("@heddle/bot/GrantsToEnd")<
  GrantsToEnd,
  {
    /** Adds a grant, or adds it anew. */
    readonly schedule: (grantId: string, dueAt: number) => Effect.Effect<void>
    readonly find: (grantId: string) => Effect.Effect<Option.Option<GrantToEnd>>
    readonly postpone: (grantId: string, dueAt: number) => Effect.Effect<void>
    readonly remove: (grantId: string) => Effect.Effect<void>
    readonly due: (now: number) => Effect.Effect<ReadonlyArray<GrantToEnd>>
    /** The next due time after a given one; none without entries. */
    readonly nextDueAfter: (now: number) => Effect.Effect<Option.Option<number>>
    /** Makes every grant with this prefix due at once. */
    readonly makeDue: (prefix: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(GrantsToEnd, (sql) =>
  GrantsToEnd.of({
    schedule: (grantId, dueAt) =>
      Table.writeNow(
        (since) => sql`INSERT INTO grants_to_end ${sql.insert({ grant_id: grantId, due_at: dueAt, since })}
            ON CONFLICT (grant_id) DO UPDATE SET due_at = excluded.due_at, since = excluded.since`
      ),
    find: (grantId) => sql<Row>`SELECT * FROM grants_to_end WHERE grant_id = ${grantId}`.pipe(Table.first(fromRow)),
    postpone: (grantId, dueAt) =>
      sql`UPDATE grants_to_end SET due_at = ${dueAt} WHERE grant_id = ${grantId}`.pipe(Table.write),
    remove: (grantId) => sql`DELETE FROM grants_to_end WHERE grant_id = ${grantId}`.pipe(Table.write),
    due: (now) => sql<Row>`SELECT * FROM grants_to_end WHERE due_at <= ${now}`.pipe(Table.all(fromRow)),
    nextDueAfter: (now) =>
      sql<Row>`SELECT * FROM grants_to_end WHERE due_at > ${now} ORDER BY due_at LIMIT 1`.pipe(
        Table.first(({ due_at }) => Number(due_at))
      ),
    makeDue: (prefix) => sql`UPDATE grants_to_end SET due_at = 0 WHERE grant_id LIKE ${`${prefix}%`}`.pipe(Table.write)
  })
)

interface Row {
  readonly grant_id: string
  readonly due_at: number
  readonly since: number
}

const fromRow = (row: Row): GrantToEnd => ({
  grantId: row.grant_id,
  dueAt: Number(row.due_at),
  since: Number(row.since)
})
