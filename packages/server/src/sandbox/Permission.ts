import * as Asking from "@heddle/acp/Permission"
import { field, isRecord, stringField } from "./internal/Json.ts"

/** A request that waits for a person: how answers to it are read, and what is answered for who does not answer. */
export interface Question {
  readonly method: string
  readonly form: Asking.Form
  /** Reads a client's answer, and one word of it for the record; undefined when it answers nothing that was asked. */
  readonly parse: (result: unknown) => { readonly result: unknown; readonly record: string } | undefined
  /** The mildest refusal that is offered. */
  readonly expired: unknown
  readonly cancelled: unknown
}

/** Reads a request of the agent under the vendor's prefix; undefined when no person can answer it. */
export const questionOf = (method: string, params: unknown, extensionPrefix: string): Question | undefined => {
  const form = Asking.formOf(method, extensionPrefix)
  if (form === undefined) return undefined
  if (form === "permission") {
    const options = optionsOf(params)
    return {
      method,
      form,
      parse: (result) => {
        const chosen = parse(result, options)
        return chosen === undefined ? undefined : { result: chosen, record: describe(chosen.outcome) }
      },
      expired: { outcome: refusal(options) },
      cancelled: { outcome: cancelled }
    }
  }
  const request = Asking.fromRequest(form, "", params)
  if (request === undefined) return undefined
  return {
    method,
    form,
    parse: (result) => {
      const word = stringField(form === "question" ? field(result, "outcome") : result, words[form].field)
      return word !== undefined && words[form].known.includes(word) ? { result, record: word } : undefined
    },
    expired: Asking.toResult(request, Asking.expired),
    cancelled: Asking.toResult(request, Asking.cancelled)
  }
}

/** Which forms a client can show, as it says in its `initialize`; every client can show permissions. */
export const formsOf = (initialize: unknown, extensionPrefix: string): ReadonlySet<Asking.Form> => {
  const capabilities = field(initialize, "clientCapabilities")
  const vendor = field(field(capabilities, "_meta"), extensionPrefix.replace(/^_/, ""))
  return new Set<Asking.Form>([
    "permission",
    ...(isRecord(field(field(capabilities, "elicitation"), "form")) ? (["elicitation"] as const) : []),
    ...(field(vendor, "question") === true ? (["question"] as const) : [])
  ])
}

/** Where an answer says what it is, and the words that it may say. */
const words = {
  question: { field: "outcome", known: ["submitted", "cancelled"] as ReadonlyArray<string> },
  elicitation: { field: "action", known: ["accept", "decline", "cancel"] as ReadonlyArray<string> }
}

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
