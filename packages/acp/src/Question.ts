/** One question to a person: of an AskUserQuestion, or one field of a form. */
export interface Question {
  /** The key of its answer: the id of the agent, or `q_` and the position; the name of a form's field. */
  readonly id: string
  readonly question: string
  readonly header?: string
  /** The kind of its answer: a choice among `options`, or a value of this type. */
  readonly kind: "choice" | "text" | "number" | "integer" | "boolean"
  /** The options; `value` is what the answer holds. */
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string; readonly description?: string }>
  readonly multiSelect: boolean
  /** Whether other text than the options is an answer, too. */
  readonly freeText: boolean
  readonly required: boolean
  /** Bounds of a number, of the length of a text, or of the number of options. */
  readonly atLeast?: number
  readonly atMost?: number
  readonly suggested?: Value
}

/** The answer to one question: a text, the `value` of an option or several, a number, or a boolean. */
export type Value = string | number | boolean | ReadonlyArray<string>

/** Answers by question id. */
export type Answers = Readonly<Record<string, Value>>

/** The answer to a question, whose id may be any string, such as "constructor". */
export const answerOf = (answers: Answers, id: string): Value | undefined =>
  Object.hasOwn(answers, id) ? answers[id] : undefined

/** Reads the questions of an AskUserQuestion (`{ questions: [...] }`). */
export const fromRawInput = (rawInput: unknown): ReadonlyArray<Question> => {
  if (!isRecord(rawInput) || !Array.isArray(rawInput.questions)) return []
  return rawInput.questions.flatMap((raw: unknown, position): ReadonlyArray<Question> => {
    if (!isRecord(raw) || typeof raw.question !== "string") return []
    const options = Array.isArray(raw.options) ? raw.options.flatMap(labelled) : []
    return [
      {
        id: typeof raw.id === "string" ? raw.id : `q_${position}`,
        question: raw.question,
        ...(typeof raw.header === "string" ? { header: raw.header } : {}),
        kind: options.length === 0 ? "text" : "choice",
        options,
        multiSelect: raw.multiSelect === true,
        freeText: true,
        required: false
      }
    ]
  })
}

/** Reads the fields of an elicitation's `requestedSchema`; a field of an unknown type is a text. */
export const fromForm = (schema: unknown): ReadonlyArray<Question> => {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const required: ReadonlyArray<unknown> = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([id, field]) =>
    isRecord(field) ? [fieldOf(id, field, required.includes(id))] : []
  )
}

/** What is wrong with an answer. Bounds are of a number, of the length of a text, or of the number of options. */
export type AnswerProblem =
  | { readonly _tag: "Missing" }
  | { readonly _tag: "WrongKind"; readonly kind: Question["kind"] }
  | { readonly _tag: "NotOffered"; readonly value: string }
  | { readonly _tag: "TooLittle"; readonly atLeast: number }
  | { readonly _tag: "TooMuch"; readonly atMost: number }

/** Checks an answer; undefined if it can be sent. */
export const checkAnswer = (question: Question, rawValue: Value | undefined): AnswerProblem | undefined => {
  if (rawValue === undefined || rawValue === "") return question.required ? { _tag: "Missing" } : undefined
  const value = toValue(question, rawValue)
  if (value === undefined) return { _tag: "WrongKind", kind: question.kind }
  const chosen = typeof value === "string" ? [value] : Array.isArray(value) ? value : []
  if (question.kind === "choice" && !question.freeText) {
    const odd = chosen.find((each) => !question.options.some((option) => option.value === each))
    if (odd !== undefined) return { _tag: "NotOffered", value: odd }
  }
  const size = typeof value === "number" ? value : typeof value === "boolean" ? undefined : value.length
  if (size === undefined || (question.kind === "choice" && !question.multiSelect)) return undefined
  const { atLeast, atMost } = question
  if (atLeast !== undefined && size < atLeast) return { _tag: "TooLittle", atLeast }
  if (atMost !== undefined && size > atMost) return { _tag: "TooMuch", atMost }
  return undefined
}

/** The message of {@link checkAnswer}; undefined if the answer can be sent. */
export const problem = (question: Question, rawValue: Value | undefined): string | undefined => {
  const found = checkAnswer(question, rawValue)
  switch (found?._tag) {
    case undefined:
      return undefined
    case "Missing":
      return "An answer is required"
    case "WrongKind":
      return `The answer must be ${names[found.kind]}`
    case "NotOffered":
      return `"${found.value.slice(0, 100)}" is not offered`
    case "TooLittle":
      return `The minimum is ${found.atLeast}`
    case "TooMuch":
      return `The maximum is ${found.atMost}`
  }
}

/** The answers with the types of the form, without empty ones and those of no question. */
export const toContent = (questions: ReadonlyArray<Question>, answers: Answers): Answers =>
  Object.fromEntries(
    questions.flatMap((question) => {
      const rawValue = answerOf(answers, question.id)
      const value = rawValue === undefined || rawValue === "" ? undefined : toValue(question, rawValue)
      return value === undefined ? [] : [[question.id, value]]
    })
  )

const names = {
  choice: "one of the options",
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no"
} satisfies Record<Question["kind"], string>

// People type text, whatever the field.
const toValue = ({ kind, multiSelect }: Question, rawValue: Value): Value | undefined => {
  switch (kind) {
    case "number":
    case "integer": {
      const number = typeof rawValue === "string" && rawValue.trim() !== "" ? Number(rawValue) : rawValue
      if (typeof number !== "number" || !Number.isFinite(number)) return undefined
      return kind === "integer" && !Number.isInteger(number) ? undefined : number
    }
    case "boolean":
      return typeof rawValue === "boolean"
        ? rawValue
        : rawValue === "true"
          ? true
          : rawValue === "false"
            ? false
            : undefined
    case "text":
      return typeof rawValue === "object" ? undefined : String(rawValue)
    case "choice": {
      const chosen = typeof rawValue === "object" ? rawValue : [String(rawValue)]
      return multiSelect ? chosen : chosen.length === 1 ? chosen[0] : undefined
    }
  }
}

const fieldOf = (id: string, field: Readonly<Record<string, unknown>>, required: boolean): Question => {
  const items = isRecord(field.items) ? field.items : {}
  const multiSelect = field.type === "array"
  const options = [field.enum, field.oneOf, ...(multiSelect ? [items.enum, items.anyOf] : [])].flatMap((list) =>
    Array.isArray(list) ? list.flatMap(constant) : []
  )
  const { type } = field
  const title = textOf(field.title) ?? id
  const description = textOf(field.description)
  const [least, most] = multiSelect
    ? [field.minItems, field.maxItems]
    : type === "string"
      ? [field.minLength, field.maxLength]
      : [field.minimum, field.maximum]
  return {
    id,
    question: description ?? title,
    ...(description === undefined ? {} : { header: title }),
    kind:
      multiSelect || options.length > 0
        ? "choice"
        : type === "number" || type === "integer" || type === "boolean"
          ? type
          : "text",
    options,
    multiSelect,
    freeText: false,
    required,
    ...(typeof least === "number" ? { atLeast: least } : {}),
    ...(typeof most === "number" ? { atMost: most } : {}),
    ...(isValue(field.default) ? { suggested: field.default } : {})
  }
}

const labelled = (raw: unknown): Array<Question["options"][number]> => {
  if (typeof raw === "string") return [{ value: raw, label: raw }]
  if (!isRecord(raw) || typeof raw.label !== "string") return []
  const description = textOf(raw.description)
  return [{ value: raw.label, label: raw.label, ...(description === undefined ? {} : { description }) }]
}

const constant = (raw: unknown): Array<Question["options"][number]> => {
  if (typeof raw === "string") return [{ value: raw, label: raw }]
  if (!isRecord(raw) || typeof raw.const !== "string") return []
  const description = textOf(raw.description)
  return [
    { value: raw.const, label: textOf(raw.title) ?? raw.const, ...(description === undefined ? {} : { description }) }
  ]
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isValue = (value: unknown): value is Value =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (Array.isArray(value) && value.every((each) => typeof each === "string"))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
