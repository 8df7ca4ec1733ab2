import { eastAsianWidth } from "get-east-asian-width"
import * as Markdown from "./Markdown.ts"

/** A phone shows a table of this width; a wider one of two or three columns becomes a list with a line for each cell. */
export const phone = 40

/** The width of a screen, for a table of more columns. */
export const screen = 78

/** A text as an escaped cell of at most this width; "…" stands for the rest. */
export const fitStart = (text: string, room: number): string => fit(text, room, Markdown.escapeText)

/** The same for a path, whose end tells more than its start. */
export const fitEnd = (text: string, room: number): string =>
  fit(text, room, (path, limit) => {
    const characters = Array.from(path)
    return Markdown.escapeText(characters.length > limit ? `…${characters.slice(1 - limit).join("")}` : path, limit)
  })

/** The same for the name of a column: its start and its end tell it from others. */
export const fitMiddle = (text: string, room: number): string =>
  fit(text, room, (name, limit) => {
    const characters = Array.from(name)
    const [start, end] = [Math.ceil((limit - 1) / 2), Math.floor((limit - 1) / 2)]
    const isLong = characters.length > limit && end > 0
    return Markdown.escapeText(
      isLong ? `${characters.slice(0, start).join("")}…${characters.slice(-end).join("")}` : name,
      limit
    )
  })

/** The width of an escaped cell in columns of a fixed-width font. */
export const of = (cell: string): number =>
  [...cell.replace(/\\(.)/gu, "$1")].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0) ?? 0), 0)

/** The width of columns side by side, with their gaps. */
export const ofColumns = (columns: ReadonlyArray<ReadonlyArray<string>>): number =>
  columns.reduce((sum, cells) => sum + Math.max(...cells.map(of)) + gap, -gap)

/** Rows for a phone: the first cell of each is fitted to the width that the others leave. */
export const fitFirst = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  fit: (text: string, room: number) => string
): ReadonlyArray<ReadonlyArray<string>> => {
  const others = header.slice(1).map((title, index) => [title, ...rows.map((row) => row[index + 1] ?? "")])
  const room = Math.max(10, phone - gap - ofColumns(others))
  return rows.map(([first = "", ...cells]) => [fit(first, room), ...cells])
}

const gap = 2

const fit = (text: string, room: number, shorten: (text: string, limit: number) => string): string => {
  let limit = Math.max(room, 2)
  let cell = shorten(text, limit)
  while (of(cell) > room && limit > 2) cell = shorten(text, --limit)
  return cell
}
