import type { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Table from "./database/Table.ts"
import {
  type AnswerDraft,
  type DraftedBy,
  fromRow,
  json,
  type PermissionRow,
  type PersonsAnswer,
  type Row
} from "./PermissionRow.ts"

/** A new request. */
export type NewPermission = Pick<
  PermissionRow,
  | "permissionId"
  | "turnId"
  | "threadId"
  | "fingerprint"
  | "toolCallId"
  | "form"
  | "title"
  | "detail"
  | "wholeDetail"
  | "options"
  | "questions"
  | "draft"
  | "deadlineAt"
  | "afterEntries"
  | "afterChars"
  | "afterText"
  | "afterSteps"
> & {
  /** The fingerprint belongs to this request alone, so that its answer may go out once more. */
  readonly isKnown: boolean
}

/** The requests of all turns; each request has one row and one outcome. `now` and deadlines: monotonic clock. */
export class Permissions extends Context.Tag("@heddle/bot/Permissions")<
  Permissions,
  {
    /**
     * Stores a request. Instead of a new row, returns a row of the turn with the same request whose answer the service
     * has not taken. An open row comes first, then the last answered one, then a withdrawn or undelivered one. The row
     * keeps only an answer that never went out, or that goes to a known request once more: any other may have reached the
     * agent, so the row opens again without it. Rows in `otherIds` are different requests.
     */
    readonly findOrAdd: (
      row: NewPermission,
      otherIds: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<PermissionRow>
    readonly find: (permissionId: string) => Effect.Effect<Option.Option<PermissionRow>>
    readonly ofTurn: (turnId: string) => Effect.Effect<ReadonlyArray<PermissionRow>>
    /** The open requests of a thread. */
    readonly openIn: (threadId: string) => Effect.Effect<ReadonlyArray<PermissionRow>>
    /**
     * Answers an open request before its deadline; false when another outcome came first or the deadline has passed.
     * `at`: the time of day, in epoch milliseconds.
     */
    readonly answer: (
      permissionId: string,
      answer: PersonsAnswer,
      given: { readonly by: string; readonly at: number },
      now: number
    ) => Effect.Effect<boolean>
    /**
     * Takes back an answer that the agent does not have: the request is open again with this draft, or expired when its
     * deadline has passed. `removedAuthors`: whose answers the draft no longer has.
     */
    readonly reopen: (
      permissionId: string,
      draft: AnswerDraft & { readonly draftedBy: DraftedBy },
      removedAuthors: ReadonlyArray<string>,
      now: number
    ) => Effect.Effect<void>
    /** Changes the draft of an open request atomically; returns the row before the change. */
    readonly draft: (
      permissionId: string,
      change: (row: PermissionRow) => (AnswerDraft & { readonly draftedBy: DraftedBy }) | undefined
    ) => Effect.Effect<Option.Option<PermissionRow>>
    /** The answer goes out now: from here on the agent may have it. */
    readonly markHandedOver: (permissionId: string) => Effect.Effect<void>
    /** The service has taken the answer. */
    readonly markSent: (permissionId: string) => Effect.Effect<void>
    /** The service has taken the cancellation of a request without an answer. */
    readonly markCancelled: (permissionId: string) => Effect.Effect<void>
    /** The agent has shown that it went on with an answer that the service has taken. */
    readonly markConfirmed: (permissionId: string) => Effect.Effect<void>
    /** The answer cannot reach the agent, or a request without an answer can no longer be answered. */
    readonly markUndelivered: (permissionId: string) => Effect.Effect<void>
    /** Expires the requests whose deadline has passed. */
    readonly expire: (turnId: string, now: number) => Effect.Effect<void>
    /** Closes an open request whose card Discord rejected; false when it has an outcome. */
    readonly markUnshown: (permissionId: string) => Effect.Effect<boolean>
    /** Withdraws an open request. */
    readonly withdraw: (permissionId: string) => Effect.Effect<void>
    /** Withdraws all open requests of a turn. */
    readonly withdrawAll: (turnId: string) => Effect.Effect<void>
    /** Withdraws all open requests of a turn that is over; answers that the service has not taken are undelivered. */
    readonly endTurn: (turnId: string) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(Permissions, (sql) => {
  const find = (permissionId: string) =>
    sql<Row>`SELECT * FROM permissions WHERE permission_id = ${permissionId}`.pipe(Table.first(fromRow))
  return Permissions.of({
    findOrAdd: (row, otherIds, now) =>
      Effect.orDie(
        Effect.flatMap(takeExisting(sql, row, otherIds, now), ([existing]) =>
          existing === undefined ? insert(sql, row, now) : Effect.succeed(fromRow(existing))
        )
      ),
    find,
    ofTurn: (turnId) =>
      sql<Row>`SELECT * FROM permissions WHERE turn_id = ${turnId} ORDER BY rowid`.pipe(Table.all(fromRow)),
    openIn: (threadId) =>
      sql<Row>`SELECT * FROM permissions WHERE thread_id = ${threadId} AND state = 'open'
          ORDER BY rowid`.pipe(Table.all(fromRow)),
    answer: (permissionId, answer, { at, by }, now) =>
      sql`UPDATE permissions SET state = 'answered', answer = ${json.answer.write(answer)}, answered_by = ${by},
          answered_at = ${at} WHERE permission_id = ${permissionId} AND state = 'open' AND deadline_at > ${now}
          RETURNING permission_id`.pipe(Table.isAny),
    reopen: (permissionId, { draft, draftedBy, optionPage, questionIndex }, removedAuthors, now) =>
      sql`UPDATE permissions SET state = CASE WHEN deadline_at > ${now} THEN 'open' ELSE 'expired' END,
          answer = NULL, answered_by = NULL, answered_at = NULL, draft = ${json.answers.write(draft)},
          drafted_by = ${json.draftedBy.write(draftedBy)}, step = ${questionIndex}, page = ${optionPage},
          removed_authors = ${json.removedAuthors.write(removedAuthors)}
          WHERE permission_id = ${permissionId} AND state = 'answered' AND sent = 0`.pipe(Table.write),
    draft: (permissionId, change) =>
      sql
        .withTransaction(
          Effect.tap(find(permissionId), (found) => {
            const next = Option.isNone(found) ? undefined : change(found.value)
            return next === undefined
              ? Effect.void
              : sql`UPDATE permissions SET draft = ${json.answers.write(next.draft)},
                    drafted_by = ${json.draftedBy.write(next.draftedBy)}, step = ${next.questionIndex}, page = ${next.optionPage}
                    WHERE permission_id = ${permissionId} AND state = 'open'`
          })
        )
        .pipe(Effect.orDie),
    markHandedOver: (permissionId) =>
      sql`UPDATE permissions SET handed_over = 1 WHERE permission_id = ${permissionId}`.pipe(Table.write),
    markSent: (permissionId) =>
      sql`UPDATE permissions SET sent = 1 WHERE permission_id = ${permissionId} AND sent = 0 AND state IN ('answered', 'expired', 'unshown')`.pipe(
        Table.write
      ),
    markCancelled: (permissionId) =>
      sql`UPDATE permissions SET sent = 1, state = 'withdrawn' WHERE permission_id = ${permissionId} AND sent = 0
          AND state IN ('open', 'withdrawn')`.pipe(Table.write),
    markConfirmed: (permissionId) =>
      sql`UPDATE permissions SET sent = 2 WHERE permission_id = ${permissionId} AND sent = 1`.pipe(Table.write),
    markUndelivered: (permissionId) =>
      sql`UPDATE permissions SET state = 'undelivered' WHERE permission_id = ${permissionId} AND sent = 0
          AND state IN ('open', 'answered')`.pipe(Table.write),
    expire: (turnId, now) =>
      sql`UPDATE permissions SET state = 'expired' WHERE turn_id = ${turnId} AND state = 'open'
          AND deadline_at <= ${now}`.pipe(Table.write),
    markUnshown: (permissionId) =>
      sql`UPDATE permissions SET state = 'unshown' WHERE permission_id = ${permissionId} AND state = 'open'
          RETURNING permission_id`.pipe(Table.isAny),
    withdraw: (permissionId) =>
      sql`UPDATE permissions SET state = 'withdrawn' WHERE permission_id = ${permissionId} AND state = 'open'`.pipe(
        Table.write
      ),
    withdrawAll: (turnId) =>
      sql`UPDATE permissions SET state = 'withdrawn' WHERE turn_id = ${turnId} AND state = 'open'`.pipe(Table.write),
    endTurn: (turnId) =>
      sql`UPDATE permissions SET state = CASE state WHEN 'open' THEN 'withdrawn' ELSE 'undelivered' END
          WHERE turn_id = ${turnId} AND (state = 'open' OR (state = 'answered' AND sent = 0))`.pipe(Table.write)
  })
})

/** The row of the turn with the same request, open again unless its answer is still to go out. */
const takeExisting = (sql: SqlClient, row: NewPermission, otherIds: ReadonlyArray<string>, now: number) => {
  const notTaken = otherIds.length === 0 ? [] : [sql`NOT ${sql.in("permission_id", otherIds)}`]
  const isGone = sql`state = 'undelivered'`
  const isDoubtful = row.isKnown ? isGone : sql`(${isGone} OR (state = 'answered' AND handed_over = 1))`
  const opensAgain = sql`(state = 'withdrawn' OR ${isDoubtful})`
  return sql<Row>`UPDATE permissions SET
      asked_at = CASE WHEN ${opensAgain} THEN ${now} ELSE asked_at END,
      deadline_at = CASE WHEN ${opensAgain} THEN ${row.deadlineAt} ELSE deadline_at END,
      answer = CASE WHEN ${isDoubtful} THEN NULL ELSE answer END,
      answered_by = CASE WHEN ${isDoubtful} THEN NULL ELSE answered_by END,
      answered_at = CASE WHEN ${isDoubtful} THEN NULL ELSE answered_at END,
      state = CASE WHEN ${opensAgain} THEN 'open' ELSE state END
    WHERE permission_id = (SELECT permission_id FROM permissions WHERE turn_id = ${row.turnId} AND sent = 0
      AND fingerprint = ${row.fingerprint}
      AND ${sql.and(notTaken)}
      ORDER BY CASE state WHEN 'open' THEN 0 WHEN 'withdrawn' THEN 2 WHEN 'undelivered' THEN 2 ELSE 1 END,
        answered_at DESC, rowid
      LIMIT 1) RETURNING *`
}

const insert = (sql: SqlClient, row: NewPermission, now: number) =>
  sql<Row>`INSERT INTO permissions ${sql.insert({
    permission_id: row.permissionId,
    turn_id: row.turnId,
    thread_id: row.threadId,
    fingerprint: row.fingerprint,
    tool_call_id: row.toolCallId,
    form: row.form,
    title: row.title,
    detail: row.detail,
    whole_detail: row.wholeDetail ?? null,
    options: json.options.write(row.options),
    questions: json.questions.write(row.questions),
    draft: json.answers.write(row.draft),
    step: 0,
    page: 0,
    deadline_at: row.deadlineAt,
    after_entries: row.afterEntries,
    after_chars: row.afterChars,
    after_text: row.afterText ?? null,
    after_steps: row.afterSteps ?? null,
    state: "open",
    handed_over: 0,
    sent: 0,
    asked_at: now
  })} RETURNING *`.pipe(
    Effect.flatMap(([inserted]) =>
      inserted === undefined
        ? Effect.dieMessage("a stored request was not returned")
        : Effect.succeed(fromRow(inserted))
    )
  )
