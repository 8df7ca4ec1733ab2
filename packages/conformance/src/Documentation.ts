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

/** Fills the last column of the decision table with the checks of each row, and the tests that the page names below. */
export const fillProofColumn = (page: string): string => {
  const tests = testCounts(page)
  return page
    .split("\n")
    .map((line) => {
      const [, row] = /^\| (\d+) \|.*\|$/.exec(line) ?? []
      return row === undefined
        ? line
        : line.replace(/\|[^|]*\|$/, `| ${proofLinks(Number(row), tests.get(row) ?? 0)} |`)
    })
    .join("\n")
}

/** How many tests the page names below the heading of each decision. */
const testCounts = (page: string): ReadonlyMap<string, number> =>
  new Map(
    page
      .split("\n### Decision ")
      .map((section) => [section.slice(0, section.indexOf("\n")), section.split("\n- ").length - 1])
  )

const proofLinks = (number: number, tests: number) => {
  const checks = allChecks().filter(({ decisions }) => decisions.includes(number)).length
  const rows = unreachable.filter(({ decisions }) => decisions.includes(number)).length
  const counts = [...counted(checks, "check"), ...(rows === 0 ? [] : ["not reachable"])].join(", ")
  const links = [
    ...(counts === "" ? [] : [`[${counts}](./checks#decision-${number})`]),
    ...counted(tests, "test").map((count) => `[${count}](#decision-${number})`)
  ].join(", ")
  return links === "" ? "–" : links
}

const counted = (count: number, noun: string) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? "" : "s"}`])

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
