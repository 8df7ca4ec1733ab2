import * as Permission from "@heddle/acp/Permission"
import type { Answers, QuestionRequest, Question } from "@heddle/core/api/AssistantProtocol"

/** A permission request as questions with the keys `q_0`, `q_1` and so on; a tool approval is one question. */
export const questionsOf = (
  permission: Permission.PermissionRequest
): Omit<QuestionRequest, "requestId" | "answerable"> => {
  const { options, questions, toolCall } = permission
  if (questions.length === 0) {
    const text = shown(toolCall?.title ?? "The agent asks for permission.")
    const question: Question = {
      id: "q_0",
      question: text,
      multiSelect: false,
      options: options.map(({ kind, name, optionId }) => ({ value: optionId, label: shown(name), description: kind }))
    }
    return { kind: "permission_request", text, questions: [question] }
  }
  return {
    kind: "questionnaire",
    text: questions.map(({ question }) => shown(question)).join("\n"),
    questions: questions.map(({ header, multiSelect, options, question }, position) => ({
      id: `q_${position}`,
      question: shown(question),
      ...(header === undefined ? {} : { header: shown(header) }),
      multiSelect,
      // What an answer says has to be to the letter; one that is too long for the service makes it refuse the question.
      options: options.map(({ description, label }) => ({
        value: label,
        label: shown(label),
        ...(description === undefined ? {} : { description: shown(description) })
      }))
    }))
  }
}

/** A text of the agent cut to a length that people read, never within a surrogate pair. */
const shown = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`

const longest = 2000

/** The agent's answer for what a person chose, by the same keys. */
export const toAnswer = ({ options, questions }: Permission.PermissionRequest, answers: Answers): Permission.Answer => {
  if (questions.length === 0) {
    const chosen = answers["q_0"]
    return typeof chosen === "string" ? Permission.selected(chosen) : Permission.cancelled
  }
  const go = options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => !kind.startsWith("reject"))
  if (go === undefined) return Permission.cancelled
  const byId = questions.flatMap(({ id }, position): ReadonlyArray<readonly [string, Answers[string]]> => {
    const given = answers[`q_${position}`]
    return given === undefined ? [] : [[id, given]]
  })
  return Permission.selected(go.optionId, Object.fromEntries(byId))
}

/** The mildest permission that is offered. */
export const allowed = ({ options }: Permission.PermissionRequest): Permission.Answer => {
  const chosen =
    options.find(({ kind }) => kind === "allow_once") ?? options.find(({ kind }) => kind.startsWith("allow"))
  return chosen === undefined ? Permission.cancelled : Permission.selected(chosen.optionId)
}

/** The mildest refusal that is offered. */
export const refused = ({ options }: Permission.PermissionRequest): Permission.Answer => {
  const chosen =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"))
  return chosen === undefined ? Permission.cancelled : Permission.selected(chosen.optionId)
}
