import { codeSafe, type Safe } from "./Defuse.ts"

/** The first two lines of a table. */
export interface Head {
  readonly header: string
  readonly rule: string
}

export interface Options {
  readonly safe: Safe
  /** The last row is not finished. */
  readonly growing?: boolean
}

/**
 * A table as a code block with aligned columns or, where that is wider than a phone or not wanted, as a list: the names
 * of the columns, then an entry for each row. A row that still grows is shown without what may yet become a mark: whole,
 * it never takes less room.
 */
export const lay = (
  head: Head,
  rows: ReadonlyArray<string>,
  options: Options & { readonly list?: boolean }
): string => {
  const whole = options.growing === true ? [...rows.slice(0, -1), unfinished(rows.at(-1) ?? "")] : rows
  const table = [head.header, head.rule, ...whole]
  const code = options.list === true ? [] : align(table)
  const wide =
    options.list === true || code.some((line) => width(line) > phone) || code.every((line) => line.trim() === "")
  return (wide ? list(table, options) : ["```", ...code.map(codeSafe), "```"]).join("\n")
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

const list = ([header = "", , ...rows]: ReadonlyArray<string>, { growing, safe }: Options): ReadonlyArray<string> => {
  const names = split(header).map(barred)
  return [
    `-# ${names.map((name) => safe(name, false)).join(" · ")}`,
    ...rows.flatMap((row, at) => {
      const open = growing === true && at === rows.length - 1
      const [first = "", ...others] = split(row).map(open ? (cell) => cell.replaceAll("\\|", "|") : barred)
      return [
        `- ${safe(first, false) || "–"}`,
        ...others.flatMap((cell, index) => {
          const name = names[index + 1] ?? ""
          return cell === "" ? [] : [`  - ${safe(`${name}${name === "" ? "" : ": "}${cell}`, false)}`]
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

/** A cell that is bold from end to end. Two asterisks anywhere else may be a power, a path or a parameter. */
const bold = /^\*\*(?=[^\s*/])([^*]*[^\s*/\\])\*\*$/

/** A row without what may be a mark once more of its last cell has come. */
const unfinished = (row: string): string =>
  row.replace(/[\s*\\]+$/, "").replace(/((?:^|[^\\])\|\s*)\*\*(?=[^\s*/](?:[^*|]|\\\|)*$)/, "$1")

const marks = /(?<ticks>`+)(?!`).*?[^`]\k<ticks>(?!`)|\\(?<sign>[!-/:-@[-`{-~])/g

/** A cell as it reads where Markdown means nothing: no escapes, not bold; in code only a bar can be escaped. */
const unmarked = (cell: string): string =>
  cell
    .replace(bold, "$1")
    .replace(marks, (match, ticks: string | undefined, sign: string | undefined) =>
      ticks === undefined ? (sign ?? "") : match.replaceAll("\\|", "|")
    )

/** A cell whose code says what it means: there the bar that does not end a cell is escaped too. */
const barred = (cell: string): string =>
  cell.replace(marks, (match, ticks: string | undefined) =>
    ticks === undefined ? match : match.replaceAll("\\|", "|")
  )

/** Columns that a text takes in a fixed-width font: wide East Asian signs take two. */
const width = (text: string): number =>
  [...text].reduce(
    (sum, sign) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/.test(sign) ? 2 : 1),
    0
  )
