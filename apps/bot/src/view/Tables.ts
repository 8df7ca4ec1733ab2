import { codeSafe, textSafe } from "./Defuse.ts"

/** The first two lines of a table. */
export interface Head {
  readonly header: string
  readonly rule: string
}

/**
 * A table as a code block with aligned columns or, where that is wider than a phone or not wanted, as a list: the names
 * of the columns, then an entry for each row. A row that still grows is shown without what may yet become a mark.
 */
export const lay = (
  head: Head,
  rows: ReadonlyArray<string>,
  options: { readonly list?: boolean; readonly growing?: boolean } = {}
): string => {
  const whole = options.growing === true ? [...rows.slice(0, -1), (rows.at(-1) ?? "").replace(/[\s*\\]+$/, "")] : rows
  const table = [head.header, head.rule, ...whole]
  const code = options.list === true ? [] : align(table)
  const wide =
    options.list === true || code.some((line) => width(line) > phone) || code.every((line) => line.trim() === "")
  return (wide ? list(table) : ["```", ...code.map(codeSafe), "```"]).join("\n")
}

/** Whether a line is a row of a table, if one goes on. */
export const isRow = (line: string | undefined): boolean => line !== undefined && /^\s*\|.*\S/.test(line)

/** Whether a line is the rule below the header of a table. */
export const isRule = (line: string): boolean =>
  line.length < 2000 && /^\s*\|\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line)

/** Whether a line that is not finished may become the rule below a header. */
export const mayBeRule = (line: string): boolean => /^\s*\|[\s:|-]*$/.test(line)

/** How many columns of a fixed-width font a phone shows in a line. */
const phone = 40

const list = ([header = "", , ...rows]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = split(header)
  return [
    `-# ${names.map((name) => textSafe(name, false)).join(" · ")}`,
    ...rows.flatMap((row) => {
      const [first = "", ...others] = split(row)
      return [
        `- ${textSafe(first, false) || "–"}`,
        ...others.flatMap((cell, index) => {
          const name = names[index + 1] ?? ""
          return cell === "" ? [] : [`  - ${textSafe(`${name}${name === "" ? "" : ": "}${cell}`, false)}`]
        })
      ]
    })
  ]
}

const align = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const table = rows.map(cells)
  const right = (table[1] ?? []).map((rule) => rule.endsWith(":") && !rule.startsWith(":"))
  const body = table.filter((_, index) => index !== 1)
  const widths = body.reduce<ReadonlyArray<number>>(
    (wide, row) =>
      Array.from({ length: Math.max(wide.length, row.length) }, (_, column) =>
        Math.max(wide[column] ?? 0, width(row[column] ?? ""))
      ),
    []
  )
  const lines = body.map((row) =>
    widths
      .map((wide, column) => {
        const cell = row[column] ?? ""
        const gap = " ".repeat(wide - width(cell))
        return right[column] === true ? gap + cell : cell + gap
      })
      .join("  ")
      .trimEnd()
  )
  return [lines[0] ?? "", widths.map((wide) => "─".repeat(wide)).join("  "), ...lines.slice(1)]
}

const cells = (row: string): ReadonlyArray<string> => split(row).map(unmarked)

/** The cells of a row as they were written. */
const split = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

const marks = /(?<ticks>`+)(?!`).*?[^`]\k<ticks>(?!`)|\\(?<sign>[!-/:-@[-`{-~])|\*\*/g

/** A cell as it reads where Markdown means nothing: no escapes, no bold; in code only a bar can be escaped. */
const unmarked = (cell: string): string =>
  cell.replace(marks, (match, ticks: string | undefined, sign: string | undefined) =>
    ticks === undefined ? (sign ?? "") : match.replaceAll("\\|", "|")
  )

/** Columns that a text takes in a fixed-width font: wide East Asian signs take two. */
const width = (text: string): number =>
  [...text].reduce(
    (sum, sign) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(sign) ? 2 : 1),
    0
  )
