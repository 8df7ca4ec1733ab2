import { field, isRecord, stringField } from "../../internal/Json.ts"

/** What an agent offers to choose from. */
export interface Option {
  readonly optionId: string
  readonly kind: string
}

/** The answer to a permission request, as the wire has it. */
export type Outcome =
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string; readonly [more: string]: unknown }

/** The options of a request; what has no id cannot be chosen. */
export const optionsOf = (params: unknown): ReadonlyArray<Option> => {
  const options = field(params, "options")
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    const optionId = stringField(option, "optionId")
    return optionId === undefined ? [] : [{ optionId, kind: stringField(option, "kind") ?? "" }]
  })
}

/** The result of a permission request, as the agent gets it. */
export interface Result {
  readonly outcome: Outcome
  readonly _meta?: unknown
}

/** Reads a client's answer; undefined when it chooses nothing that was offered. Answers to questions travel along. */
export const parse = (result: unknown, options: ReadonlyArray<Option>): Result | undefined => {
  const outcome = outcomeOf(field(result, "outcome"), options)
  const meta = field(result, "_meta")
  return outcome === undefined ? undefined : { outcome, ...(meta === undefined ? {} : { _meta: meta }) }
}

/** What is answered for a person who does not: the mildest refusal that is offered. */
export const refusal = (options: ReadonlyArray<Option>): Outcome => {
  const chosen =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"))
  return chosen === undefined ? cancelled : { outcome: "selected", optionId: chosen.optionId }
}

export const cancelled: Outcome = { outcome: "cancelled" }

/** One word for the record. */
export const describe = (outcome: Outcome): string =>
  outcome.outcome === "selected" ? outcome.optionId : outcome.outcome

const outcomeOf = (outcome: unknown, options: ReadonlyArray<Option>): Outcome | undefined => {
  if (!isRecord(outcome)) return undefined
  if (outcome["outcome"] === "cancelled") return cancelled
  const optionId = stringField(outcome, "optionId")
  if (outcome["outcome"] !== "selected" || optionId === undefined) return undefined
  if (!options.some((option) => option.optionId === optionId)) return undefined
  return { ...outcome, outcome: "selected", optionId }
}
