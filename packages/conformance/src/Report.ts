import type { Check } from "./Check.ts"
import type { Result } from "./Runner.ts"
import { flagOf } from "./Settings.ts"
import type { Unreachable } from "./Unreachable.ts"

/** The number of checks by verdict. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly differ: number
  readonly skipped: number
  readonly unreachable: number
}

/** Counts results. */
export const summarize = (results: ReadonlyArray<Result>, unreachable: number): Summary => {
  const count = (verdict: Result["verdict"]) => results.filter((result) => result.verdict === verdict).length
  return {
    passed: count("passed"),
    failed: count("failed"),
    differ: count("differs"),
    skipped: count("skipped"),
    unreachable
  }
}

/** A result for people: one line, and below a failure what was sent and what came. */
export const line = (result: Result): string => {
  const { check } = result
  switch (result.verdict) {
    case "passed":
      return `ok       ${check.name}`
    case "skipped":
      return `skipped  ${check.name} (${result.reason})`
    case "failed":
    case "differs":
      return [
        `${result.verdict === "failed" ? "FAILED  " : "differs "} ${check.name}`,
        ...result.problems.map((problem) => `         expected: ${problem}`),
        `         according to: ${source(check)}`,
        ...result.exchanges.slice(-3).flatMap(({ came, sent }) => [block("sent", sent), block("came", came)])
      ].join("\n")
  }
}

/** A result as one JSON object. */
export const json = (result: Result): string => {
  const { check, ms } = result
  return JSON.stringify({
    ...described(check),
    verdict: result.verdict,
    ms,
    ...("problems" in result ? { problems: result.problems, exchanges: result.exchanges.slice(-3) } : {}),
    ...("reason" in result ? { reason: result.reason } : {})
  })
}

/** The last line: it always holds `N passed, N failed`. */
export const summaryLine = ({ differ, failed, passed, skipped, unreachable }: Summary): string =>
  `${passed} passed, ${failed} failed, ${differ} ${differ === 1 ? "differs" : "differ"}, ${skipped} skipped, ${unreachable} not reachable`

/** A check as `--list` shows it. */
export const listed = (check: Check): string => {
  const needs = [...check.needs.map((name) => `--${flagOf(name)}`), ...(check.disposable ? ["--disposable"] : [])]
  return `${check.level.padEnd(8)} ${check.name}${needs.length === 0 ? "" : ` (needs ${needs.join(", ")})`}`
}

/** A row of the document that no check reaches, as `--list` shows it. */
export const listedRow = ({ reason, row }: Unreachable): string => `not reachable: ${row} (${reason})`

/** What identifies a check, for JSON. */
export const described = ({ decisions, disposable, level, name, needs, section }: Check) => ({
  check: name,
  level,
  section,
  decisions,
  needs: [...needs.map(flagOf), ...(disposable ? ["disposable"] : [])]
})

const source = ({ decisions, level, section }: Check) =>
  level === "required"
    ? `section ${section} of the document${decisions.length === 0 ? "" : ` (see also decision ${decisions.join(", ")})`}`
    : `decision ${decisions.join(", ")} on section ${section}, where the document leaves it open`

const block = (title: string, text: string) =>
  text
    .split("\n")
    .map((line, index) => `         ${index === 0 ? `${title}: ` : "      "}${line}`)
    .join("\n")
