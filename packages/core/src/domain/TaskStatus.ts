import * as Schema from "effect/Schema"

/** The statuses that the document names (part 3), lower-cased. */
export const knownStatuses = [
  "creating",
  "idle",
  "planning",
  "working",
  "pending",
  "completed",
  "failed",
  "archived",
  "deleted"
] as const

export type KnownStatus = (typeof knownStatuses)[number]

/** A status as the wire spells it. */
const encode = (status: TaskStatus): TaskStatus => (status === "creating" ? "CREATING" : status)

/**
 * The status of a task: one of {@link knownStatuses}, or one of a newer server.
 * The wire has `CREATING` in capitals and all others in lower case (contract decision 73). Decoding ignores the case
 * of known statuses and keeps the spelling of all others.
 */
export const TaskStatus: Schema.Schema<TaskStatus, string> = Schema.transform(
  Schema.String,
  Schema.String as Schema.Schema<TaskStatus, string>,
  {
    strict: true,
    decode: (text) => knownStatuses.find((status) => status === text.toLowerCase()) ?? text,
    encode: encode
  }
).annotations({
  jsonSchema: {
    type: "string",
    "x-extensible-enum": knownStatuses.map(encode),
    examples: ["working"]
  }
})

export type TaskStatus = KnownStatus | (string & {})

/** Whether a task in this status has ended, whatever else it has (contract decision 73); for `failed` see `hasEnded`. */
export const isTerminal = (status: TaskStatus): boolean => status === "archived" || status === "deleted"

/** Whether a task in this status has a running turn. Some services also rest in `pending` after a turn. */
export const isBusy = (status: TaskStatus): boolean =>
  status === "creating" || status === "planning" || status === "working" || status === "pending"
