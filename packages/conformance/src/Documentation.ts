import { groups } from "./Catalogue.ts"
import type { Check } from "./Check.ts"
import { flagOf } from "./Settings.ts"
import { unreachable } from "./Unreachable.ts"

/** The page that lists every check, and every row that none reaches. */
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
      ...checks.map((check) => `- ${rule(check)}${notes(check)}`),
      ""
    ]),
    "## Not reachable",
    "",
    "| Row | Why | Decision |",
    "|---|---|---|",
    ...unreachable.map(
      ({ decisions, reason, row }) => `| ${cell(row)} | ${cell(reason)} | ${decisions.map(link).join(", ")} |`
    ),
    "",
    "## By decision",
    "",
    ...numbers().flatMap((number) => [
      `### Decision ${number}`,
      "",
      ...all()
        .filter(({ decisions }) => decisions.includes(number))
        .map(({ level, name }) => `- \`${code(name)}\` (${level})`),
      ...unreachable
        .filter(({ decisions }) => decisions.includes(number))
        .map(({ reason, row }) => `- not reachable: ${cell(row)}, because ${reason}`),
      ""
    ])
  ]
    .join("\n")
    .trimEnd() + "\n"

/** The decision table with its last column filled in: the checks of each row. */
export const withChecks = (table: string): string =>
  table
    .split("\n")
    .map((line) => {
      const [, rows] = /^\| (\d+(?:, \d+)*) \|.*\|$/.exec(line) ?? []
      return rows === undefined
        ? line
        : line.replace(/\|[^|]*\|$/, `| ${rows.split(", ").map(Number).map(counted).join("; ")} |`)
    })
    .join("\n")

const counted = (number: number) => {
  const count = all().filter(({ decisions }) => decisions.includes(number)).length
  const rows = unreachable.filter(({ decisions }) => decisions.includes(number)).length
  const counts = [
    ...(count === 0 ? [] : [`${count} ${count === 1 ? "check" : "checks"}`]),
    ...(rows === 0 ? [] : ["not reachable"])
  ].join(", ")
  return counts === "" ? "–" : `[${counts}](./checks#decision-${number})`
}

const all = (): ReadonlyArray<Check> => groups.flatMap(({ checks }) => checks)

const numbers = () =>
  [...new Set([...all(), ...unreachable].flatMap(({ decisions }) => decisions))].sort((a, b) => a - b)

const bySection = () => {
  const sections = new Map<string, Array<Check>>()
  for (const check of all()) sections.set(check.section, [...(sections.get(check.section) ?? []), check])
  return [...sections].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
}

const rule = ({ name }: Check) => `\`${code(name)}\``

const notes = ({ decisions, disposable, level, needs }: Check) => {
  const flags = [...needs.map((name) => `--${flagOf(name)}`), ...(disposable ? ["--disposable"] : [])]
  const parts = [
    ...(level === "required" ? [level] : []),
    ...(decisions.length === 0 ? [] : [`decision ${decisions.map(link).join(", ")}`]),
    ...(flags.length === 0 ? [] : [`needs ${flags.map((flag) => `\`${flag}\``).join(", ")}`])
  ]
  return ` (${parts.join("; ")})`
}

const link = (number: number) => `[${number}](#decision-${number})`

// The site's markdown takes double braces for a template.
const code = (text: string) => text.replaceAll("`", "'").replaceAll("{{", "{ {")

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("{", "&#123;").replaceAll("<", "&lt;")
