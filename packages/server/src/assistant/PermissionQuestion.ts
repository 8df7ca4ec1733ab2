import * as Permission from "@heddle/acp/Permission"
import type { Answers, Asked, Question } from "./Wire.ts"

/** Words what the agent asks as questions with the keys `q_0`, `q_1` and so on; a tool approval is one question. */
export const fromPermission = (permission: Permission.PermissionRequest): Omit<Asked, "requestId" | "answerable"> => {
  const { options, questions, toolCall } = permission
  if (questions.length === 0) {
    const text = toolCall.title ?? "The agent asks for permission."
    const question: Question = {
      id: "q_0",
      question: text,
      multiSelect: false,
      options: options.map(({ kind, name, optionId }) => ({ value: optionId, label: name, description: kind }))
    }
    return { kind: "permission_request", text, questions: [question] }
  }
  return {
    kind: "questionnaire",
    text: questions.map(({ question }) => question).join("\n"),
    questions: questions.map(({ header, multiSelect, options, question }, position) => ({
      id: `q_${position}`,
      question,
      ...(header === undefined ? {} : { header }),
      multiSelect,
      options: options.map(({ label, ...more }) => ({ value: label, label, ...more }))
    }))
  }
}

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
