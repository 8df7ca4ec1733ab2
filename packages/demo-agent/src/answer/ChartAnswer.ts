import { figureOf, groupRows, type Measure } from "../data/Groups.ts"
import type { Column, NumberColumn, Rows, Table } from "../data/Table.ts"
import type { ClauseAnswer } from "./ClauseAnswer.ts"
import { groupName, groupsSentence, missingNotes } from "./Figures.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { capitalise } from "../format/Words.ts"
import type { ChartClause, GroupBy } from "../question/Clause.ts"
import { measureText } from "../question/RequestText.ts"
import { barChart } from "../chart/BarChart.ts"
import type { Chart } from "../chart/Chart.ts"
import { lineChart } from "../chart/LineChart.ts"

/** Draws a chart for each column of a clause, and says what it shows. */
export const drawClause = (
  table: Table,
  rows: Rows,
  { by, columns, mark, measure: asked }: ChartClause,
  condition: string
): ClauseAnswer => {
  const group = by?.column === undefined ? undefined : table.columns[by.column]
  if (by === undefined || group === undefined) return { messages: [], findings: [] }
  const measured = columns.length === 0 ? [undefined] : columns.map((index) => table.columns[index])
  const drawn = measured.map((column) => {
    const number = column?.kind === "number" ? column : undefined
    const measure = asked ?? (number === undefined ? "count" : defaultMeasure(number.name))
    const notes = [group, number].flatMap((each) => missingNotes(rows, each))
    const values = groupRows(rows, group, by.step)
      .map(({ key, label, rows: members }) => ({ key, label, value: figureOf(measure, number, members) }))
      .filter(({ value }) => !Number.isNaN(value))
    if (values.length === 0)
      return { message: Language.text("The rows have no values to draw.", "这些行没有值可以画图。"), notes }
    const chart = chartOf(values, { by, condition, group, mark, measure, number, notes })
    const title = Markdown.escapeText(chart.title, 100)
    return {
      message: Language.text(`The chart shows “${title}”.`, `图中是“${title}”。`),
      finding: groupsSentence(values, measure, number, groupName(by, group)),
      notes,
      chart
    }
  })
  return {
    messages: [...new Set(drawn.flatMap(({ message, notes }) => [message, ...notes]))],
    findings: drawn.flatMap(({ finding, message }) => [message, finding ?? []].flat()),
    charts: drawn.flatMap(({ chart }) => chart ?? [])
  }
}

/** The measure of a column where the request names none: prices and rates are averaged, amounts added up. */
const defaultMeasure = (name: string): Measure =>
  /price|rate|score|temp|(?:^|[\s_])age\b|percent|ratio|avg|average|mean|weight|height|%|单价|价格|均价|[率价]$|评分|温度|年龄|比例/i.test(
    name
  )
    ? "mean"
    : "sum"

interface Drawing {
  readonly by: GroupBy
  readonly group: Column
  readonly number: NumberColumn | undefined
  readonly measure: Measure
  readonly mark: ChartClause["mark"]
  readonly condition: string
  readonly notes: ReadonlyArray<string>
}

const chartOf = (
  values: ReadonlyArray<{ readonly key: number; readonly label: string; readonly value: number }>,
  { by, condition, group, mark, measure, notes, number }: Drawing
): Chart => {
  const labels = {
    titleOf: () => titleOf(measure, number, groupName(by, group)),
    valueAxisTitle: figureTitle(measure, number),
    groupAxisTitle: capitalise(groupName(by, group)),
    condition,
    notes
  }
  const isLine = group.kind === "date" ? mark !== "bar" : mark === "line"
  if (isLine) return lineChart(values, group, by.step, labels)
  return barChart(group.kind === "text" ? values.toSorted((a, b) => b.value - a.value) : values, {
    ...labels,
    isRanked: group.kind === "text"
  })
}

const figureTitle = (measure: Measure, column: NumberColumn | undefined): string => {
  if (column === undefined) return Language.text("Number of rows", "行数")
  const name = column.unit === undefined ? column.name : `${column.name} (${column.unit})`
  return Language.text(`${capitalise(measureText(measure))} ${name}`, `${measureText(measure)}${spaced(name)}`)
}

const titleOf = (measure: Measure, column: NumberColumn | undefined, group: string): string => {
  const figure = figureTitle(measure, column)
  return Language.text(`${figure} by ${group}`, `按${spaced(group)}${isHan(group) ? "" : " "}的${figure}`)
}

/** A name after a Chinese word. */
const spaced = (name: string): string => (isHan(name) ? name : ` ${name}`)

const isHan = (name: string): boolean => /^\p{Script=Han}/u.test(name)
