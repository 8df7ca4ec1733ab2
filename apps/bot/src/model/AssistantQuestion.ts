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
  /** `q_0`, `q_1` and so on, by which it is answered. */
  id: Schema.String,
  question: Schema.String,
  header: Schema.optional(Schema.String),
  multiSelect: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  options: Schema.Array(Choice)
})

/** What the local assistant asks in a message: questions that are all answered at once, under its `requestId`. */
export const AssistantQuestion = Schema.Struct({
  requestId: Schema.NonEmptyString,
  /** False where only the person at the computer can answer. */
  answerable: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  questions: Schema.Array(Question)
})
export type AssistantQuestion = typeof AssistantQuestion.Type

/** The answers given so far, by question: the positions of the chosen options. */
export type Draft = Readonly<Record<string, ReadonlyArray<number>>>

/** The question in a message, if it is one and still waits; the document does not show its form, so anything else is text. */
export const fromMessage = ({ metadata, msgType }: AssistantMessage): Option.Option<AssistantQuestion> =>
  msgType === "questionnaire" || msgType === "permission_request" ? decode(metadata) : Option.none()

const decode = Schema.decodeUnknownOption(AssistantQuestion)

/** Whether it can be answered with the lists of one message. */
export const isAnswerable = ({ answerable, questions }: AssistantQuestion): boolean =>
  answerable &&
  questions.length > 0 &&
  questions.length <= 5 &&
  questions.every(({ options }) => options.length > 0 && options.length <= 25)

/** The answers as the service takes them; none while a question has no answer. */
export const answersOf = (
  { questions }: AssistantQuestion,
  draft: Draft
): Option.Option<Record<string, string | Array<string>>> => {
  const answers = questions.map(({ id, multiSelect, options }) => {
    const chosen = (lookup(draft, id) ?? []).flatMap((at) => options[at]?.value ?? [])
    return [id, multiSelect ? chosen : (chosen[0] ?? ""), chosen.length > 0] as const
  })
  return answers.every(([, , given]) => given)
    ? Option.some(Object.fromEntries(answers.map(([id, answer]) => [id, answer])))
    : Option.none()
}
