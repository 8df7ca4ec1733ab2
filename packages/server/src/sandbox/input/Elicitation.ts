import * as Question from "@heddle/acp/Question"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import type { Resolution } from "./Resolution.ts"
import type * as PermissionOutcome from "./PermissionOutcome.ts"

// A form that an agent asks a person to fill in (`elicitation/create`). Each field becomes a question under the field's
// name. So clients that know only permission requests with questions show it, too (contract 6).

/** Tells whether an elicitation is a form; agents do not get the capability for URLs. */
export const isForm = (params: unknown): boolean =>
  stringField(params, "mode") === "form" && isRecord(field(field(params, "requestedSchema"), "properties"))

/**
 * The form as a permission request: agreeing sends the answers, refusing declines. `toolCallId` stands in for a
 * missing one.
 */
export const toPermission = (params: Readonly<Record<string, unknown>>, toolCallId: string): object => ({
  sessionId: params["sessionId"],
  toolCall: {
    toolCallId: stringField(params, "toolCallId") ?? toolCallId,
    title: stringField(params, "message") ?? "The agent has questions",
    rawInput: {
      questions: Question.fromForm(params["requestedSchema"]).map((question) => ({
        id: question.id,
        question: question.question,
        header: question.header ?? question.question,
        options: choicesOf(question).map(({ label }) => ({ label })),
        multiSelect: question.multiSelect
      }))
    }
  },
  options: [
    { optionId: submitOption, name: "Submit", kind: "allow_once" },
    { optionId: "decline", name: "Decline", kind: "reject_once" }
  ]
})

/**
 * Reads an answer to {@link toPermission} as the form's; an answer with an invalid field counts as cancelled. Clients put
 * `answers` into the outcome, into `_meta`, or into both as the client of `@heddle/acp` does (contract 6). Their keys are
 * the ids of the questions, or `q_` and the position for clients that number the questions.
 */
export const fromPermission = (schema: unknown, { _meta, outcome }: PermissionOutcome.Result): Resolution => {
  if (outcome.outcome === "cancelled") return cancelled
  if (outcome.optionId !== submitOption) return declined
  const answerValues = isRecord(outcome["answers"]) ? outcome["answers"] : field(_meta, "answers")
  const questions = Question.fromForm(schema)
  const answers: Record<string, Question.Value> = {}
  for (const [index, question] of questions.entries()) {
    const value = valueOf(question, field(answerValues, question.id) ?? field(answerValues, `q_${index}`))
    if (Question.problem(question, value) !== undefined) return cancelled
    if (value !== undefined) answers[question.id] = value
  }
  return { result: { action: "accept", content: Question.toContent(questions, answers) }, record: "accept" }
}

/** Reads the answer of a client that shows forms itself; undefined for an invalid one. */
export const parse = (result: unknown): Resolution | undefined => {
  const action = stringField(result, "action")
  if (!isRecord(result) || (action !== "accept" && action !== "decline" && action !== "cancel")) return undefined
  return { result, record: action }
}

export const declined: Resolution = { result: { action: "decline" }, record: "decline" }

export const cancelled: Resolution = { result: { action: "cancel" }, record: "cancel" }

const choicesOf = ({ kind, options }: Question.Question): Question.Question["options"] =>
  kind === "boolean" ? booleanChoices : options

/** An answer in the form's own words: a label stands for the value that it names. */
const valueOf = (question: Question.Question, answer: unknown): Question.Value | undefined => {
  const toValue = (word: string) => choicesOf(question).find(({ label }) => label === word)?.value ?? word
  if (typeof answer === "string") return question.multiSelect ? [toValue(answer)] : toValue(answer)
  if (typeof answer === "number" || typeof answer === "boolean") return answer
  if (!Array.isArray(answer)) return undefined
  const words = answer.filter((each) => typeof each === "string").map(toValue)
  return question.multiSelect ? words : words[0]
}

const submitOption = "submit"

const booleanChoices = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" }
]
