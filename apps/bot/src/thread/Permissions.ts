import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { column } from "../sql/Json.ts"

/** A permission request of the agent. It is found again by its tool call, whatever id the request has on the wire. */
export interface PermissionRow {
  readonly permissionId: string
  readonly turnId: string
  readonly threadId: string
  readonly toolCallId: string
  readonly title: string
  readonly detail: string
  readonly options: ReadonlyArray<{ readonly optionId: string; readonly name: string; readonly kind: string }>
  readonly state: "open" | "answered" | "withdrawn"
  readonly optionIndex: number | undefined
  readonly answeredBy: string | undefined
  /** The agent has the answer. */
  readonly sent: boolean
}

/** The permission requests of all turns: one row each, one winner each. */
export class Permissions extends Context.Tag("@heddle/bot/Permissions")<
  Permissions,
  {
    /** Stores a request; the row of the same turn and tool call that is not settled is opened again and returned. */
    readonly ask: (
      row: Pick<PermissionRow, "permissionId" | "turnId" | "threadId" | "toolCallId" | "title" | "detail" | "options">,
      now: number
    ) => Effect.Effect<PermissionRow>
    readonly find: (permissionId: string) => Effect.Effect<Option.Option<PermissionRow>>
    readonly ofTurn: (turnId: string) => Effect.Effect<ReadonlyArray<PermissionRow>>
    /** The requests of a thread that nobody has answered yet. */
    readonly openIn: (threadId: string) => Effect.Effect<ReadonlyArray<PermissionRow>>
    /** Settles an open request; false when it was settled before. */
    readonly answer: (permissionId: string, optionIndex: number, by: string, now: number) => Effect.Effect<boolean>
    readonly markSent: (permissionId: string) => Effect.Effect<void>
    /** Closes a request that nobody answered. */
    readonly withdraw: (permissionId: string) => Effect.Effect<void>
    /** Closes all requests of a turn that nobody answered. */
    readonly withdrawAll: (turnId: string) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Permissions, never, SqlClient.SqlClient> = Layer.effect(
  Permissions,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const find = (permissionId: string) =>
      sql<Row>`SELECT * FROM permissions WHERE permission_id = ${permissionId}`.pipe(
        Effect.orDie,
        Effect.map((rows) => Option.map(Option.fromNullable(rows[0]), fromRow))
      )
    return Permissions.of({
      ask: (row, now) =>
        Effect.gen(function* () {
          const [known] = yield* sql<Row>`UPDATE permissions
            SET state = CASE state WHEN 'withdrawn' THEN 'open' ELSE state END
            WHERE turn_id = ${row.turnId} AND tool_call_id = ${row.toolCallId} AND sent = 0 RETURNING *`
          if (known !== undefined) return fromRow(known)
          const [added] = yield* sql<Row>`INSERT INTO permissions ${sql.insert({
            permission_id: row.permissionId,
            turn_id: row.turnId,
            thread_id: row.threadId,
            tool_call_id: row.toolCallId,
            title: row.title,
            detail: row.detail,
            options: options.write(row.options),
            state: "open",
            sent: 0,
            asked_at: now
          })} ON CONFLICT (permission_id) DO UPDATE SET turn_id = excluded.turn_id RETURNING *`
          return added === undefined ? yield* Effect.dieMessage("a stored permission was not returned") : fromRow(added)
        }).pipe(Effect.orDie),
      find,
      ofTurn: (turnId) =>
        sql<Row>`SELECT * FROM permissions WHERE turn_id = ${turnId} ORDER BY asked_at, permission_id`.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(fromRow))
        ),
      openIn: (threadId) =>
        sql<Row>`SELECT * FROM permissions WHERE thread_id = ${threadId} AND state = 'open'
          ORDER BY asked_at, permission_id`.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(fromRow))
        ),
      answer: (permissionId, optionIndex, by, now) =>
        sql`UPDATE permissions SET state = 'answered', option_index = ${optionIndex}, answered_by = ${by},
          answered_at = ${now} WHERE permission_id = ${permissionId} AND state = 'open' RETURNING permission_id`.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        ),
      markSent: (permissionId) =>
        sql`UPDATE permissions SET sent = 1 WHERE permission_id = ${permissionId}`.pipe(Effect.orDie, Effect.asVoid),
      withdraw: (permissionId) =>
        sql`UPDATE permissions SET state = 'withdrawn' WHERE permission_id = ${permissionId} AND state = 'open'`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),
      withdrawAll: (turnId) =>
        sql`UPDATE permissions SET state = 'withdrawn' WHERE turn_id = ${turnId} AND state = 'open'`.pipe(
          Effect.orDie,
          Effect.asVoid
        )
    })
  })
)

const options = column(
  Schema.Array(Schema.Struct({ optionId: Schema.String, name: Schema.String, kind: Schema.String }))
)

interface Row {
  readonly permission_id: string
  readonly turn_id: string
  readonly thread_id: string
  readonly tool_call_id: string
  readonly title: string
  readonly detail: string
  readonly options: string
  readonly state: PermissionRow["state"]
  readonly option_index: number | null
  readonly answered_by: string | null
  readonly sent: number
}

const fromRow = (row: Row): PermissionRow => ({
  permissionId: row.permission_id,
  turnId: row.turn_id,
  threadId: row.thread_id,
  toolCallId: row.tool_call_id,
  title: row.title,
  detail: row.detail,
  options: options.read(row.options),
  state: row.state,
  optionIndex: row.option_index ?? undefined,
  answeredBy: row.answered_by ?? undefined,
  sent: row.sent === 1
})
