import { amountsOf } from "../data/Amounts.ts"
import type { Measure } from "../data/Aggregation.ts"
import { allRows, isDate, isLabel, isNumber, type Rows, type Table } from "../data/Table.ts"

/** The columns that say most about a table, by index. */
export interface MainColumns {
  /** Numbers of one currency or unit that measure something. */
  readonly number: number | undefined
  readonly date: number | undefined
  /** A column of words with few different values. */
  readonly category: number | undefined
}

/** Finds the columns for a first chart and for suggestions. */
export const mainColumns = (table: Table, rows: Rows = allRows(table)): MainColumns => {
  const indexes = [...table.columns.keys()]
  const at = (index: number) => table.columns[index]
  const numbers = indexes.filter((index) => {
    const column = at(index)
    return (
      column !== undefined &&
      isNumber(column) &&
      !column.isIdentifier &&
      amountsOf(column, rows) === undefined &&
      column.values.some(Number.isFinite)
    )
  })
  const words = indexes.filter((index) => {
    const column = at(index)
    return (
      column !== undefined &&
      isLabel(column) &&
      column.amounts === undefined &&
      column.labels.length >= 2 &&
      column.labels.length <= 50
    )
  })
  return {
    number: numbers.find((index) => at(index)?.kind === "number") ?? numbers[0],
    date: indexes.find((index) => {
      const column = at(index)
      return column !== undefined && isDate(column) && column.values.some(Number.isFinite)
    }),
    category:
      words.find((index) => {
        const column = at(index)
        return column !== undefined && isLabel(column) && column.labels.length < table.rowCount
      }) ?? words[0]
  }
}

/** The measure of a column when the request names none: prices and rates are averaged, amounts added up. */
export const defaultMeasure = (name: string): Measure =>
  /price|rate|score|temp|age\b|percent|pct|ratio|avg|average|mean|rating|height|weight|speed|humidity|level|grade|%|单价|价格|均价|售价|[率价]$|评分|得分|分数|温度|湿度|年龄|身高|体重|百分比|比例|速度/i.test(
    name
  )
    ? "mean"
    : "sum"
