import type { Check } from "./Check.ts"
import type { Result } from "./Runner.ts"
import { flagOf } from "./Settings.ts"
import type { Unreachable } from "./Unreachable.ts"

/** The number of checks by verdict. */
export interface Summary {
  readonly passed: number
  readonly failed: number
  readonly differs: number
  readonly skipped: number
  /** The number of rows of the API document that no check can reach. */
  readonly unreachable: number
}

export const summarize = (results: ReadonlyArray<Result>, unreachable: number): Summary => {
  const count = (verdict: Result["verdict"]) => results.filter((result) => result.verdict === verdict).length
  return {
    passed: count("passed"),
    failed: count("failed"),
    differs: count("differs"),
    skipped: count("skipped"),
    unreachable
  }
}

/** A result for people: one line, and below a failure the requests and responses. */
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
        `         according to: ${sourceOf(check)}`,
        ...result.exchanges
          .slice(-3)
          .flatMap(({ received, sent }) => [indent("sent", sent), indent("received", received)])
      ].join("\n")
  }
}

/** A result as one JSON object. */
export const json = (result: Result): string => {
  const { check, ms } = result
  return JSON.stringify({
    ...toJson(check),
    verdict: result.verdict,
    ms,
    ...("problems" in result ? { problems: result.problems, exchanges: result.exchanges.slice(-3) } : {}),
    ...("reason" in result ? { reason: result.reason } : {})
  })
}

/** The last line of a run, with `N passed, N failed`. */
export const summaryLine = ({ differs, failed, passed, skipped, unreachable }: Summary): string =>
  `${passed} passed, ${failed} failed, ${differs} ${differs === 1 ? "differs" : "differ"}, ${skipped} skipped, ${unreachable} not reachable`

/** A check as `--list` shows it. */
export const listLine = (check: Check): string => {
  const needs = [...check.needs.map((name) => `--${flagOf(name)}`), ...(check.disposable ? ["--disposable"] : [])]
  return `${check.level.padEnd(8)} ${check.name}${needs.length === 0 ? "" : ` (needs ${needs.join(", ")})`}`
}

/** An unreachable row of the API document, as `--list` shows it. */
export const listRowLine = ({ reason, row }: Unreachable): string => `not reachable: ${row} (${reason})`

/** The fields of a check in JSON. */
export const toJson = ({ decisions, disposable, level, name, needs, section }: Check) => ({
  check: name,
  level,
  section,
  decisions,
  needs: [...needs.map(flagOf), ...(disposable ? ["disposable"] : [])]
})

const sourceOf = ({ decisions, level, section }: Check) =>
  level === "required"
    ? `section ${section} of the document${decisions.length === 0 ? "" : ` (see also decision ${decisions.join(", ")})`}`
    : `decision ${decisions.join(", ")} on section ${section}, where the document leaves it open`

const indent = (title: string, text: string) =>
  text
    .split("\n")
    .map((line, index) => `         ${index === 0 ? `${title}: ` : " ".repeat(title.length + 2)}${line}`)
    .join("\n")
