import type { Operator } from "../data/Condition.ts"
import type { Measure } from "../data/Groups.ts"
import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import type { Clause, GroupBy } from "./Clause.ts"
import { PHRASES } from "./Words.ts"

/** A clause as a complete request in the language of the turn, which the grammar reads as this clause. */
export const requestFor = (clause: Clause, table: Table): string => {
  const where = clause.where
  const condition =
    where === undefined
      ? ""
      : `${nameOf(table, where.column)} ${operatorText(where.operator)} ${quotedUnlessPlain(where.value)}`
  const text = bodyOf(clause, table)
  if (condition === "") return text
  return text === ""
    ? Language.text(`only rows where ${condition}`, `只看 ${condition} 的行`)
    : Language.text(`${text} where ${condition}`, `${text}，其中 ${condition}`)
}

/** An operator in the language of the turn, as it stands in a request. */
export const operatorText = (operator: Operator): string =>
  Language.text(
    operator,
    { is: "为", "is not": "不为", contains: "包含", ">": ">", ">=": ">=", "<": "<", "<=": "<=" }[operator]
  )

/** The word for a calculation, before the name of a column. */
export const measureText = (measure: Measure): string => Language.pick(MEASURES)[measure]

const MEASURES = {
  english: { count: "count", sum: "total", mean: "average", median: "median", min: "lowest", max: "highest" },
  chinese: { count: "行数", sum: "总", mean: "平均", median: "中位数", min: "最低", max: "最高" }
}

const bodyOf = (clause: Clause, table: Table): string => {
  const listOf = (columns: ReadonlyArray<number>): string =>
    columns.map((index) => nameOf(table, index)).join(Language.text(" and ", " 和 "))
  switch (clause.kind) {
    case "report":
      return Language.text("summarise", "总结")
    case "figures":
    case "chart": {
      const names = listOf(clause.columns)
      const measure = clause.measure === undefined ? "" : `${measureText(clause.measure)} `
      const figure = `${measure}${names}`.trim()
      if (clause.kind === "figures")
        return Language.text(`${figure}${byText(clause.by, table)}`, `${byText(clause.by, table, "统计")}${figure}`)
      const [noun, mark] =
        clause.mark === undefined
          ? ["chart", "图"]
          : clause.mark === "bar"
            ? ["bar chart of", "柱状图"]
            : ["line chart of", "折线图"]
      return figure === ""
        ? Language.text("draw a chart", "画图")
        : Language.text(
            `${noun} ${figure}${byText(clause.by, table)}`,
            `${byText(clause.by, table, "")}画 ${figure} 的${mark}`
          )
    }
    case "which": {
      const [group, of] = [nameOf(table, clause.group), clause.column === undefined ? "" : nameOf(table, clause.column)]
      const [most, chinese] = clause.isHighest ? ["highest", "最高"] : ["lowest", "最低"]
      return of === ""
        ? Language.text(
            `which ${group} has the ${clause.isHighest ? "most" : "fewest"} rows`,
            `哪个 ${group} 的行数${clause.isHighest ? "最多" : "最少"}`
          )
        : Language.text(
            `which ${group} has the ${most} ${measureText(clause.measure)} ${of}`,
            `哪个 ${group} 的${measureText(clause.measure)} ${of} ${chinese}`
          )
    }
    case "rows": {
      const { limit, order } = clause
      if (order === undefined)
        return limit === undefined
          ? clause.where === undefined
            ? Language.text("show the rows", "显示所有行")
            : ""
          : Language.text(`first ${limit} rows`, `前 ${limit} 行`)
      const name = nameOf(table, order.column)
      if (limit !== undefined) return Language.text(`top ${limit} by ${name}`, `${name} 最高的 ${limit} 行`)
      return Language.text(
        `sort by ${name}${order.isDescending ? " descending" : ""}`,
        `按 ${name} ${order.isDescending ? "降序" : "升序"}排序`
      )
    }
  }
}

const byText = (by: GroupBy | undefined, table: Table, verb?: string): string => {
  if (by === undefined) return ""
  const dates = table.columns.filter(({ kind }) => kind === "date").length
  const name = by.column === undefined ? "" : nameOf(table, by.column)
  if (by.step === undefined || by.column === undefined) return Language.text(` by ${name}`, `按 ${name} ${verb}`)
  const [step, chinese] = by.step === "month" ? ["month", "月"] : ["year", "年"]
  const isNamed = table.columns.some((column) => column.name.toLowerCase() === step)
  return dates === 1 && !isNamed
    ? Language.text(` by ${step}`, `按${chinese}${verb}`)
    : Language.text(` by ${step} of ${name}`, `按 ${name} 的${chinese}${verb}`)
}

/** The name of a column, in quotes where it could be read as other words. */
const nameOf = (table: Table, index: number): string => quotedUnlessPlain(table.columns[index]?.name ?? "")

const quotedUnlessPlain = (text: string): string => {
  const isPlain =
    /^[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_-]+)*$/u.test(text) &&
    !text
      .toLowerCase()
      .split(/[\s_]+/)
      .some((word) => KNOWN.has(word))
  return isPlain || text.includes('"') ? text : `"${text}"`
}

const KNOWN = new Set(Object.values(PHRASES).flatMap((phrases) => phrases.split("|")))
