import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { YieldWrap } from "effect/Utils"
import type { Prerequisite } from "./Settings.ts"
import type { CheckContext } from "./CheckContext.ts"
import type { CheckFailure } from "./CheckFailure.ts"

/**
 * One rule that a service keeps or breaks.
 *
 * A `required` rule is in the document. A `decision` is a row of the decision table that fills a gap of the document; a
 * service that fills the gap otherwise is not at fault.
 */
export interface Check {
  /** Unique: the section or the decision, then the rule as a sentence. */
  readonly name: string
  readonly level: "required" | "decision"
  /** The section of the document. */
  readonly section: string
  /** Rows of the decision table that bear on it. */
  readonly decisions: ReadonlyArray<number>
  readonly needs: ReadonlyArray<Prerequisite>
  /** Whether it uses up a limit that only time gives back. */
  readonly disposable: boolean
  readonly run: Run
}

/** What a check does: it succeeds when the rule is kept. */
export type Run = Effect.Effect<unknown, CheckFailure, CheckContext | Scope.Scope>

/** What a check does, as a generator of its steps. */
export type Steps = () => Generator<YieldWrap<Run>, unknown, never>

/** What a check needs and which decisions bear on it. */
export interface CheckOptions {
  readonly needs?: ReadonlyArray<Prerequisite>
  readonly decisions?: ReadonlyArray<number>
  readonly disposable?: boolean
}

type Definition = readonly [run: Run | Steps] | readonly [options: CheckOptions, run: Run | Steps]

/** A rule of the document. */
export const required = (section: string, rule: string, ...definition: Definition): Check =>
  make({ name: `${section}: ${rule}`, level: "required", section, decisions: [] }, definition)

/** A rule by which the decision table fills a gap of the document. */
export const decided = (decision: number, section: string, rule: string, ...definition: Definition): Check =>
  make({ name: `decision ${decision}: ${rule}`, level: "decision", section, decisions: [decision] }, definition)

/** Adds settings to what each of these checks needs. */
export const needing = (needs: ReadonlyArray<Prerequisite>, checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  checks.map((check) => ({ ...check, needs: [...needs, ...check.needs] }))

function make(rule: Pick<Check, "name" | "level" | "section" | "decisions">, definition: Definition): Check {
  const [options, run] = definition.length === 1 ? [{}, definition[0]] : definition
  return {
    ...rule,
    decisions: [...rule.decisions, ...(options.decisions ?? [])],
    needs: options.needs ?? [],
    disposable: options.disposable ?? false,
    run: Effect.isEffect(run) ? run : Effect.gen(run)
  }
}
