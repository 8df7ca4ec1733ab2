import { eastAsianWidth } from "get-east-asian-width"
import * as Markdown from "./Markdown.ts"

/** A column of a table to be shown. */
export interface ShownColumn {
  readonly name: string
  /** Figures are escaped and never cut. */
  readonly cells: ReadonlyArray<string>
  /** The cells are plain words, which may be cut. */
  readonly isText: boolean
}

/**
 * Columns as Markdown tables that chats show as tables: up to 40 wide with up to three columns, up to 78 wide with
 * more. What does not fit one table is in further ones that begin with the same column; `hidden` names the rest.
 */
export const fit = (
  columns: ReadonlyArray<ShownColumn>
): { readonly tables: ReadonlyArray<string>; readonly hidden: ReadonlyArray<string> } => {
  for (const room of [36, 24, 16, 12]) {
    const fitted = columns.map((column) => cut(column, room))
    if (widthOf(fitted) <= limitFor(fitted.length)) return { tables: [markdownOf(fitted)], hidden: [] }
  }
  const [lead = [], ...others] = columns.map((column) => cut(column, 12))
  const tables: Array<Array<ReadonlyArray<string>>> = []
  for (const column of others) {
    const last = tables.at(-1)
    if (last !== undefined && widthOf([...last, column]) <= SCREEN) last.push(column)
    else if (tables.length < MAX_TABLES) tables.push([lead, column])
    else break
  }
  const shown = 1 + tables.reduce((sum, table) => sum + table.length - 1, 0)
  return {
    tables: (tables.length === 0 ? [[lead]] : tables).map(markdownOf),
    hidden: columns.slice(shown).map(({ name }) => name)
  }
}

/** The widths that a chat shows as a table: on a phone, and with four columns or more on a screen. */
const PHONE = 40
const SCREEN = 78
const MAX_TABLES = 3

const limitFor = (columns: number): number => (columns < 4 ? PHONE : SCREEN)

/** The name and the cells of a column, each in at most that room. */
const cut = ({ cells, isText, name }: ShownColumn, room: number): ReadonlyArray<string> => {
  const fitted = isText ? cells.map((cell) => fitCell(cell, room)) : cells
  return [fitCell(name, Math.max(room, ...fitted.map(widthOfCell))), ...fitted]
}

const fitCell = (text: string, room: number): string => {
  let limit = room
  let cell = Markdown.escapeText(text, limit)
  while (widthOfCell(cell) > room && limit > 2) cell = Markdown.escapeText(text, --limit)
  return cell
}

const widthOfCell = (cell: string): number =>
  [...cell.replace(/\\(.)/gu, "$1")].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0), 0)

const widthOf = (columns: ReadonlyArray<ReadonlyArray<string>>): number =>
  columns.reduce((sum, cells) => sum + Math.max(...cells.map(widthOfCell)) + 2, -2)

const markdownOf = (columns: ReadonlyArray<ReadonlyArray<string>>): string => {
  const [header = [], ...body] = (columns[0] ?? []).map((_, line) => columns.map((cells) => cells[line] ?? ""))
  return Markdown.table(header, body)
}
