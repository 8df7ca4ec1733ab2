import * as Schema from "effect/Schema"

/** The statuses that the document names (part 3), lower-cased. */
export const known = [
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

export type KnownStatus = (typeof known)[number]

/** A status as the wire spells it. */
const written = (status: TaskStatus): TaskStatus => (status === "creating" ? "CREATING" : status)

/**
 * The status of a task: one of {@link known}, or any word a newer server uses.
 * The wire writes `CREATING` in capitals and all others in lower case (contract decision 73); decoding ignores the
 * case of known words and keeps the spelling of all others.
 */
export const TaskStatus: Schema.Schema<TaskStatus, string> = Schema.transform(
  Schema.String,
  Schema.String as Schema.Schema<TaskStatus, string>,
  {
    strict: true,
    decode: (wire) => known.find((word) => word === wire.toLowerCase()) ?? wire,
    encode: written
  }
).annotations({
  jsonSchema: {
    type: "string",
    "x-extensible-enum": known.map(written),
    examples: ["working"]
  }
})

export type TaskStatus = KnownStatus | (string & {})

/** Whether a task in this status never works again (contract decision 74). */
export const isTerminal = (status: TaskStatus): boolean =>
  status === "failed" || status === "archived" || status === "deleted"

/** Whether a turn is under way in a task of this status. */
export const isBusy = (status: TaskStatus): boolean =>
  status === "creating" || status === "planning" || status === "working" || status === "pending"
