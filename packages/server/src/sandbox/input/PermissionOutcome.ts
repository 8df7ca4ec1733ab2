import { field, isRecord, stringField } from "../../internal/Json.ts"

/** An option of a permission request. */
export interface PermissionOption {
  readonly optionId: string
  readonly kind: string
}

/** The outcome of a permission request in ACP. */
export type Outcome =
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string; readonly [more: string]: unknown }

/** The options of a request that have an id. */
export const optionsOf = (params: unknown): ReadonlyArray<PermissionOption> => {
  const options = field(params, "options")
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    const optionId = stringField(option, "optionId")
    return optionId === undefined ? [] : [{ optionId, kind: stringField(option, "kind") ?? "" }]
  })
}

/** The result of a permission request in ACP. */
export interface Result {
  readonly outcome: Outcome
  readonly _meta?: unknown
}

/** Reads a client's answer; undefined when it selects no offered option. `_meta` is passed through. */
export const parse = (result: unknown, options: ReadonlyArray<PermissionOption>): Result | undefined => {
  const outcome = outcomeOf(field(result, "outcome"), options)
  const meta = field(result, "_meta")
  return outcome === undefined ? undefined : { outcome, ...(meta === undefined ? {} : { _meta: meta }) }
}

/** The answer of a person who does not answer: `reject_once` if offered, else another `reject_*`, else cancelled. */
export const refusal = (options: ReadonlyArray<PermissionOption>): Outcome => {
  const rejection =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind.startsWith("reject"))
  return rejection === undefined ? cancelled : { outcome: "selected", optionId: rejection.optionId }
}

export const cancelled: Outcome = { outcome: "cancelled" }

/** The stored form of an outcome: one word. */
export const describe = (outcome: Outcome): string =>
  outcome.outcome === "selected" ? outcome.optionId : outcome.outcome

const outcomeOf = (outcome: unknown, options: ReadonlyArray<PermissionOption>): Outcome | undefined => {
  if (!isRecord(outcome)) return undefined
  if (outcome["outcome"] === "cancelled") return cancelled
  const optionId = stringField(outcome, "optionId")
  if (outcome["outcome"] !== "selected" || optionId === undefined) return undefined
  if (!options.some((option) => option.optionId === optionId)) return undefined
  return { ...outcome, outcome: "selected", optionId }
}
