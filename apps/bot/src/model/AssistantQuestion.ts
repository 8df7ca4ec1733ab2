import type { AssistantMessage } from "@heddle/core/domain/AssistantMessage"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { lookup } from "../text/Lookup.ts"

const Choice = Schema.Struct({
  value: Schema.String,
  label: Schema.String,
  description: Schema.optional(Schema.String)
})

const Question = Schema.Struct({
  /** `q_0`, `q_1` and so on: the key of the answer. */
  id: Schema.String,
  question: Schema.String,
  header: Schema.optional(Schema.String),
  multiSelect: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  options: Schema.Array(Choice)
})

/** A question message of the local assistant: all questions are answered at once, under its `requestId`. */
export const AssistantQuestion = Schema.Struct({
  requestId: Schema.NonEmptyString,
  /** False when only the person at the computer can answer. */
  answerable: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  questions: Schema.Array(Question)
})
export type AssistantQuestion = typeof AssistantQuestion.Type

/** The answers so far, by question: positions of the chosen options. */
export type Draft = Readonly<Record<string, ReadonlyArray<number>>>

/**
 * The open question of a message; undefined otherwise. The service document does not define its form, so anything else
 * is text.
 */
export const fromMessage = ({ metadata, msgType }: AssistantMessage): Option.Option<AssistantQuestion> =>
  msgType === "questionnaire" || msgType === "permission_request" ? decode(metadata) : Option.none()

const decode = Schema.decodeUnknownOption(AssistantQuestion)

/** Whether the selects of one message can answer it. */
export const isAnswerable = ({ answerable, questions }: AssistantQuestion): boolean =>
  answerable &&
  questions.length > 0 &&
  questions.length <= 5 &&
  questions.every(({ options }) => options.length > 0 && options.length <= 25)

/** The answers for the service; none while a question has no answer. */
export const answersOf = (
  { questions }: AssistantQuestion,
  draft: Draft
): Option.Option<Record<string, string | Array<string>>> => {
  const answers = questions.map(({ id, multiSelect, options }) => {
    const chosen = (lookup(draft, id) ?? []).flatMap((at) => options[at]?.value ?? [])
    return [id, multiSelect ? chosen : (chosen[0] ?? ""), chosen.length > 0] as const
  })
  return answers.every(([, , isAnswered]) => isAnswered)
    ? Option.some(Object.fromEntries(answers.map(([id, answer]) => [id, answer])))
    : Option.none()
}
