import { buildTable } from "./TableBuilder.ts"
import type { Table } from "./Table.ts"

/** Reads a text that is a Markdown table and nothing else; `undefined` for other texts. */
export const readMarkdownTable = async (text: string, signal: AbortSignal): Promise<Table | undefined> => {
  const [header, rule, ...rows] = text.trim().split(/\r?\n/).map(cellsOf)
  if (header === undefined || rule?.every((cell) => /^:?-+:?$/.test(cell)) !== true) return undefined
  const cells = rows.filter((row) => row !== undefined)
  if (cells.length < rows.length) return undefined
  const scan = async (onRow: (cells: ReadonlyArray<string>) => void): Promise<void> => cells.forEach(onRow)
  return buildTable({ header, notes: [], scan }, signal)
}

/** The cells of a line between bars; a bar behind a backslash belongs to its cell. */
const cellsOf = (line: string): ReadonlyArray<string> | undefined =>
  /^\s*\|.*\|\s*$/.test(line)
    ? line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll("\\|", "|"))
    : undefined
