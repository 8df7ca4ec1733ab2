import { eastAsianWidth } from "get-east-asian-width"
import { inline } from "./Dialect.ts"
import { escapeCode, type EscapeLine } from "./Escape.ts"

/** A row of a table. */
export interface TableRow {
  /** The cells in source form. */
  readonly cells: ReadonlyArray<string>
  /** The last cell has no closing bar. */
  readonly open: boolean
}

export interface Table {
  readonly header: TableRow
  /** The right-aligned columns. */
  readonly right: ReadonlyArray<boolean>
}

export interface TableOptions {
  readonly escape: EscapeLine
  /** Use the list form, although the table is narrow. */
  readonly asList: boolean
  /** The last row is unfinished. */
  readonly isUnfinished: boolean
}

/**
 * Renders a table as a code block with aligned columns. A table becomes a list with the column names and an entry per
 * row where it is wider than a phone or, with four columns or more, than a screen. An unfinished row never needs more
 * room than the finished one.
 */
export const layout = (table: Table, rows: ReadonlyArray<TableRow>, options: TableOptions): string => {
  const finished = options.isUnfinished ? [...rows.slice(0, -1), ...rows.slice(-1).map(withoutOpenMarks)] : rows
  const code = options.asList ? [] : align(table, finished)
  const room = table.header.cells.length < 4 ? phone : screen
  const isCode = code.some((line) => line.trim() !== "") && code.every((line) => width(line) <= room)
  return (isCode ? ["```", ...code.map(escapeCode), "```"] : list(table, finished, options)).join("\n")
}

/** The columns of a phone's fixed-width line. */
const phone = 40

/** The columns of a screen's line. On a phone it takes two lines, and an entry of the list more than three. */
const screen = 80

const list = (
  { header }: Table,
  rows: ReadonlyArray<TableRow>,
  { escape, isUnfinished }: TableOptions
): ReadonlyArray<string> => {
  const names = header.cells.map((cell) => unescaped(cell, "bars"))
  const entry = ({ cells }: TableRow, at: number): ReadonlyArray<string> => {
    const isOpen = isUnfinished && at === rows.length - 1
    const [first = "", ...others] = cells.map((cell) =>
      isOpen ? cell.replaceAll("\\|", "|") : unescaped(cell, "bars")
    )
    const named = others.flatMap((cell, index) => {
      const name = names[index + 1] ?? ""
      return cell === "" ? [] : [`  - ${escape(`${name}${name === "" ? "" : ": "}${cell}`)}`]
    })
    return [`- ${escape(first) || "–"}`, ...named]
  }
  return [`-# ${names.map((name) => escape(name)).join(" · ")}`, ...rows.flatMap(entry)]
}

const align = ({ header, right }: Table, rows: ReadonlyArray<TableRow>): ReadonlyArray<string> => {
  const body = [header, ...rows].map(({ cells }) => cells.map((cell) => unescaped(cell.replace(bold, "$1"), "all")))
  const columns = Array.from({ length: Math.max(...body.map((cells) => cells.length)) }, (_, column) =>
    Math.max(...body.map((cells) => width(cells[column] ?? "")))
  )
  const [names = "", ...lines] = body.map((cells) =>
    columns
      .map((room, column) => {
        const cell = cells[column] ?? ""
        const gap = " ".repeat(room - width(cell))
        return right[column] === true ? gap + cell : cell + gap
      })
      .join("  ")
      .trimEnd()
  )
  return [names, columns.map((room) => "─".repeat(room)).join("  "), ...lines]
}

/** Matches a cell that is entirely bold. Other pairs of asterisks may be a power, a path or a parameter. */
const bold = /^\*\*(?=[^\s*/])([^*]*[^\s*/\\])\*\*$/

/** A row without trailing marks of its unfinished last cell. */
const withoutOpenMarks = ({ cells, open }: TableRow): TableRow => {
  if (!open) return { cells, open }
  const last = (cells.at(-1) ?? "").replace(/[\s*\\]+$/, "").replace(/^\*\*(?=[^\s*/][^*]*$)/, "")
  return { cells: [...cells.slice(0, -1), last], open }
}

/** A cell without backslashes: those before bars in code, or all of them outside of Markdown. */
const unescaped = (cell: string, which: "all" | "bars"): string => {
  if (!cell.includes("\\")) return cell
  let text = ""
  let at = 0
  inline.parse(cell).iterate({
    enter: ({ from, name, to }) => {
      if (name === "InlineCode") text += cell.slice(at, from) + cell.slice(from, to).replaceAll("\\|", "|")
      else if (name === "Escape" && which === "all") text += cell.slice(at, from) + cell.slice(from + 1, to)
      else return true
      at = to
      return false
    }
  })
  return text + cell.slice(at)
}

/** The width of a text in fixed-width columns. */
const width = (text: string): number =>
  [...text].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0), 0)
