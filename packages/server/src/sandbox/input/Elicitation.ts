import * as Question from "@heddle/acp/Question"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import type { Resolution } from "./Resolution.ts"
import type * as PermissionOutcome from "./PermissionOutcome.ts"

// A form that an agent asks a person to fill in (`elicitation/create`), also for clients that know only permission
// requests with questions (contract 6): each field becomes a question under the field's name.

/** Tells whether an elicitation is a form; what leads to another address is not offered to agents. */
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
      questions: Question.fromForm(params["requestedSchema"]).map((each) => ({
        id: each.id,
        question: each.question,
        header: each.header ?? each.question,
        options: choicesOf(each).map(({ label }) => ({ label })),
        multiSelect: each.multiSelect
      }))
    }
  },
  options: [
    { optionId: agree, name: "Submit", kind: "allow_once" },
    { optionId: "decline", name: "Decline", kind: "reject_once" }
  ]
})

/** Reads an answer to {@link toPermission} as the form's; one that a field does not take counts as none. */
export const fromPermission = (schema: unknown, { _meta, outcome }: PermissionOutcome.Result): Resolution => {
  if (outcome.outcome === "cancelled") return cancelled
  if (outcome.optionId !== agree) return declined
  const given = isRecord(outcome["answers"]) ? outcome["answers"] : field(_meta, "answers")
  const questions = Question.fromForm(schema)
  const answers: Record<string, Question.Value> = {}
  for (const [at, each] of questions.entries()) {
    const value = valueOf(each, field(given, each.id) ?? field(given, `q_${at}`))
    if (Question.problem(each, value) !== undefined) return cancelled
    if (value !== undefined) answers[each.id] = value
  }
  return { result: { action: "accept", content: Question.toContent(questions, answers) }, record: "accept" }
}

/** Reads the answer of a client that shows forms itself; undefined when it is none. */
export const parse = (result: unknown): Resolution | undefined => {
  const action = stringField(result, "action")
  if (!isRecord(result) || (action !== "accept" && action !== "decline" && action !== "cancel")) return undefined
  return { result, record: action }
}

export const declined: Resolution = { result: { action: "decline" }, record: "decline" }

export const cancelled: Resolution = { result: { action: "cancel" }, record: "cancel" }

const choicesOf = ({ kind, options }: Question.Question): Question.Question["options"] =>
  kind === "boolean" ? yesOrNo : options

/** An answer in the form's own words: a label stands for the value that it names. */
const valueOf = (question: Question.Question, answer: unknown): Question.Value | undefined => {
  const named = (word: string) => choicesOf(question).find(({ label }) => label === word)?.value ?? word
  if (typeof answer === "string") return question.multiSelect ? [named(answer)] : named(answer)
  if (typeof answer === "number" || typeof answer === "boolean") return answer
  if (!Array.isArray(answer)) return undefined
  const words = answer.filter((each) => typeof each === "string").map(named)
  return question.multiSelect ? words : words[0]
}

const agree = "submit"

const yesOrNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" }
]
