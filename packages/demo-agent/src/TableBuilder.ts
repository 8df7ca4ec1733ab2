import * as Cells from "./Cells.ts"
import type { Column, Table } from "./Table.ts"

/** Rows that can be read twice: once to learn the types, once to fill the columns. */
export interface RowSource {
  readonly name: string
  readonly header: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
  /** Calls `onRow` for each data row in order; yields to the event loop and stops when the signal aborts. */
  readonly scan: (onRow: (cells: ReadonlyArray<string>) => void, signal: AbortSignal) => Promise<void>
}

/** Reads a source into dense columns. */
export const buildTable = async (source: RowSource, signal: AbortSignal): Promise<Table> => {
  const names = uniqueNames(source.header)
  const surveys = names.map(() => newSurvey())
  let rowCount = 0
  let short = 0
  let long = 0
  let firstRagged = 0
  await source.scan((cells) => {
    rowCount++
    if (cells.length !== names.length) {
      if (cells.length < names.length) short++
      else long++
      if (firstRagged === 0) firstRagged = rowCount
    }
    for (let i = 0; i < surveys.length; i++) {
      const survey = surveys[i]
      if (survey !== undefined) survey.see(cells[i] ?? "")
    }
  }, signal)
  const fillers = surveys.map((survey, i) => newFiller(names[i] ?? "", survey, rowCount))
  const seen = new Set<number>()
  let row = 0
  await source.scan((cells) => {
    for (let i = 0; i < fillers.length; i++) fillers[i]?.put(row, cells[i] ?? "")
    seen.add(rowHash(cells))
    row++
  }, signal)
  const notes = [...source.notes]
  if (short + long > 0) {
    notes.push(
      `${count(short + long, "row has", "rows have")} a different number of cells than the header's ${names.length} ` +
        `(${short} shorter, ${long} longer; the first is data row ${firstRagged}). Missing cells count as missing values, surplus cells are left out.`
    )
  }
  return {
    name: source.name,
    columns: fillers.map((filler) => filler.done()),
    rowCount,
    duplicateRows: rowCount - seen.size,
    notes
  }
}

interface Survey {
  readonly see: (cell: string) => void
  readonly verdict: () => Verdict
}

type Verdict =
  | { readonly kind: "empty" | "text" | "boolean" }
  | {
      readonly kind: "integer" | "number"
      readonly mark: Cells.DecimalMark
      readonly unit: string | undefined
      readonly guessed: boolean
    }
  | { readonly kind: "date"; readonly style: Cells.DateStyle; readonly guessed: boolean }

/** A column is of a kind when this share of its values is; the rest is reported as values that do not fit. */
const SHARE = 0.95
const FEW = 200

const newSurvey = (): Survey => {
  let present = 0
  let dashes = 0
  let pointNumbers = 0
  let commaNumbers = 0
  let fractions = 0
  let groupedOnly = 0
  let booleans = 0
  let zeros = 0
  let hopeless = false
  let unit: string | undefined
  const dates = new Map<Cells.DateStyle, number>()
  const best = (): number => Math.max(pointNumbers, commaNumbers, booleans, ...dates.values())
  const see = (cell: string): void => {
    if (Cells.isMissing(cell)) return
    if (Cells.isMissingInTyped(cell)) {
      dashes++
      return
    }
    present++
    if (hopeless) return
    const byPoint = Cells.parseNumber(cell, ".")
    const byComma =
      byPoint !== undefined && Number.isInteger(byPoint) && !/[.,]/.test(cell) ? byPoint : Cells.parseNumber(cell, ",")
    if (byPoint !== undefined || byComma !== undefined) {
      if (byPoint !== undefined) pointNumbers++
      if (byComma !== undefined) commaNumbers++
      if (byPoint !== undefined && byComma !== undefined && byPoint !== byComma && cell.includes(",")) groupedOnly++
      if (!Number.isInteger(byPoint ?? byComma)) fractions++
      if (Cells.hasLeadingZero(cell)) zeros++
      unit ??= Cells.unitOf(cell)
    } else if (Cells.parseBoolean(cell) !== undefined) booleans++
    // What is a number in either notation is a date in none.
    if (byPoint === undefined && byComma === undefined && cell.length >= 6 && cell.length <= 35) {
      for (const style of Cells.dateStyles) {
        if (Cells.parseDate(cell, style) !== undefined) dates.set(style, (dates.get(style) ?? 0) + 1)
      }
    }
    if (present >= FEW && present % 100 === 0) hopeless = best() < present * 0.5
  }
  const verdict = (): Verdict => {
    if (present === 0) return dashes === 0 ? { kind: "empty" } : { kind: "text" }
    const enough = present * SHARE
    const numbers = Math.max(pointNumbers, commaNumbers)
    if (!hopeless && numbers >= enough && zeros === 0) {
      const mark = commaNumbers > pointNumbers ? "," : "."
      const whole = fractions === 0 || (mark === "," && fractions === 0)
      return {
        kind: whole ? "integer" : "number",
        mark,
        unit,
        guessed: groupedOnly > 0 && pointNumbers === commaNumbers
      }
    }
    const style = Cells.dateStyles.reduce((a, b) => ((dates.get(b) ?? 0) > (dates.get(a) ?? 0) ? b : a))
    if (!hopeless && (dates.get(style) ?? 0) >= enough) {
      const guessed = style === "month/day/year" && dates.get(style) === dates.get("day/month/year")
      return { kind: "date", style, guessed }
    }
    if (!hopeless && booleans >= enough) return { kind: "boolean" }
    return { kind: "text" }
  }
  return { see, verdict }
}

interface Filler {
  readonly put: (row: number, cell: string) => void
  readonly done: () => Column
}

const newFiller = (name: string, survey: Survey, rowCount: number): Filler => {
  const verdict = survey.verdict()
  return verdict.kind === "integer" || verdict.kind === "number" || verdict.kind === "date"
    ? numericFiller(name, verdict, rowCount)
    : labelFiller(name, verdict.kind, rowCount)
}

const numericFiller = (
  name: string,
  verdict: Exclude<Verdict, { kind: "empty" | "text" | "boolean" }>,
  rowCount: number
): Filler => {
  const values = new Float64Array(rowCount)
  const strays: Array<string> = []
  let strayCount = 0
  let timed = false
  let whole = true
  const parse =
    verdict.kind === "date"
      ? (cell: string) => Cells.parseDate(cell, verdict.style)
      : (cell: string) => Cells.parseNumber(cell, verdict.mark)
  return {
    put: (row, cell) => {
      values[row] = Number.NaN
      if (Cells.isMissingInTyped(cell)) return
      const value = parse(cell)
      if (value === undefined) {
        strayCount++
        if (strays.length < 3) strays.push(cell.trim().slice(0, 30))
        return
      }
      values[row] = value
      if (verdict.kind === "date") timed ||= value % 86_400_000 !== 0
      else whole &&= Number.isInteger(value)
    },
    done: () => {
      const notes: Array<string> = []
      if (verdict.kind === "date" && verdict.guessed) {
        notes.push("dates are read as month/day/year; every one of them would also fit day/month/year")
      } else if (verdict.kind === "date" && verdict.style !== "iso")
        notes.push(`dates are read as ${STYLE[verdict.style]}`)
      if (verdict.kind !== "date" && verdict.mark === ",") notes.push("numbers are read with a decimal comma")
      if (verdict.kind !== "date" && verdict.guessed) notes.push("a comma is read as thousands separator")
      if (strayCount > 0) {
        const what = verdict.kind === "date" ? "date" : "number"
        notes.push(
          `${count(strayCount, "value is", "values are")} not a ${what} and counted as missing (${strays.map((s) => `“${s}”`).join(", ")})`
        )
      }
      return {
        name,
        kind: verdict.kind === "date" ? "date" : whole ? "integer" : "number",
        values,
        unit: verdict.kind === "date" ? undefined : verdict.unit,
        decimalMark: verdict.kind === "date" ? "." : verdict.mark,
        dateStyle: verdict.kind === "date" ? verdict.style : "iso",
        timed,
        notes
      }
    }
  }
}

const STYLE: Record<Cells.DateStyle, string> = {
  iso: "year-month-day",
  "day.month.year": "day.month.year",
  "day/month/year": "day/month/year",
  "month/day/year": "month/day/year",
  named: "named months"
}

const labelFiller = (name: string, kind: "empty" | "text" | "boolean", rowCount: number): Filler => {
  const codes = new Uint32Array(rowCount)
  const labels: Array<string> = []
  const known = new Map<string, number>()
  return {
    put: (row, cell) => {
      const missing = kind === "text" ? Cells.isMissing(cell) : Cells.isMissingInTyped(cell)
      if (missing) return
      const label = cell.trim()
      let code = known.get(label)
      if (code === undefined) {
        labels.push(label)
        code = labels.length
        known.set(label, code)
      }
      codes[row] = code
    },
    done: () => ({ name, kind, codes, labels, notes: [] })
  }
}

const uniqueNames = (header: ReadonlyArray<string>): ReadonlyArray<string> => {
  const used = new Map<string, number>()
  return header.map((raw, i) => {
    const name = raw.replace(/\s+/g, " ").trim() || `column ${i + 1}`
    const times = (used.get(name) ?? 0) + 1
    used.set(name, times)
    return times === 1 ? name : `${name} (${times})`
  })
}

/** 52 bits of two FNV-1a hashes: rows that differ collide about never, and no row text is kept. */
const rowHash = (cells: ReadonlyArray<string>): number => {
  let a = 0x811c9dc5
  let b = 0x01000193
  for (const cell of cells) {
    for (let i = 0; i < cell.length; i++) {
      const c = cell.charCodeAt(i)
      a = Math.imul(a ^ c, 0x01000193)
      b = Math.imul(b ^ c, 0x85ebca6b)
    }
    a = Math.imul(a ^ 0x1f, 0x01000193)
    b = Math.imul(b ^ 0x2f, 0x85ebca6b)
  }
  return (a >>> 0) * 0x100000 + ((b >>> 0) & 0xfffff)
}

const count = (n: number, one: string, many: string): string => `${n.toLocaleString("en-US")} ${n === 1 ? one : many}`
