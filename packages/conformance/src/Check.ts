import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Prerequisite } from "./Settings.ts"
import type { Unanswered, Wire } from "./Wire.ts"

/**
 * One thing that a service either keeps or does not.
 *
 * `required` is what the document says; `ruling` is how its gaps are read in the decision table, where another reading
 * is no fault.
 */
export interface Check {
  /** Unique: the section or the decision, then the rule as a sentence. */
  readonly name: string
  readonly level: "required" | "ruling"
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
export type Run = Effect.Effect<void, Mismatch | Skipped | Unanswered, Wire | Scope.Scope>

/** The service answered otherwise than the rule says; one sentence for each difference. */
export class Mismatch extends Data.TaggedError("Mismatch")<{ readonly problems: ReadonlyArray<string> }> {}

/** The check could not be made, and why. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/** What else there is to say about a check. */
export interface More {
  readonly needs?: ReadonlyArray<Prerequisite>
  readonly decisions?: ReadonlyArray<number>
  readonly disposable?: boolean
}

/** A rule that the document states. */
export const required = (section: string, rule: string, run: Run, more: More = {}): Check => ({
  name: `${section}: ${rule}`,
  level: "required",
  section,
  decisions: more.decisions ?? [],
  needs: more.needs ?? [],
  disposable: more.disposable ?? false,
  run
})

/** A rule that the decision table reads into a gap of the document. */
export const ruling = (decision: number, section: string, rule: string, run: Run, more: More = {}): Check => ({
  name: `decision ${decision}: ${rule}`,
  level: "ruling",
  section,
  decisions: [decision, ...(more.decisions ?? [])],
  needs: more.needs ?? [],
  disposable: more.disposable ?? false,
  run
})
