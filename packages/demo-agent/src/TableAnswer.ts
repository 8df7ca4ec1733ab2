import { groupedBy, groupRows, inOrder, measureWord, type Group } from "./Groups.ts"
import * as Markdown from "./Markdown.ts"
import type { Intent } from "./Request.ts"
import { isIdentifier, summariseNumbers } from "./Statistics.ts"
import { isDate, isLabel, isMissingAt, isNumber, labelAt, type Column, type Rows, type Table } from "./Table.ts"
import {
  columnTable,
  identifiersOf,
  lookAt,
  lookAtColumn,
  missingCells,
  numberTable,
  outlierSentence
} from "./TableLook.ts"

/** Answers a question about a table in Markdown, one block per element. */
export const answerAboutTable = async (
  intent: Intent,
  table: Table,
  rows: Rows,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  if (rows.length === 0 && intent.do !== "count" && intent.do !== "columns") {
    return [table.rowCount === 0 ? "There are no rows." : "No row fits the filter."]
  }
  switch (intent.do) {
    case "count":
      return [countSentence(table, rows)]
    case "rows": {
      const looks = await lookAt(table, rows, signal)
      const numbers = numberTable(looks, identifiersOf(table), 8)
      return [countSentence(table, rows), sample(table, rows, 5), ...(numbers === undefined ? [] : [numbers])]
    }
    case "columns":
      return [
        `There are ${Markdown.plural(table.columns.length, "column")}.`,
        columnTable(await lookAt(table, rows, signal), 40)
      ]
    case "table":
      return [sample(table, rows, intent.limit)]
    case "describe":
      return describe(table, rows, intent.column)
    case "top":
      return top(table, rows, intent)
    case "measure":
      return measure(table, rows, intent)
    case "outliers":
      return outliers(table, rows)
    case "missing":
      return missing(table, rows, await lookAt(table, rows, signal))
    case "duplicates":
      return [
        table.duplicateRows === 0
          ? "No row of the file repeats another one."
          : `${Markdown.plural(table.duplicateRows, "row repeats an earlier one", "rows repeat an earlier one")} exactly (counted over the whole file).`
      ]
    default:
      return []
  }
}

/** Rows as a Markdown table of at most six columns; says what is left out. */
export const sample = (table: Table, rows: Rows, limit: number, first?: Column): string => {
  const columns = chosenColumns(table, first)
  const body = [...rows.subarray(0, limit)].map((row) => columns.map((column) => cellText(column, row)))
  const left: Array<string> = []
  if (rows.length > limit) left.push(Markdown.plural(rows.length - limit, "more row"))
  const hidden = table.columns.filter((column) => !columns.includes(column))
  if (hidden.length > 0) {
    const names = hidden.slice(0, 8).map((column) => Markdown.cell(column.name))
    left.push(`${Markdown.plural(hidden.length, "column")} (${names.join(", ")}${hidden.length > 8 ? ", …" : ""})`)
  }
  const more = left.length > 0 ? `\n\n_Left out: ${left.join(" and ")}._` : ""
  return (
    Markdown.table(
      columns.map((column) => Markdown.cell(column.name)),
      body
    ) + more
  )
}

/** One cell as text, safe for a Markdown table. */
export const cellText = (column: Column, row: number): string => {
  if (isMissingAt(column, row)) return ""
  if (isLabel(column)) return Markdown.cell(labelAt(column, row))
  const value = column.values[row] ?? Number.NaN
  if (isDate(column)) return Markdown.date(value, column.timed)
  return isIdentifierName(column.name) ? String(value) : Markdown.number(value, column.unit)
}

const isIdentifierName = (name: string): boolean => /(^|[_ ])(id|nr|no|key|code|zip|plz|year)$/i.test(name)

/** At most six columns: the one asked about first, then in the order of the file. */
const chosenColumns = (table: Table, first: Column | undefined): ReadonlyArray<Column> => {
  const present = table.columns.filter((column) => column.kind !== "empty" && column !== first)
  const ordered = first === undefined ? present : [first, ...present]
  const chosen = new Set((ordered.length > 0 ? ordered : table.columns).slice(0, 6))
  return table.columns.filter((column) => chosen.has(column))
}

const countSentence = (table: Table, rows: Rows): string =>
  rows.length === table.rowCount
    ? `There are ${Markdown.plural(table.rowCount, "row")}.`
    : `${Markdown.whole(rows.length)} of ${Markdown.plural(table.rowCount, "row")} ${rows.length === 1 ? "fits" : "fit"} (${Markdown.percent(rows.length, table.rowCount)}).`

const describe = (table: Table, rows: Rows, index: number): ReadonlyArray<string> => {
  const column = table.columns[index]
  if (column === undefined) return []
  const { summary } = lookAtColumn(column, rows)
  const name = Markdown.bold(column.name)
  const head = `${name} holds ${column.kind === "empty" ? "nothing" : `${column.kind} values`}: ${Markdown.whole(summary.present)} present, ${Markdown.whole(summary.missing)} missing, ${Markdown.whole(summary.distinct)} different.`
  const notes = column.notes.map(
    (note) => `Note: ${note.replace(/“([^”]*)”/g, (_, value: string) => `“${Markdown.cell(value)}”`)}.`
  )
  if ("top" in summary) {
    const body = summary.top.map(([label, times]) => [
      Markdown.cell(label),
      Markdown.whole(times),
      Markdown.percent(times, summary.present)
    ])
    const table = body.length === 0 ? [] : [Markdown.table(["Value", "Rows", "Share"], body)]
    return [head, ...table, ...notes]
  }
  if (summary.present === 0) return [head, ...notes]
  if (isDate(column)) {
    const days = Math.round((summary.max - summary.min) / 86_400_000)
    return [
      head,
      `From ${Markdown.date(summary.min, column.timed)} to ${Markdown.date(summary.max, column.timed)} (${Markdown.plural(days, "day")}), the middle one is ${Markdown.date(summary.median, column.timed)}.`,
      ...notes
    ]
  }
  const unit = isNumber(column) ? column.unit : undefined
  const show = (n: number): string => Markdown.number(n, unit)
  const figures = Markdown.table(
    ["Figure", "Value"],
    [
      ["Minimum", show(summary.min)],
      ["First quartile", show(summary.firstQuartile)],
      ["Median", show(summary.median)],
      ["Mean", show(summary.mean)],
      ["Third quartile", show(summary.thirdQuartile)],
      ["Maximum", show(summary.max)],
      ["Standard deviation", show(summary.deviation)],
      ["Sum", show(summary.sum)]
    ]
  )
  const far =
    summary.outliers.count > 0
      ? [outlierSentence(name, unit, summary)]
      : ["No outliers by the rule of 1.5 interquartile ranges."]
  return [head, figures, ...far, ...notes]
}

const top = (table: Table, rows: Rows, intent: Extract<Intent, { do: "top" }>): ReadonlyArray<string> => {
  const column = table.columns[intent.column]
  if (column === undefined) return []
  const rank = (row: number): number => (isLabel(column) ? 0 : (column.values[row] ?? 0))
  const present = [...rows].filter((row) => !isMissingAt(column, row))
  if (isLabel(column))
    present.sort((a, b) => labelAt(column, a).localeCompare(labelAt(column, b)) * (intent.largest ? -1 : 1))
  else present.sort((a, b) => (intent.largest ? rank(b) - rank(a) : rank(a) - rank(b)) || a - b)
  const best = Uint32Array.from(present.slice(0, intent.limit))
  const skipped = rows.length - present.length
  const without = skipped > 0 ? ` (${Markdown.plural(skipped, "row has", "rows have")} none)` : ""
  const [first, last] = [best[0], best[best.length - 1]]
  if (first === undefined || last === undefined) return [`No row has a ${Markdown.bold(column.name)}.`]
  const end = `the ${intent.largest ? "highest" : "lowest"} ${Markdown.bold(column.name)}`
  const sentence =
    best.length === 1
      ? `The row with ${end} has ${cellText(column, first)}${without}.`
      : `The ${best.length} rows with ${end} go from ${cellText(column, first)} ${intent.largest ? "down" : "up"} to ${cellText(column, last)}${without}.`
  return [sentence, sample(table, best, intent.limit, column)]
}

const measure = (table: Table, rows: Rows, intent: Extract<Intent, { do: "measure" }>): ReadonlyArray<string> => {
  const column = intent.column === undefined ? undefined : table.columns[intent.column]
  const measured = column !== undefined && !isLabel(column) ? column : undefined
  const unit = measured?.unit
  const show = (n: number): string =>
    intent.measure === "count" || measured === undefined
      ? Markdown.whole(n)
      : isDate(measured)
        ? Markdown.date(n, measured.timed)
        : Markdown.number(n, unit)
  const what =
    intent.measure === "count" || column === undefined
      ? "number of rows"
      : `${measureWord[intent.measure]} ${Markdown.bold(column.name)}`
  if (intent.by === undefined && intent.limit === undefined) {
    if (column === undefined) return [countSentence(table, rows)]
    if (measured === undefined || intent.measure === "count") {
      const { summary } = lookAtColumn(column, rows)
      return [
        `${Markdown.bold(column.name)} has a value in ${Markdown.plural(summary.present, "row")}, ${Markdown.whole(summary.distinct)} of them different.`
      ]
    }
    const s = summariseNumbers(measured, rows)
    const value = { count: s.present, sum: s.sum, mean: s.mean, median: s.median, min: s.min, max: s.max }[
      intent.measure
    ]
    if (s.present === 0) return [`${Markdown.bold(measured.name)} has no values in these rows.`]
    const missing = s.missing > 0 ? `; ${Markdown.plural(s.missing, "row has", "rows have")} none` : ""
    return [`The ${what} is **${show(value)}** (over ${Markdown.plural(s.present, "value")}${missing}).`]
  }
  const by = table.columns[intent.by ?? intent.column ?? 0]
  if (by === undefined) return []
  const { groups, left, valueless } = groupRows(
    rows,
    by,
    intent.step,
    intent.limit !== undefined && intent.measure === "count" ? undefined : measured,
    intent.measure
  )
  if (groups.length === 0) return [`There are no values to show by ${Markdown.bold(groupedBy(by, intent.step))}.`]
  const ordered = [...inOrder(by, groups)]
  if (intent.limit !== undefined) ordered.sort((a, b) => (intent.largest ? b.value - a.value : a.value - b.value))
  const limit = intent.limit ?? 25
  const withValues = measured !== undefined && intent.measure !== "count"
  const over = groupedBy(by, intent.step)
  const header = [Markdown.cell(over), upperFirst(what.replace(/\*\*/g, "")), ...(withValues ? ["Values"] : [])]
  const body = ordered
    .slice(0, limit)
    .map((group) => [
      Markdown.cell(group.label),
      show(group.value),
      ...(withValues ? [Markdown.whole(group.rows)] : [])
    ])
  const tail: Array<string> = []
  if (ordered.length > limit && intent.limit === undefined)
    tail.push(`_${Markdown.plural(ordered.length - limit, "more group")} left out._`)
  if (left > 0)
    tail.push(
      `_${Markdown.plural(left, "row has", "rows have")} no ${Markdown.cell(by.name)} and ${left === 1 ? "is" : "are"} not in the table._`
    )
  if (valueless > 0 && measured !== undefined)
    tail.push(
      `_${Markdown.plural(valueless, "row has", "rows have")} no ${Markdown.cell(measured.name)} and ${valueless === 1 ? "does" : "do"} not count._`
    )
  return [`The ${what} by ${Markdown.bold(over)} ${extremes(by, groups, show)}.`, Markdown.table(header, body), ...tail]
}

/** Where a figure is highest and lowest, after "The average price by region". */
const extremes = (by: Column, groups: ReadonlyArray<Group>, show: (value: number) => string): string => {
  const sorted = [...groups].sort((a, b) => b.value - a.value)
  const [high, low] = [sorted[0], sorted.at(-1)]
  if (high === undefined || low === undefined) return "has no values"
  const place = (group: Group): string => `${isDate(by) ? "in" : "for"} ${Markdown.cell(group.label)}`
  if (sorted.length === 1) return `is ${show(high.value)} ${place(high)}, the only one`
  if (high.value === low.value) return `is ${show(high.value)} for each of the ${sorted.length}`
  return `is highest ${place(high)} (${show(high.value)}) and lowest ${place(low)} (${show(low.value)})`
}

const outliers = (table: Table, rows: Rows): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const column of table.columns) {
    if (!isNumber(column) || isIdentifier(table, column)) continue
    const summary = summariseNumbers(column, rows)
    if (summary.outliers.count > 0) lines.push(`- ${outlierSentence(Markdown.bold(column.name), column.unit, summary)}`)
  }
  return [
    lines.length === 0 ? "No numeric column has outliers by the rule of 1.5 interquartile ranges." : lines.join("\n")
  ]
}

const missing = (table: Table, rows: Rows, looks: Awaited<ReturnType<typeof lookAt>>): ReadonlyArray<string> => {
  const total = missingCells(table, rows)
  if (total === 0) return ["No value is missing."]
  const gaps = looks.filter(({ summary }) => summary.missing > 0).sort((a, b) => b.summary.missing - a.summary.missing)
  const body = gaps
    .slice(0, 20)
    .map(({ column, summary }) => [
      Markdown.cell(column.name),
      Markdown.whole(summary.missing),
      Markdown.percent(summary.missing, rows.length)
    ])
  const more = gaps.length > 20 ? [`_${Markdown.plural(gaps.length - 20, "more column")} left out._`] : []
  return [
    `${Markdown.plural(total, "value is", "values are")} missing in ${Markdown.plural(gaps.length, "column")}.`,
    Markdown.table(["Column", "Missing", "Share"], body),
    ...more
  ]
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
