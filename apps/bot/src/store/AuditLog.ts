import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { column } from "./database/Json.ts"
import * as Table from "./database/Table.ts"

/** A decision or change in a server. */
export const AuditAction = Schema.Union(
  Schema.TaggedStruct("Started", { task: Schema.String }),
  Schema.TaggedStruct("Opened", { task: Schema.String }),
  Schema.TaggedStruct("Stopped", { task: Schema.String }),
  /** The agent was given a person's answer to its request. */
  Schema.TaggedStruct("Answered", {
    title: Schema.String,
    /** Absent where the agent did not tell what the chosen option means. */
    allowed: Schema.optionalWith(Schema.Boolean, { exact: true }),
    /** The other people who contributed answers. */
    with: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
  }),
  Schema.TaggedStruct("Shared", { userId: Schema.String, reply: Schema.Boolean, approve: Schema.Boolean }),
  Schema.TaggedStruct("Unshared", { userId: Schema.String }),
  Schema.TaggedStruct("RuleSet", {
    subject: Schema.Literal("Everyone", "Role", "User"),
    subjectId: Schema.String,
    channelId: Schema.String,
    capability: Schema.Literal("start", "reply", "approve", "stop", "spend"),
    /** Null: the rule was removed. */
    allow: Schema.NullOr(Schema.Boolean)
  }),
  /** A mode, a model or an option was chosen for the agent; the names that people read. */
  Schema.TaggedStruct("AgentSet", { name: Schema.String, value: Schema.String }),
  /** The files of every turn are posted, or no longer. */
  Schema.TaggedStruct("FilesSet", { always: Schema.Boolean }),
  /** With what new tasks begin; null where nothing is chosen. Of the options only those that were changed. */
  Schema.TaggedStruct("AgentDefaultsSet", {
    channelId: Schema.String,
    /** Empty for all agents; absent in entries from before defaults could be of one agent. */
    forAgent: Schema.optionalWith(Schema.String, { exact: true }),
    /** Absent in entries from before services offered several agents. */
    agent: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
    mode: Schema.NullOr(Schema.String),
    model: Schema.NullOr(Schema.String),
    /** Absent in entries from before options had defaults. */
    options: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) }), {
      exact: true
    })
  }),
  /** Null: the server's own Discord language. */
  Schema.TaggedStruct("LanguageSet", { locale: Schema.NullOr(Schema.String) }),
  /** The bot introduced itself. */
  Schema.TaggedStruct("Welcomed", { channelId: Schema.String })
)
export type AuditAction = typeof AuditAction.Type

/** An entry with its person, time and place. */
export interface AuditEntry {
  /** The Discord id of the click, command or message, or the key of an answer; a repeated id adds no entry. */
  readonly eventId: string
  readonly guildId: string
  readonly at: number
  readonly actorId: string
  readonly threadId: string | undefined
  readonly action: AuditAction
}

/** A server's log for its admins: approvals, starts, stops, shares and changes with person and time. */
export class AuditLog extends Context.Tag("@heddle/bot/AuditLog")<
  AuditLog,
  {
    /** Adds an entry, in the transaction of its change. */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
    /** The newest entries of a server after the first `skip`, and their total number. */
    readonly read: (
      guildId: string,
      page: { readonly skip: number; readonly size: number }
    ) => Effect.Effect<{ readonly entries: ReadonlyArray<AuditEntry>; readonly total: number }>
  }
>() {}

export const layer = Table.layer(AuditLog, (sql) =>
  AuditLog.of({
    record: (entry) =>
      sql`INSERT INTO audit ${sql.insert(toRow(entry))} ON CONFLICT (event_id) DO NOTHING`.pipe(Table.write),
    read: (guildId, { size, skip }) =>
      Effect.all({
        entries: sql<Row>`SELECT * FROM audit WHERE guild_id = ${guildId}
            ORDER BY at DESC, event_id DESC LIMIT ${size} OFFSET ${skip}`.pipe(Effect.map((rows) => rows.map(fromRow))),
        total: sql<{ n: number }>`SELECT COUNT(*) AS n FROM audit WHERE guild_id = ${guildId}`.pipe(
          Effect.map((rows) => Number(rows[0]?.n ?? 0))
        )
      }).pipe(Effect.orDie)
  })
)

const action = column(AuditAction)

interface Row {
  readonly event_id: string
  readonly guild_id: string
  readonly at: number
  readonly actor_id: string
  readonly thread_id: string | null
  readonly action: string
}

const toRow = (entry: AuditEntry) => ({
  event_id: entry.eventId,
  guild_id: entry.guildId,
  at: entry.at,
  actor_id: entry.actorId,
  thread_id: entry.threadId ?? null,
  action: action.write(entry.action)
})

const fromRow = (row: Row): AuditEntry => ({
  eventId: row.event_id,
  guildId: row.guild_id,
  at: Number(row.at),
  actorId: row.actor_id,
  threadId: row.thread_id ?? undefined,
  action: action.read(row.action)
})
