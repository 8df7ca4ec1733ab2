import { groups } from "./Catalogue.ts"
import type { Check } from "./Check.ts"
import { flagOf } from "./Settings.ts"
import { unreachable } from "./Unreachable.ts"

/** The documentation page of all checks and of the rows that no check reaches. */
export const checksPage = (): string =>
  [
    "# Conformance checks",
    "",
    "What `heddle-conformance` checks, by section of the document, and what it cannot reach. *Required* is what the document says; a *decision* fills one of its gaps ([contract decisions](./decisions)), and a service that fills it otherwise *differs* without failing.",
    "",
    "This page is written by `npx --yes pnpm@10 --filter @heddle/conformance run docs`.",
    "",
    ...bySection().flatMap(([section, checks]) => [
      `## Section ${section}`,
      "",
      ...checks.map((check) => `- ${nameOf(check)}${notes(check)}`),
      ""
    ]),
    "## Not reachable",
    "",
    "| Row | Why | Decision |",
    "|---|---|---|",
    ...unreachable.map(
      ({ decisions, reason, row }) =>
        `| ${escapeCell(row)} | ${escapeCell(reason)} | ${decisions.map(decisionLink).join(", ")} |`
    ),
    "",
    "## By decision",
    "",
    ...decisionNumbers().flatMap((number) => [
      `### Decision ${number}`,
      "",
      ...allChecks()
        .filter(({ decisions }) => decisions.includes(number))
        .map(({ level, name }) => `- \`${escapeCode(name)}\` (${level})`),
      ...unreachable
        .filter(({ decisions }) => decisions.includes(number))
        .map(({ reason, row }) => `- not reachable: ${escapeCell(row)}, because ${reason}`),
      ""
    ])
  ]
    .join("\n")
    .trimEnd() + "\n"

/** Fills the last column of the decision table with the checks of each row. */
export const fillChecksColumn = (table: string): string =>
  table
    .split("\n")
    .map((line) => {
      const [, rows] = /^\| (\d+(?:, \d+)*) \|.*\|$/.exec(line) ?? []
      return rows === undefined
        ? line
        : line.replace(/\|[^|]*\|$/, `| ${rows.split(", ").map(Number).map(checkCountLink).join("; ")} |`)
    })
    .join("\n")

const checkCountLink = (number: number) => {
  const count = allChecks().filter(({ decisions }) => decisions.includes(number)).length
  const rows = unreachable.filter(({ decisions }) => decisions.includes(number)).length
  const counts = [
    ...(count === 0 ? [] : [`${count} ${count === 1 ? "check" : "checks"}`]),
    ...(rows === 0 ? [] : ["not reachable"])
  ].join(", ")
  return counts === "" ? "–" : `[${counts}](./checks#decision-${number})`
}

const allChecks = (): ReadonlyArray<Check> => groups.flatMap(({ checks }) => checks)

const decisionNumbers = () =>
  [...new Set([...allChecks(), ...unreachable].flatMap(({ decisions }) => decisions))].sort((a, b) => a - b)

const bySection = () => {
  const sections = new Map<string, Array<Check>>()
  for (const check of allChecks()) sections.set(check.section, [...(sections.get(check.section) ?? []), check])
  return [...sections].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
}

const nameOf = ({ name }: Check) => `\`${escapeCode(name)}\``

const notes = ({ decisions, disposable, level, needs }: Check) => {
  const flags = [...needs.map((name) => `--${flagOf(name)}`), ...(disposable ? ["--disposable"] : [])]
  const parts = [
    ...(level === "required" ? [level] : []),
    ...(decisions.length === 0 ? [] : [`decision ${decisions.map(decisionLink).join(", ")}`]),
    ...(flags.length === 0 ? [] : [`needs ${flags.map((flag) => `\`${flag}\``).join(", ")}`])
  ]
  return ` (${parts.join("; ")})`
}

const decisionLink = (number: number) => `[${number}](#decision-${number})`

// The site's markdown takes double braces for a template.
const escapeCode = (text: string) => text.replaceAll("`", "'").replaceAll("{{", "{ {")

const escapeCell = (text: string) => text.replaceAll("|", "\\|").replaceAll("{", "&#123;").replaceAll("<", "&lt;")
