// The agents' requests are looked into freely; what is missing makes the model answer nothing.
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any

/** What an agent asks of a model, the same in every dialect. */
export interface Question {
  /** The texts of the person, the oldest first. */
  readonly texts: ReadonlyArray<string>
  /** The result of the tool that ran last, when the model goes on with the same turn. */
  readonly toolResult: string | undefined
  /** The names of the tools that the agent offers, with their parameters. */
  readonly tools: ReadonlyMap<string, ReadonlyArray<string>>
  /** The media types of the pictures, sounds and documents in the request. */
  readonly media: ReadonlyArray<string>
}

/** One server-sent event; the dialects of OpenAI and Google have no event names. */
export interface Frame {
  readonly event?: string
  readonly data: unknown
}

/** Writes one streamed answer. */
export interface Answer {
  readonly text: (text: string) => ReadonlyArray<Frame>
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => ReadonlyArray<Frame>
  readonly end: () => ReadonlyArray<Frame>
}

/** One protocol between agents and models. */
export interface Dialect {
  readonly question: (body: Loose) => Question
  readonly answer: (body: Loose) => Answer
  /** The answer to a request that is not streamed. */
  readonly whole: (text: string, body: Loose) => unknown
  readonly error: (status: number, message: string) => unknown
}

/** The text of content that is a string or a list of parts. */
export const plain = (content: Loose): string =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : []).map((part: Loose) => part?.text ?? "").join("\n")

/** The names of the properties of a JSON schema. */
export const propertiesOf = (schema: Loose): ReadonlyArray<string> => Object.keys(schema?.properties ?? {})

let ids = 0

/** An id that no other answer has: agents join messages with the same id. */
export const newId = (kind: string): string => `${kind}_${Date.now()}${++ids}`
