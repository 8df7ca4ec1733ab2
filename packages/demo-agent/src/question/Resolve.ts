import { stepFor } from "../chart/DefaultChart.ts"
import type { ChartPlan } from "../chart/ChartPlan.ts"
import type { DateGranularity } from "../data/Aggregation.ts"
import { defaultMeasure } from "../chart/MainColumns.ts"
import { parseNumber } from "../data/Numbers.ts"
import { isDate, isLabel, isNumber, type Column, type LabelColumn, type Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { isMeasurable } from "./Conditions.ts"
import { partFor, type Intent, type Part } from "./Intent.ts"
import type { Clause, Figure, Group, Options } from "./Clause.ts"

/** Why a clause that was understood cannot be done. */
export interface Refusal {
  readonly refusal: string
}

/** Turns a clause into parts that can be calculated with the columns of the table, or says why it cannot be done. */
export const resolve = (clause: Clause, table: Table): ReadonlyArray<Part> | Refusal => {
  const { options } = clause
  const rows = { filters: options.filters ?? [], reset: options.allRows === true }
  switch (clause.kind) {
    case "rows":
      return [partFor({ kind: "rows" }, { ...rows, keepsFilters: true })]
    case "figures":
      return resolveFigures(clause.figures, options, table)
    case "scatter": {
      const { x, y } = clause
      const problem = [x, y].map((index) => notNumeric(table.columns[index])).find((each) => each !== undefined)
      if (problem !== undefined) return { refusal: problem }
      return isPlain(options, ["chart"]) ? [partFor({ kind: "chart", plan: { mark: "scatter", x, y } }, rows)] : unfit()
    }
    case "top": {
      const column = table.columns[clause.column]
      if (column === undefined || isLabel(column)) return { refusal: notRankable(column) }
      if (!isPlain(options, ["table"])) return unfit()
      const { column: index, largest, limit } = clause
      return [
        partFor(
          { kind: "top", column: index, largest, limit: Math.min(Math.max(1, limit), MAX_ROWS) },
          { ...rows, notes: limitNotes(limit) }
        )
      ]
    }
    case "table": {
      const limit = clause.limit ?? 10
      if (!isPlain(options, ["table"])) return unfit()
      return [
        partFor(
          { kind: "table", limit: Math.min(Math.max(1, limit), MAX_ROWS), refersToCharts: clause.limit === undefined },
          { ...rows, notes: limitNotes(limit) }
        )
      ]
    }
    case "describe":
      return clause.columns.map((column) => partFor({ kind: "describe", column }, rows))
    case "help":
      return []
    default:
      return isPlain(options, []) ? [partFor({ kind: clause.kind }, rows)] : unfit()
  }
}

const MAX_ROWS = 50

const limitNotes = (limit: number): ReadonlyArray<string> =>
  limit > MAX_ROWS ? [Language.text(`I show ${MAX_ROWS} rows at most.`, `我最多显示 ${MAX_ROWS} 行。`)] : []

/** Tells whether a clause says nothing beside its conditions but these. */
const isPlain = (options: Options, allowed: ReadonlyArray<keyof Options>): boolean =>
  Object.keys(options).every((key) => ["filters", "allRows", ...allowed].includes(key))

const unfit = (): Refusal => ({
  refusal: Language.text(
    "I cannot do these things together; ask for one after the other.",
    "这些不能放在一起做，请分开问。"
  )
})

const resolveFigures = (
  figures: ReadonlyArray<Figure>,
  options: Options,
  table: Table
): ReadonlyArray<Part> | Refusal => {
  const rows = { filters: options.filters ?? [], reset: options.allRows === true }
  const group = resolveGroup(options.by, table)
  if (group !== undefined && "refusal" in group) return group
  if (options.chart !== undefined && options.table === true)
    return { refusal: Language.text("Ask for a chart or for a table, not for both at once.", "请只要图或只要表格。") }
  if (group === undefined && (options.order ?? options.limit) !== undefined) return unfit()
  const parts: Array<Part> = []
  for (const figure of figures) {
    const part =
      options.chart === undefined ? figurePart(figure, group, options, table) : chartPart(figure, group, options, table)
    if ("refusal" in part) return part
    parts.push({ ...part, ...rows })
  }
  return parts
}

/** A column that groups, with the step of its dates. */
interface ResolvedGroup {
  readonly by: number
  readonly step: DateGranularity
}

const resolveGroup = (group: Group | undefined, table: Table): ResolvedGroup | Refusal | undefined => {
  if (group === undefined) return undefined
  const dates = table.columns.flatMap((column, index) => (isDate(column) ? [index] : []))
  const by = group.column ?? (dates.length === 1 ? dates[0] : undefined)
  if (by === undefined) {
    const names = dates.map((index) => Markdown.bold(table.columns[index]?.name ?? ""))
    return {
      refusal:
        names.length === 0
          ? Language.text("No column holds dates, so I cannot group by time.", "没有日期列，所以不能按时间分组。")
          : Language.text(
              `Which dates: ${Markdown.joinWords(names, "or")}? Say for example “by month of ${Markdown.escapeText(table.columns[dates[0] ?? 0]?.name ?? "")}”.`,
              `按哪一列日期：${Markdown.joinWords(names, "or")}？`
            )
    }
  }
  const column = table.columns[by]
  return { by, step: group.step ?? (column !== undefined && isDate(column) ? stepFor(column) : "month") }
}

const figurePart = (
  figure: Figure,
  group: ResolvedGroup | undefined,
  options: Options,
  table: Table
): Part | Refusal => {
  const measured = resolveMeasure(figure, table)
  if ("refusal" in measured) return measured
  const { column, measure, notes } = measured
  const ranked =
    column === undefined || measure === "count" || (options.order ?? options.limit) === undefined
      ? undefined
      : table.columns[column]
  if (isMixed(ranked)) return { refusal: notRankable(ranked) }
  const intent: Intent = {
    kind: "measure",
    measure,
    column,
    by: group?.by,
    step: group?.step ?? "month",
    order: options.order,
    limit: options.limit === undefined ? undefined : Math.min(Math.max(1, options.limit), MAX_ROWS)
  }
  return partFor(intent, { notes })
}

const chartPart = (
  figure: Figure,
  group: ResolvedGroup | undefined,
  options: Options,
  table: Table
): Part | Refusal => {
  const column = figure.column === undefined ? undefined : table.columns[figure.column]
  if (isMixed(column)) return { refusal: notRankable(column) }
  if ((options.order ?? options.limit) !== undefined) return unfit()
  const asked = options.chart
  if (group === undefined) {
    if (figure.measure !== undefined || figure.column === undefined || column === undefined)
      return {
        refusal: Language.text(
          "One figure is no chart. Say by which column, for example “by month”.",
          "一个数字不能画图。请说按哪一列画。"
        )
      }
    if (isDate(column))
      return withMark(asked, { mark: "line", by: figure.column, step: stepFor(column), measure: "count" })
    if (isLabel(column) && column.amounts === undefined)
      return column.kind === "empty" || asked === "histogram"
        ? { refusal: notNumeric(column) ?? "" }
        : withMark(asked, { mark: "bar", by: figure.column, step: "month", measure: "count" })
    const problem = notNumeric(column)
    return problem === undefined ? withMark(asked, { mark: "histogram", column: figure.column }) : { refusal: problem }
  }
  const measured = resolveMeasure(figure, table)
  if ("refusal" in measured) return measured
  if (measured.measure === "count" && measured.column !== undefined)
    return {
      refusal: Language.text(
        "Of counts, I draw only those of rows: “chart the number of rows by …”.",
        "计数的图只能画行数。"
      )
    }
  const by = table.columns[group.by]
  const isOverTime = by !== undefined && isDate(by) && group.step !== "weekday"
  const plan: ChartPlan = {
    mark: isOverTime && asked !== "bar" ? "line" : "bar",
    ...group,
    ...(measured.column === undefined ? {} : { column: measured.column }),
    measure: measured.measure
  }
  const part = withMark(asked, plan)
  return "refusal" in part ? part : { ...part, notes: measured.notes }
}

const withMark = (asked: Options["chart"], plan: ChartPlan): Part | Refusal =>
  asked === undefined || asked === "any" || asked === plan.mark
    ? partFor({ kind: "chart", plan })
    : {
        refusal: Language.text(
          `I cannot draw that as a ${asked === "histogram" ? "histogram" : `${asked} chart`}.`,
          "这个不能画成这种图。"
        )
      }

interface ResolvedMeasure {
  readonly column: number | undefined
  readonly measure: NonNullable<Figure["measure"]>
  readonly notes: ReadonlyArray<string>
}

const resolveMeasure = ({ column: index, measure }: Figure, table: Table): ResolvedMeasure | Refusal => {
  const column = index === undefined ? undefined : table.columns[index]
  if (column === undefined || measure === "count") return { column: index, measure: "count", notes: [] }
  if (isDate(column))
    return measure === "min" || measure === "max"
      ? { column: index, measure, notes: [] }
      : {
          refusal: Language.text(
            `${Markdown.bold(column.name)} holds dates, of which I give the lowest and the highest only.`,
            `${Markdown.bold(column.name)} 是日期，只能求最低和最高。`
          )
        }
  const problem = notNumeric(column)
  if (problem !== undefined) return { refusal: problem }
  const own = measure ?? defaultMeasure(column.name)
  return { column: index, measure: own, notes: measure === undefined ? [measureNote(own, column)] : [] }
}

/** Says which calculation was taken where the request names none. */
const measureNote = (measure: string, { name }: Column): string => {
  const shown = Markdown.bold(name)
  return measure === "mean"
    ? Language.text(
        `You named no calculation, so ${shown} is averaged; say “total” for sums.`,
        `您没有说怎样计算，所以 ${shown} 取平均；要求和请说“总和”。`
      )
    : Language.text(
        `You named no calculation, so ${shown} is added up; say “average” for averages.`,
        `您没有说怎样计算，所以 ${shown} 求和；要平均请说“平均”。`
      )
}

/** Why a column cannot be measured, with an example of its cells; undefined where it can. */
const notNumeric = (column: Column | undefined): string | undefined => {
  if (column === undefined || isMeasurable(column)) return undefined
  const name = Markdown.bold(column.name)
  if (isNumber(column))
    return Language.text(
      `${name} looks like an identifier, which I neither add up nor draw.`,
      `${name} 像是编号，我不求和也不画图。`
    )
  if (isDate(column)) return Language.text(`${name} holds dates, not numbers.`, `${name} 是日期，不是数字。`)
  const example = isLabel(column) ? exampleOf(column) : undefined
  if (example === undefined) return Language.text(`${name} has no values.`, `${name} 没有值。`)
  return Language.text(
    `${name} is not read as numbers: a cell is for example “${example}”.${notesOn(column)}`,
    `${name} 没有按数字读取：例如有一个单元格是“${example}”。${notesOn(column)}`
  )
}

/** A cell that is no number, where there is one. */
const exampleOf = (column: LabelColumn): string | undefined => {
  const isRead = (cell: string): boolean => (parseNumber(cell, ".") ?? parseNumber(cell, ",")) !== undefined
  const label = column.labels.find((each) => !isRead(each)) ?? column.labels[0]
  return label === undefined ? undefined : Markdown.escapeText(label)
}

/** Tells whether the cells of a column are amounts of several currencies or units. */
const isMixed = (column: Column | undefined): boolean =>
  column !== undefined && isLabel(column) && column.amounts !== undefined

const notRankable = (column: Column | undefined): string =>
  isMixed(column) && column !== undefined
    ? Language.text(
        `${Markdown.bold(column.name)} is in several currencies or units, which can be neither compared nor drawn.${notesOn(column)}`,
        `${Markdown.bold(column.name)} 含多种货币或单位，不能比较，也不能画图。${notesOn(column)}`
      )
    : (notNumeric(column) ?? "")

const notesOn = ({ notes }: Column): string =>
  notes
    .map((note) => Language.text(` Note: ${Markdown.escapeQuoted(note)}.`, `注意：${Markdown.escapeQuoted(note)}。`))
    .join("")
