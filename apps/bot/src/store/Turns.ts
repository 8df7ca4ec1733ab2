import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { column } from "./database/Json.ts"
import type { End } from "../model/Conversation.ts"
import { endLineKey } from "../model/Post.ts"
import * as Table from "./database/Table.ts"

/** How much of the agent's text a turn has shown. */
export const ShownText = Schema.Struct({
  /** The number of user messages in the session, the turn's own included; text after the next one is not the turn's. */
  prompts: Schema.Number,
  /** The number of characters of the shown text, in UTF-16 units. */
  chars: Schema.Number,
  /** Recognizes the shown text: its SHA-256, the first 22 characters in base64url. */
  hash: Schema.String,
  /** How many outputs of steps the turn had. */
  outputs: Schema.optionalWith(Schema.Number, { exact: true })
})
export type ShownText = typeof ShownText.Type

/** The session's content before the turn; later entries belong to the turn, also in a replay. */
export const Baseline = Schema.Struct({
  /** The number of messages and tool calls of the agent. */
  items: Schema.Number,
  /** The number of user messages. */
  prompts: Schema.Number,
  /** The agent's text before the turn: some replays join it to the turn's own. */
  said: Schema.optionalWith(
    Schema.Struct({
      /** In UTF-16 units. */
      chars: Schema.Number,
      /** As in {@link ShownText}. */
      hash: Schema.String,
      /** How many tool calls and notices come after it. */
      steps: Schema.optionalWith(Schema.Number, { exact: true })
    }),
    { exact: true }
  ),
  /** The text of the late output of the previous turn, which this turn shows first. Stored as `late`. */
  lateText: Schema.optionalWith(Schema.String, { exact: true }).pipe(Schema.fromKey("late")),
  /** For a turn of late output: how much of the entries the previous turn showed; this turn shows the rest. Stored as `past`. */
  alreadyShown: Schema.optionalWith(ShownText, { exact: true }).pipe(Schema.fromKey("past")),
  /** The beginning of the text of a first prompt, which the service runs by itself. */
  first: Schema.optionalWith(Schema.String, { exact: true }),
  /** Identifies the turn's own prompt among those of other clients. */
  asked: Schema.optionalWith(
    Schema.Struct({
      /** The number of characters of user messages before it. */
      after: Schema.Number,
      /** A hash of their text; rows of earlier versions have none. */
      hash: Schema.optionalWith(Schema.String, { exact: true }),
      /** The beginning of its text; absent when it has files only. */
      words: Schema.String,
      /** The number of user messages with these words before it. */
      equal: Schema.optionalWith(Schema.Number, { exact: true }),
      /** The key in the `_meta` of the prompt: the id of the event that the turn answers. */
      key: Schema.optionalWith(Schema.String, { exact: true }),
      /** The key of the newest prompt before it. */
      previousKey: Schema.optionalWith(Schema.String, { exact: true })
    }),
    { exact: true }
  )
})
export type Baseline = typeof Baseline.Type

/** A turn of a thread: a prompt and all that answers it. */
export interface TurnRow {
  readonly turnId: string
  readonly threadId: string
  readonly startedAt: number
  readonly baseline: Baseline | undefined
  /** The prompt was given to the channel, so it may have arrived. */
  readonly prompted: boolean
  /** A person asked to stop the turn. */
  readonly stopAsked: boolean
  /** The end of the turn; it may not be posted yet. */
  readonly end: End | undefined
  /** The shown part of the agent's text, after the end. */
  readonly shown: ShownText | undefined
}

/** The turns of all threads. */
export class Turns extends Context.Tag("@heddle/bot/Turns")<
  Turns,
  {
    /** Begins a turn, or returns the existing one. */
    readonly begin: (turnId: string, threadId: string, now: number) => Effect.Effect<TurnRow>
    readonly find: (turnId: string) => Effect.Effect<Option.Option<TurnRow>>
    readonly setBaseline: (turnId: string, baseline: Baseline) => Effect.Effect<void>
    /** The thread's previous and next turns whose prompts were sent. */
    readonly neighbors: (
      turnId: string
    ) => Effect.Effect<{ readonly before: TurnRow | undefined; readonly after: TurnRow | undefined }>
    /** The last turn before this one in its thread whose prompt the agent may have. */
    readonly lastPrompted: (turnId: string) => Effect.Effect<Option.Option<TurnRow>>
    /** Whether another post or message stands between a turn's message and its posts. */
    readonly isSeparated: (turnId: string) => Effect.Effect<boolean>
    /** Stores the session's state right before the prompt is sent. */
    readonly setPrompted: (turnId: string, baseline: Baseline) => Effect.Effect<void>
    readonly setEnd: (turnId: string, end: End) => Effect.Effect<void>
    /** Takes the offer to send a turn's message once more, by a new entry; false when it has none, or none any more. */
    readonly takeResend: (turnId: string, resentId: string) => Effect.Effect<boolean>
    /** The turns of a thread whose messages are offered to be sent once more. */
    readonly offeringResend: (threadId: string) => Effect.Effect<ReadonlyArray<TurnRow>>
    /** The turn of a thread whose message was sent once more by this entry. */
    readonly resentBy: (threadId: string, resentId: string) => Effect.Effect<Option.Option<TurnRow>>
    /** Notes that the session has the message of a turn after all; this ends the offer to send it once more. */
    readonly markArrived: (turnId: string) => Effect.Effect<void>
    /** Threads whose last turn began before a time and ended recently. */
    readonly endedSince: (since: number, startedBefore: number) => Effect.Effect<ReadonlyArray<string>>
    readonly setShown: (turnId: string, shown: ShownText) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(Turns, (sql) =>
  Turns.of({
    begin: (turnId, threadId, now) =>
      sql<Row>`INSERT INTO turns ${sql.insert({
        turn_id: turnId,
        thread_id: threadId,
        started_at: now,
        prompted: 0
      })} ON CONFLICT (turn_id) DO UPDATE SET thread_id = excluded.thread_id RETURNING *`.pipe(
        Effect.flatMap(([row]) =>
          row === undefined ? Effect.dieMessage("a stored turn was not returned") : Effect.succeed(fromRow(row))
        ),
        Effect.orDie
      ),
    find: (turnId) => sql<Row>`SELECT * FROM turns WHERE turn_id = ${turnId}`.pipe(Table.first(fromRow)),
    setBaseline: (turnId, value) =>
      sql`UPDATE turns SET baseline = ${baseline.write(value)} WHERE turn_id = ${turnId}`.pipe(Table.write),
    neighbors: (turnId) => {
      const neighborTurn = (where: Fragment, order: Fragment) =>
        sql<Row>`SELECT * FROM turns WHERE baseline IS NOT NULL
            AND thread_id = (SELECT thread_id FROM turns WHERE turn_id = ${turnId})
            AND ${where} ORDER BY ${order} LIMIT 1`.pipe(
          Effect.orDie,
          Effect.map(([row]) => (row === undefined ? undefined : fromRow(row)))
        )
      const ownRowId = sql`(SELECT rowid FROM turns WHERE turn_id = ${turnId})`
      return Effect.all({
        before: neighborTurn(sql`rowid < ${ownRowId}`, sql`rowid DESC`),
        after: neighborTurn(sql`rowid > ${ownRowId}`, sql`rowid`)
      })
    },
    lastPrompted: (turnId) =>
      sql<Row>`SELECT turns.* FROM turns JOIN inbox ON inbox.event_id = turn_id
          WHERE turns.thread_id = (SELECT thread_id FROM turns WHERE turn_id = ${turnId})
            AND turns.rowid < (SELECT rowid FROM turns WHERE turn_id = ${turnId})
            AND kind <> 'late_output' AND (prompted = 1 OR first = 1)
          ORDER BY turns.rowid DESC LIMIT 1`.pipe(Table.first(fromRow)),
    isSeparated: (turnId) => {
      const newer = (id: Fragment) =>
        sql`(length(${id}) > length(${turnId}) OR (length(${id}) = length(${turnId}) AND ${id} > ${turnId}))`
      const others = sql`thread_id = (SELECT thread_id FROM turns WHERE turn_id = ${turnId})`
      return sql`SELECT 1 FROM inbox WHERE ${others} AND ${newer(sql`event_id`)}
          UNION ALL SELECT 1 FROM posts JOIN turns USING (turn_id)
            WHERE ${others} AND turn_id <> ${turnId} AND post_key <> ${endLineKey} AND ${newer(sql`message_id`)}
            LIMIT 1`.pipe(Table.isAny)
    },
    setPrompted: (turnId, value) =>
      sql`UPDATE turns SET prompted = 1, baseline = ${baseline.write(value)} WHERE turn_id = ${turnId}`.pipe(
        Table.write
      ),
    setEnd: (turnId, value) =>
      sql`UPDATE turns SET ended = ${end.write(value)} WHERE turn_id = ${turnId}`.pipe(Table.write),
    takeResend: (turnId, resentId) =>
      sql`UPDATE turns SET ended = json_set(json_remove(ended, '$.resend'), '$.resentBy', ${resentId})
          WHERE turn_id = ${turnId} AND json_extract(ended, '$.resend') = 1 RETURNING turn_id`.pipe(Table.isAny),
    offeringResend: (threadId) =>
      sql<Row>`SELECT * FROM turns WHERE thread_id = ${threadId} AND json_extract(ended, '$.resend') = 1`.pipe(
        Table.all(fromRow)
      ),
    resentBy: (threadId, resentId) =>
      sql<Row>`SELECT * FROM turns WHERE thread_id = ${threadId}
          AND json_extract(ended, '$.resentBy') = ${resentId}`.pipe(Table.first(fromRow)),
    markArrived: (turnId) =>
      sql`UPDATE turns SET ended = json_set(json_remove(ended, '$.resend'), '$.arrived', json('true'))
          WHERE turn_id = ${turnId}`.pipe(Table.write),
    endedSince: (since, startedBefore) =>
      sql<{ thread_id: string }>`SELECT thread_id FROM turns JOIN threads USING (thread_id)
          WHERE closed_at IS NULL AND shown IS NOT NULL AND started_at + json_extract(ended, '$.milliseconds') > ${since}
            AND started_at < ${startedBefore}
            AND turns.rowid = (SELECT MAX(rowid) FROM turns AS other WHERE other.thread_id = turns.thread_id)`.pipe(
        Table.all((row) => row.thread_id)
      ),
    setShown: (turnId, value) =>
      sql`UPDATE turns SET shown = ${shown.write(value)} WHERE turn_id = ${turnId}`.pipe(Table.write)
  })
)

const baseline = column(Baseline)

const shown = column(ShownText)

const end = column(
  Schema.Union(
    Schema.TaggedStruct("Done", {
      stopReason: Schema.String,
      milliseconds: Schema.Number,
      tokens: Schema.Union(Schema.Number, Schema.Undefined)
    }),
    Schema.TaggedStruct("Failed", {
      text: Schema.String,
      resend: Schema.optionalWith(Schema.Literal(true), { exact: true }),
      arrived: Schema.optionalWith(Schema.Literal(true), { exact: true })
    })
  )
)

interface Row {
  readonly turn_id: string
  readonly thread_id: string
  readonly started_at: number
  readonly baseline: string | null
  readonly prompted: number
  readonly stop_asked: number
  readonly ended: string | null
  readonly shown: string | null
}

const fromRow = (row: Row): TurnRow => ({
  turnId: row.turn_id,
  threadId: row.thread_id,
  startedAt: Number(row.started_at),
  baseline: row.baseline === null ? undefined : baseline.read(row.baseline),
  prompted: row.prompted === 1,
  stopAsked: row.stop_asked === 1,
  end: row.ended === null ? undefined : end.read(row.ended),
  shown: row.shown === null ? undefined : shown.read(row.shown)
})
