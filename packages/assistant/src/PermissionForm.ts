import * as Permission from "@heddle/acp/Permission"
import type { Answers, QuestionRequest, Question } from "@heddle/core/api/AssistantProtocol"

/** A permission request as questions with the keys `q_0`, `q_1` and so on; a tool approval is one question. */
export const toQuestions = (
  permission: Permission.PermissionRequest
): Omit<QuestionRequest, "requestId" | "answerable"> => {
  const { options, questions, toolCall } = permission
  if (questions.length === 0) {
    const text = shorten(toolCall?.title ?? "The agent asks for permission.")
    const question: Question = {
      id: "q_0",
      question: text,
      multiSelect: false,
      options: options.map(({ kind, name, optionId }) => ({ value: optionId, label: shorten(name), description: kind }))
    }
    return { kind: "permission_request", text, questions: [question] }
  }
  return {
    kind: "questionnaire",
    text: questions.map(({ question }) => shorten(question)).join("\n"),
    questions: questions.map(({ header, multiSelect, options, question }, position) => ({
      id: `q_${position}`,
      question: shorten(question),
      ...(header === undefined ? {} : { header: shorten(header) }),
      multiSelect,
      // The value must be exact. The service refuses a question with a value that is too long.
      options: options.map(({ description, label }) => ({
        value: label,
        label: shorten(label),
        ...(description === undefined ? {} : { description: shorten(description) })
      }))
    }))
  }
}

/** Cuts a text of the agent to a readable length, never within a surrogate pair. */
const shorten = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

const maxLength = 2000

/** Turns a person's answers with the same keys into the result for the agent. */
export const toAnswer = ({ options, questions }: Permission.PermissionRequest, answers: Answers): Permission.Answer => {
  if (questions.length === 0) {
    const chosen = answers["q_0"]
    return typeof chosen === "string" ? Permission.selected(chosen) : Permission.cancelled
  }
  const allowOption =
    options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => !kind.startsWith("reject"))
  if (allowOption === undefined) return Permission.cancelled
  const byId = questions.flatMap(({ id }, position): ReadonlyArray<readonly [string, Answers[string]]> => {
    const answer = answers[`q_${position}`]
    return answer === undefined ? [] : [[id, answer]]
  })
  return Permission.selected(allowOption.optionId, Object.fromEntries(byId))
}

/** Selects the narrowest offered permission. */
export const allow = ({ options }: Permission.PermissionRequest): Permission.Answer => {
  const chosen =
    options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => kind.startsWith("allow"))
  return chosen === undefined ? Permission.cancelled : Permission.selected(chosen.optionId)
}

/** Selects the narrowest offered refusal. */
export const refuse = ({ options }: Permission.PermissionRequest): Permission.Answer => {
  const chosen =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"))
  return chosen === undefined ? Permission.cancelled : Permission.selected(chosen.optionId)
}
