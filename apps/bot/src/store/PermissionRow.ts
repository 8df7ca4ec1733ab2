import type * as Permission from "@heddle/acp/Permission"
import type { Answers, Question } from "@heddle/acp/Question"
import * as Schema from "effect/Schema"
import { column, recordOf } from "./database/Json.ts"

/** A request of the agent with its outcome. */
export interface PermissionRow {
  readonly permissionId: string
  readonly turnId: string
  readonly threadId: string
  /** Identifies the request within its turn, independent of its id on the wire. */
  readonly fingerprint: string
  /** Empty when the request has no tool call. */
  readonly toolCallId: string
  readonly form: Permission.Form
  readonly title: string
  readonly detail: string
  /** All of `detail`, where that has only a part. */
  readonly wholeDetail: string | undefined
  readonly options: ReadonlyArray<{ readonly optionId: string; readonly name: string; readonly kind: string }>
  readonly questions: ReadonlyArray<Question>
  /** The answers so far, the shown question and the shown page of its options. */
  readonly draft: Answers
  readonly draftedBy: DraftedBy
  /**
   * Set when an answer was taken back before the agent got it: whose answers were removed. Empty when Discord did not
   * return the membership of an author; then all answers are kept.
   */
  readonly removedAuthors: ReadonlyArray<string> | undefined
  readonly questionIndex: number
  readonly optionPage: number
  readonly deadlineAt: number
  /** The request's place in the session: the number of agent entries before it, and the length of the last. */
  readonly afterEntries: number
  readonly afterChars: number
  /**
   * The same place where a replay joins messages: the length of the agent's text without message ids before it, and the
   * number of other entries after that text. Undefined in rows of earlier versions.
   */
  readonly afterText: number | undefined
  readonly afterSteps: number | undefined
  /**
   * `unshown`: Discord rejected its card, so it cannot be answered. `undelivered`: its connection is gone, so its answer, if
   * it has one, counts as not delivered.
   */
  readonly state: "open" | "answered" | "expired" | "withdrawn" | "unshown" | "undelivered"
  readonly answer: PersonsAnswer | undefined
  readonly answeredBy: string | undefined
  readonly answeredAt: number | undefined
  /** An answer went out, so the agent may have it. */
  readonly handedOver: boolean
  /** The service has taken the answer. */
  readonly sent: boolean
  /** The agent has shown that it went on with the answer. */
  readonly confirmed: boolean
}

/** The Discord user id of each answer's author. */
export type DraftedBy = Readonly<Record<string, ReadonlyArray<string>>>

/** The state of a partly answered request. */
export interface AnswerDraft {
  readonly draft: Answers
  readonly questionIndex: number
  readonly optionPage: number
}

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Value = Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Array(Schema.String))

const AnswersColumn = recordOf(Value)

const QuestionColumn = Schema.Struct({
  id: Schema.String,
  question: Schema.String,
  header: optional(Schema.String),
  kind: Schema.Literal("choice", "text", "number", "integer", "boolean"),
  options: Schema.Array(
    Schema.Struct({ value: Schema.String, label: Schema.String, description: optional(Schema.String) })
  ),
  multiSelect: Schema.Boolean,
  freeText: Schema.Boolean,
  required: Schema.Boolean,
  atLeast: optional(Schema.Number),
  atMost: optional(Schema.Number),
  suggested: optional(Value)
})

const PersonsAnswer = Schema.Union(
  Schema.TaggedStruct("Selected", { optionId: Schema.String }),
  Schema.TaggedStruct("Answered", { answers: AnswersColumn }),
  Schema.TaggedStruct("Declined", {})
)

/** A person's decision on a request. */
export type PersonsAnswer = typeof PersonsAnswer.Type

/** The columns that hold JSON. */
export const json = {
  options: column(Schema.Array(Schema.Struct({ optionId: Schema.String, name: Schema.String, kind: Schema.String }))),
  questions: column(Schema.Array(QuestionColumn)),
  answers: column(AnswersColumn),
  draftedBy: column(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) })),
  removedAuthors: column(Schema.Array(Schema.String)),
  answer: column(PersonsAnswer)
}

/** A row of the table `permissions`. */
export interface Row {
  readonly permission_id: string
  readonly turn_id: string
  readonly thread_id: string
  readonly fingerprint: string
  readonly tool_call_id: string
  readonly form: PermissionRow["form"]
  readonly title: string
  readonly detail: string
  readonly whole_detail: string | null
  readonly options: string
  readonly questions: string
  readonly draft: string
  readonly drafted_by: string
  readonly removed_authors: string | null
  readonly step: number
  readonly page: number
  readonly deadline_at: number
  readonly after_entries: number
  readonly after_chars: number
  readonly after_text: number | null
  readonly after_steps: number | null
  readonly state: PermissionRow["state"]
  readonly answer: string | null
  readonly answered_by: string | null
  readonly answered_at: number | null
  readonly handed_over: number
  readonly sent: number
}

/** Decodes a row. */
export const fromRow = (row: Row): PermissionRow => ({
  permissionId: row.permission_id,
  turnId: row.turn_id,
  threadId: row.thread_id,
  fingerprint: row.fingerprint,
  toolCallId: row.tool_call_id,
  form: row.form,
  title: row.title,
  detail: row.detail,
  wholeDetail: row.whole_detail ?? undefined,
  options: json.options.read(row.options),
  questions: json.questions.read(row.questions),
  draft: json.answers.read(row.draft),
  draftedBy: json.draftedBy.read(row.drafted_by),
  removedAuthors: row.removed_authors === null ? undefined : json.removedAuthors.read(row.removed_authors),
  questionIndex: row.step,
  optionPage: row.page,
  deadlineAt: Number(row.deadline_at),
  afterEntries: row.after_entries,
  afterChars: row.after_chars,
  afterText: row.after_text ?? undefined,
  afterSteps: row.after_steps ?? undefined,
  state: row.state,
  answer: row.answer === null ? undefined : json.answer.read(row.answer),
  answeredBy: row.answered_by ?? undefined,
  answeredAt: row.answered_at === null ? undefined : Number(row.answered_at),
  handedOver: row.handed_over === 1,
  sent: row.sent >= 1,
  confirmed: row.sent === 2
})
