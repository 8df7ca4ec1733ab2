import { field, isRecord, stringField } from "./internal/Json.ts"
import type { Settled } from "./Inquiry.ts"
import type * as Permission from "./Permission.ts"

// A form that an agent asks a person to fill in (`elicitation/create`), also for clients that know only permission
// requests with questions (spec 6): each field becomes a question under the field's name.

/** Tells whether an elicitation is a form; what leads to another address is not offered to agents. */
export const isForm = (params: unknown): boolean =>
  stringField(params, "mode") === "form" && isRecord(field(field(params, "requestedSchema"), "properties"))

/** The form as a permission request: agreeing sends the answers, refusing declines. `toolCallId` stands in for a missing one. */
export const toPermission = (params: Readonly<Record<string, unknown>>, toolCallId: string): object => {
  const message = stringField(params, "message") ?? "The agent has questions"
  return {
    sessionId: params["sessionId"],
    toolCall: {
      toolCallId: stringField(params, "toolCallId") ?? toolCallId,
      title: message,
      rawInput: {
        questions: fieldsOf(params["requestedSchema"]).map(({ id, choices, many, text, title }) => ({
          id,
          question: text,
          header: title,
          options: choices.map(({ label }) => ({ label })),
          multiSelect: many
        }))
      }
    },
    options: [
      { optionId: agree, name: "Submit", kind: "allow_once" },
      { optionId: "decline", name: "Decline", kind: "reject_once" }
    ]
  }
}

/** Reads an answer to {@link toPermission} as the form's; one that leaves a required field out counts as none. */
export const fromPermission = (schema: unknown, { _meta, outcome }: Permission.Result): Settled => {
  if (outcome.outcome === "cancelled") return cancelled
  if (outcome.optionId !== agree) return declined
  const answers = isRecord(outcome["answers"]) ? outcome["answers"] : field(_meta, "answers")
  const content: Record<string, unknown> = {}
  for (const [at, each] of fieldsOf(schema).entries()) {
    const value = valueOf(each, field(answers, each.id) ?? field(answers, `q_${at}`))
    if (value !== undefined) content[each.id] = value
    else if (each.required) return cancelled
  }
  return { result: { action: "accept", content }, record: "accept" }
}

/** Reads the answer of a client that shows forms itself; undefined when it is none. */
export const parse = (result: unknown): Settled | undefined => {
  const action = stringField(result, "action")
  if (!isRecord(result) || (action !== "accept" && action !== "decline" && action !== "cancel")) return undefined
  return { result, record: action }
}

export const declined: Settled = { result: { action: "decline" }, record: "decline" }

export const cancelled: Settled = { result: { action: "cancel" }, record: "cancel" }

interface Field {
  readonly id: string
  readonly type: string
  readonly title: string
  readonly text: string
  readonly choices: ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly many: boolean
  readonly required: boolean
}

const fieldsOf = (schema: unknown): ReadonlyArray<Field> => {
  const properties = field(schema, "properties")
  const required = field(schema, "required")
  return Object.entries(isRecord(properties) ? properties : {}).map(([id, property]): Field => {
    const type = stringField(property, "type") ?? "string"
    const title = stringField(property, "title") ?? id
    const many = type === "array"
    return {
      id,
      type,
      title,
      text: stringField(property, "description") ?? title,
      choices: type === "boolean" ? yesOrNo : choicesOf(many ? field(property, "items") : property),
      many,
      required: Array.isArray(required) && required.includes(id)
    }
  })
}

const choicesOf = (property: unknown): Field["choices"] =>
  ["enum", "oneOf", "anyOf"].flatMap((name) => {
    const list = field(property, name)
    return (Array.isArray(list) ? list : []).flatMap((choice: unknown) => {
      const value = typeof choice === "string" ? choice : stringField(choice, "const")
      return value === undefined ? [] : [{ value, label: stringField(choice, "title") ?? value }]
    })
  })

/** The value that an answer stands for in the form; undefined when the field does not take it. */
const valueOf = ({ choices, many, type }: Field, answer: unknown): unknown => {
  if (many) {
    const chosen = (Array.isArray(answer) ? answer : [answer]).map((each) => choiceOf(choices, each))
    return answer === undefined || chosen.includes(undefined) ? undefined : chosen
  }
  const given: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  if (type === "boolean") return typeof given === "boolean" ? given : booleans.get(choiceOf(choices, given) ?? "")
  if (type === "number" || type === "integer") {
    const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined
    return type === "number" || Number.isInteger(value) ? value : undefined
  }
  if (choices.length > 0) return choiceOf(choices, given)
  return typeof given === "string" ? given : undefined
}

const choiceOf = (choices: Field["choices"], answer: unknown): string | undefined =>
  choices.find(({ label, value }) => answer === label || answer === value)?.value

const agree = "submit"

const yesOrNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" }
]

const booleans = new Map([
  ["true", true],
  ["false", false]
])
