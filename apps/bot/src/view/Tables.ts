/**
 * Makes Markdown tables readable where tables are not rendered: each becomes a code block with aligned columns.
 * Everything else, and every table inside a code block, stays as it is.
 */
export const readable = (markdown: string): string => {
  if (!markdown.includes("|")) return markdown
  const lines = markdown.split("\n")
  const out: Array<string> = []
  let fenced = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    if (/^ {0,3}(```|~~~)/.test(line)) fenced = !fenced
    if (fenced || !isRow(line) || !isRule(lines[at + 1])) {
      out.push(line)
      continue
    }
    const end = lines.findIndex((other, index) => index > at + 1 && !isRow(other))
    const rows = lines.slice(at, end === -1 ? lines.length : end)
    out.push("```", ...align(rows), "```")
    at += rows.length - 1
  }
  return out.join("\n")
}

const isRow = (line: string | undefined): boolean => line !== undefined && /^\s*\|.*\S/.test(line)

const isRule = (line: string | undefined): boolean =>
  line !== undefined && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(line)

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

const cells = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => unmarked(cell.trim()).replaceAll("```", "'''"))

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
