/** One question an agent asks a person (AskUserQuestion), as it comes in a permission request's `rawInput.questions`. */
export interface Question {
  /** The key of its answer: the agent's own id, else `q_` and its position. */
  readonly id: string
  readonly question: string
  readonly header?: string
  readonly options: ReadonlyArray<{ readonly label: string; readonly description?: string }>
  readonly multiSelect: boolean
}

/** What a person chose, by question id: one label, or several where the question allows it. */
export type Answers = Readonly<Record<string, string | ReadonlyArray<string>>>

/** Reads the questions of a tool call's raw input; empty when it asks none. */
export const fromRawInput = (rawInput: unknown): ReadonlyArray<Question> => {
  if (!isRecord(rawInput) || !Array.isArray(rawInput.questions)) return []
  return rawInput.questions.flatMap((raw: unknown, position) => {
    if (!isRecord(raw) || typeof raw.question !== "string") return []
    return [
      {
        id: typeof raw.id === "string" ? raw.id : `q_${position}`,
        question: raw.question,
        ...(typeof raw.header === "string" ? { header: raw.header } : {}),
        options: Array.isArray(raw.options) ? raw.options.flatMap(toOption) : [],
        multiSelect: raw.multiSelect === true
      }
    ]
  })
}

const toOption = (raw: unknown): Array<Question["options"][number]> => {
  if (typeof raw === "string") return [{ label: raw }]
  if (!isRecord(raw) || typeof raw.label !== "string") return []
  return [{ label: raw.label, ...(typeof raw.description === "string" ? { description: raw.description } : {}) }]
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
