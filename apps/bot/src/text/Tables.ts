import { eastAsianWidth } from "get-east-asian-width"
import { inline } from "./Dialect.ts"
import { escapeCode, type EscapeLine } from "./Escape.ts"

/** A row of a table. */
export interface Row {
  /** The cells as they were written. */
  readonly cells: ReadonlyArray<string>
  /** No bar ends the last cell. */
  readonly open: boolean
}

export interface Table {
  readonly header: Row
  /** Which columns are aligned to the right. */
  readonly right: ReadonlyArray<boolean>
}

export interface TableOptions {
  readonly escape: EscapeLine
  /** Lay the table out as a list even though it is narrow. */
  readonly list: boolean
  /** The last row is not finished. */
  readonly growing: boolean
}

/**
 * Lays a table out as a code block with aligned columns or, where that is wider than a phone, as a list: the names of
 * the columns, then an entry for each row. A row that grows never takes more room than when it is finished.
 */
export const layout = (table: Table, rows: ReadonlyArray<Row>, options: TableOptions): string => {
  const finished = options.growing ? [...rows.slice(0, -1), ...rows.slice(-1).map(withoutOpenMarks)] : rows
  const code = options.list ? [] : align(table, finished)
  const isCode = code.some((line) => line.trim() !== "") && code.every((line) => width(line) <= phone)
  return (isCode ? ["```", ...code.map(escapeCode), "```"] : list(table, finished, options)).join("\n")
}

/** How many columns of a fixed-width font a phone shows in a line. */
const phone = 40

const list = (
  { header }: Table,
  rows: ReadonlyArray<Row>,
  { escape, growing }: TableOptions
): ReadonlyArray<string> => {
  const names = header.cells.map((cell) => unescaped(cell, "bars"))
  const entry = ({ cells }: Row, at: number): ReadonlyArray<string> => {
    const isOpen = growing && at === rows.length - 1
    const [first = "", ...others] = cells.map((cell) =>
      isOpen ? cell.replaceAll("\\|", "|") : unescaped(cell, "bars")
    )
    const named = others.flatMap((cell, index) => {
      const name = names[index + 1] ?? ""
      return cell === "" ? [] : [`  - ${escape(`${name}${name === "" ? "" : ": "}${cell}`, false)}`]
    })
    return [`- ${escape(first, false) || "–"}`, ...named]
  }
  return [`-# ${names.map((name) => escape(name, false)).join(" · ")}`, ...rows.flatMap(entry)]
}

const align = ({ header, right }: Table, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
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

/** A cell that is bold from end to end. Two asterisks anywhere else may be a power, a path or a parameter. */
const bold = /^\*\*(?=[^\s*/])([^*]*[^\s*/\\])\*\*$/

/** A row without what may be a mark once more of its last cell has come. */
const withoutOpenMarks = ({ cells, open }: Row): Row => {
  if (!open) return { cells, open }
  const last = (cells.at(-1) ?? "").replace(/[\s*\\]+$/, "").replace(/^\*\*(?=[^\s*/][^*]*$)/, "")
  return { cells: [...cells.slice(0, -1), last], open }
}

/** A cell without its backslashes: those that escape a bar in code, or all of them for a place without Markdown. */
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

/** Columns that a text takes in a fixed-width font. */
const width = (text: string): number =>
  [...text].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0), 0)
