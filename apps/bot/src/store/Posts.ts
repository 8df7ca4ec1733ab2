import { createHash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { endLineKey } from "../model/Post.ts"
import * as Table from "./database/Table.ts"

/** The Discord message of a turn's post. */
export interface Posted {
  readonly key: string
  /** During a replacement the id of the old message. Undefined after a begun or refused creation: the message may exist. */
  readonly messageId: string | undefined
  /**
   * The hash of the message's content, or a marker; see {@link settled}, {@link unknownContent}, {@link refused} and
   * {@link creatingMarker}.
   */
  readonly hash: string
  /** The hash of the message's files. */
  readonly files: string
}

/** Marker in place of a hash: a person deleted the message, so it stays deleted. */
export const settled = "settled"

/** In place of a hash: the shown content is unknown, so the next call edits the message. */
export const unknownContent = ""

/** Marker in place of a hash: Discord rejected this content for this reason. Other content may pass. */
export const refused = (hash: string, reason: string): string => `refused ${hash} ${reason}`

/** The rejected hash and the reason in a marker. */
export const parseRefusal = (hash: string): { readonly rejectedHash: string; readonly reason: string } | undefined => {
  const [, rejectedHash, reason] = /^refused (\S+) (.*)$/s.exec(hash) ?? []
  return rejectedHash === undefined || reason === undefined ? undefined : { rejectedHash, reason }
}

/**
 * Marker in place of a hash: a message with this content is being created. `before` is the hash or marker in its place:
 * each failed try may have made the message.
 */
export const creatingMarker = (content: string, before = ""): string => {
  const tried = isBegun(before) ? before : "creating"
  return isCreating(tried, content) ? tried : `${tried} ${contentHash(content)}`
}

/** Whether a marker says that a message is being created. */
export const isBegun = (hash: string): boolean => hash.startsWith("creating ")

/** Whether a marker belongs to the creation of a message with this content. */
export const isCreating = (hash: string, content: string): boolean =>
  isBegun(hash) && hash.split(" ").includes(contentHash(content))

/** Discord trims text. */
const contentHash = (content: string): string =>
  createHash("sha256").update(content.trim()).digest("base64url").slice(0, 22)

/** The row of a replaced message, which is to be deleted. */
export const replaced = (messageId: string): Posted => ({
  key: `replaced:${messageId}`,
  messageId,
  hash: "",
  files: ""
})

export const isReplaced = ({ hash, key }: Posted): boolean => key.startsWith("replaced:") && hash !== settled

/** The turn key of a thread's cards, which belong to all its turns. */
export const artifactCardsOf = (threadId: string): string => `cards:${threadId}`

/** The posted messages. */
export class Posts extends Context.Tag("@heddle/bot/Posts")<
  Posts,
  {
    readonly ofTurn: (turnId: string) => Effect.Effect<ReadonlyArray<Posted>>
    /** Which of these messages are posts of any turn. */
    readonly knownMessageIds: (messageIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
    /** The newest post or turn id of a thread. */
    readonly newest: (threadId: string) => Effect.Effect<string | undefined>
    /** Stores or replaces a row. */
    readonly put: (turnId: string, posted: Posted) => Effect.Effect<void>
    readonly remove: (turnId: string, key: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(Posts, (sql) =>
  Posts.of({
    ofTurn: (turnId) =>
      sql<Row>`SELECT * FROM posts WHERE turn_id = ${turnId}`.pipe(
        Table.all((row) => ({
          key: row.post_key,
          messageId: row.message_id ?? undefined,
          hash: row.hash,
          files: row.files
        }))
      ),
    knownMessageIds: (messageIds) =>
      messageIds.length === 0
        ? Effect.succeed(new Set())
        : sql<{ message_id: string }>`SELECT message_id FROM posts WHERE ${sql.in("message_id", messageIds)}`.pipe(
            Effect.orDie,
            Effect.map((rows) => new Set(rows.map((row) => row.message_id)))
          ),
    newest: (threadId) =>
      sql<{ id: string }>`SELECT id FROM (
            SELECT turn_id AS id FROM turns WHERE thread_id = ${threadId}
            UNION ALL SELECT message_id FROM posts JOIN turns USING (turn_id)
              WHERE thread_id = ${threadId} AND message_id IS NOT NULL)
          ORDER BY length(id) DESC, id DESC LIMIT 1`.pipe(
        Effect.orDie,
        Effect.map(([row]) => row?.id)
      ),
    put: (turnId, { files, hash, key, messageId }) =>
      sql`INSERT INTO posts ${sql.insert({
        turn_id: turnId,
        post_key: key,
        message_id: messageId ?? null,
        hash,
        files
      })} ON CONFLICT (turn_id, post_key) DO UPDATE SET
          message_id = excluded.message_id, hash = excluded.hash, files = excluded.files`.pipe(Table.write),
    remove: (turnId, key) => sql`DELETE FROM posts WHERE turn_id = ${turnId} AND post_key = ${key}`.pipe(Table.write)
  })
)

/** The rows of the end of an inbox row's turn; without a `message_id` while Discord's answer is on its way. */
export const endPost = (sql: SqlClient.SqlClient): Fragment =>
  sql`SELECT message_id FROM posts WHERE turn_id = event_id AND post_key IN ('end', ${endLineKey})`

/** Whether people see no end yet of the turn of an inbox row, which waits or is answered. */
export const isUnanswered = (sql: SqlClient.SqlClient): Fragment =>
  sql`(state = 'queued' OR (state = 'running' AND NOT EXISTS (${endPost(sql)})))`

interface Row {
  readonly post_key: string
  readonly message_id: string | null
  readonly hash: string
  readonly files: string
}
