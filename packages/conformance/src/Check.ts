import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { YieldWrap } from "effect/Utils"
import type { Prerequisite } from "./Settings.ts"
import type { CheckContext } from "./CheckContext.ts"
import type { CheckFailure } from "./CheckFailure.ts"

/**
 * One rule that a service keeps or breaks.
 *
 * A `required` rule is in the API document. A `decision` is a row of the decision table that fills a gap of the API
 * document. A service may fill the gap in another way.
 */
export interface Check {
  /** Unique: the section or the decision, then the rule as a sentence. */
  readonly name: string
  readonly level: "required" | "decision"
  /** The section of the API document. */
  readonly section: string
  /** The rows of the decision table that concern it. */
  readonly decisions: ReadonlyArray<number>
  readonly needs: ReadonlyArray<Prerequisite>
  /** Whether it uses up a limit that recovers only with time. */
  readonly disposable: boolean
  readonly run: Run
}

/** The effect of a check; it succeeds if the service keeps the rule. */
export type Run = Effect.Effect<unknown, CheckFailure, CheckContext | Scope.Scope>

/** The steps of a check, as a generator. */
export type Steps = () => Generator<YieldWrap<Run>, unknown, never>

/** What a check needs, and the decisions that concern it. */
export interface CheckOptions {
  readonly needs?: ReadonlyArray<Prerequisite>
  readonly decisions?: ReadonlyArray<number>
  readonly disposable?: boolean
}

type Definition = readonly [run: Run | Steps] | readonly [options: CheckOptions, run: Run | Steps]

/** A rule of the API document. */
export const required = (section: string, rule: string, ...definition: Definition): Check =>
  make({ name: `${section}: ${rule}`, level: "required", section }, definition)

/** The options of a {@link decided} check. Its first decision is the one that it checks. */
export type DecidedOptions = CheckOptions & { readonly decisions: readonly [number, ...ReadonlyArray<number>] }

/** A rule by which the decision table fills a gap of the API document. */
export const decided = (section: string, rule: string, options: DecidedOptions, run: Run | Steps): Check =>
  make({ name: `decision ${options.decisions[0]}: ${rule}`, level: "decision", section }, [options, run])

/** Adds required settings to each of these checks. */
export const needing = (needs: ReadonlyArray<Prerequisite>, checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  checks.map((check) => ({ ...check, needs: [...needs, ...check.needs] }))

function make(rule: Pick<Check, "name" | "level" | "section">, definition: Definition): Check {
  const [options, run] = definition.length === 1 ? [{}, definition[0]] : definition
  return {
    ...rule,
    decisions: options.decisions ?? [],
    needs: options.needs ?? [],
    disposable: options.disposable ?? false,
    run: Effect.isEffect(run) ? run : Effect.gen(run)
  }
}
