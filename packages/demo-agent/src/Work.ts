import { proseChart, tableChart, type Chart } from "./Chart.ts"
import { defaultChart, type ChartPlan } from "./ChartPlan.ts"
import type { Data } from "./DataFile.ts"
import { applyFilters, describeFilters, mergeFilters, type Filter } from "./Filter.ts"
import { inWords, shortList } from "./Gist.ts"
import * as Markdown from "./Markdown.ts"
import type { Intent, Understood } from "./Request.ts"
import { answerAboutTable } from "./TableAnswer.ts"
import { columnTable, findings, identifiersOf, lookAt, numberTable } from "./TableLook.ts"
import { answerAboutProse, checked, gistOf, lookAtJson, lookAtProse, shapeTable } from "./TextAnswer.ts"

/** The result of one turn's work, before anything is said or written. */
export interface Work {
  /** Messages in Markdown, in the order in which they are said. */
  readonly messages: ReadonlyArray<string>
  /** One or two sentences that sum up. */
  readonly summary: string
  /** What was found in a few sentences, for a reader who does not want the whole answer. */
  readonly gist: ReadonlyArray<string>
  readonly chart: Chart | undefined
  /** How the chart was made, where it was chosen here. */
  readonly plan?: ChartPlan | undefined
  /** Why there is no chart although one was due. */
  readonly noChart: string | undefined
}

/** The filters that hold after a request, with a sentence about those that were replaced. */
export const nextFilters = (
  old: ReadonlyArray<Filter>,
  understood: Understood
): { readonly filters: ReadonlyArray<Filter>; readonly note: string | undefined } => {
  const { filters, replaced } = mergeFilters(understood.reset ? [] : old, understood.filters)
  return {
    filters,
    note:
      understood.reset && old.length > 0
        ? `The filter “${describeFilters(old)}” is lifted.`
        : replaced.length === 0
          ? undefined
          : `This takes the place of the filter “${describeFilters(replaced)}”.`
  }
}

/** "Now as a table" after a chart means the figures of that chart. */
export const asCharted = (understood: Understood, last: ChartPlan | null): Understood => {
  const { intent } = understood
  if (intent.do !== "table" || !intent.again || last === null) return understood
  return { ...understood, intent: figuresOf(last) ?? intent }
}

/** The question that the figures of a chart answer; none for a cloud of points. */
const figuresOf = (plan: ChartPlan): Intent | undefined => {
  if (plan.mark === "scatter") return undefined
  if (plan.mark === "histogram") return { do: "describe", column: plan.column }
  const { by, column, measure, step } = plan
  return { do: "measure", measure, column, by, step, largest: true }
}

/** Does what was understood on the data; pure but for yielding to the event loop. */
export const workOn = async (
  data: Data,
  understood: Understood,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Work> => {
  if (data.kind === "table") {
    const work =
      understood.intent.do === "look"
        ? await lookAtTable(data, understood.intent.plan, filters, signal)
        : await workOnTable(data, understood.intent, filters, signal)
    const further: Array<string> = []
    for (const intent of understood.also ?? [])
      further.push(...(await workOnTable(data, intent, filters, signal)).messages)
    return { ...work, messages: [...work.messages, ...further], gist: [...work.gist, ...inWords(further)] }
  }
  if (data.kind === "json") {
    // The full look holds the shape.
    const messages =
      understood.intent.do === "shape"
        ? [shapeTable(data.json, 60)]
        : [...data.notes, ...lookAtJson(data.json, data.name)]
    return {
      messages,
      summary: `${Markdown.bold(data.name)} is JSON with ${Markdown.plural(data.json.shape.length, "path")} and no array of objects, so it cannot become a table.`,
      gist: [],
      chart: undefined,
      noChart: "There is nothing in it to draw."
    }
  }
  const { prose } = data
  const { intent, also = [] } = understood
  const further = also.flatMap((intent) => answerAboutProse(intent, prose))
  const items =
    prose.items.length === 0
      ? ""
      : `, ${Markdown.plural(prose.items.length, "checklist item")} (${checked(prose.items)})`
  const summary = `${Markdown.bold(data.name)}: ${Markdown.plural(prose.words, "word")}, ${Markdown.plural(prose.headings.length, "heading")}, ${Markdown.plural(prose.links.length, "link")}${items}.`
  if (intent.do === "look" || intent.do === "chart") {
    const chart = proseChart(prose, intent.do === "chart")
    const looked = intent.do === "look" ? [...data.notes, ...lookAtProse(prose, data.name, data.markdown)] : []
    return {
      messages: [...looked, ...further],
      summary,
      gist: [...(intent.do === "look" ? gistOf(prose, data.markdown) : []), ...inWords(further)],
      chart,
      noChart: chart === undefined ? "The text is too short for a chart." : undefined
    }
  }
  const messages = [...answerAboutProse(intent, prose), ...further]
  return { messages, summary, gist: inWords(messages), chart: undefined, noChart: undefined }
}

type TableData = Extract<Data, { readonly kind: "table" }>

const lookAtTable = async (
  data: TableData,
  wanted: ChartPlan | undefined,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Work> => {
  const { table } = data
  const rows = applyFilters(table, filters)
  const looks = await lookAt(table, rows, signal)
  const identifiers = identifiersOf(table)
  const size = `${Markdown.plural(table.rowCount, "row")} and ${Markdown.plural(table.columns.length, "column")}`
  const where =
    data.json?.tablePath === undefined ? "" : `, taken from \`${data.json.tablePath.replace(/`/g, "")}\` of the JSON`
  const filtered =
    filters.length === 0
      ? ""
      : ` The filter “${describeFilters(filters)}” leaves ${Markdown.plural(rows.length, "row")}.`
  const messages = [`${Markdown.bold(data.name)} has ${size}${where}.${filtered}\n\n${columnTable(looks)}`]
  const numbers = numberTable(looks, identifiers)
  if (numbers !== undefined) messages.push(`The numbers in figures:\n\n${numbers}`)
  const found = findings(table, looks, identifiers)
  if (found.length > 0) {
    const shown = found.slice(0, 15).map((sentence) => `- ${sentence}`)
    if (found.length > 15) shown.push(`- _${found.length - 15} more of this kind_`)
    messages.push(`Worth knowing:\n${shown.join("\n")}`)
  } else if (table.rowCount > 0)
    messages.push("Nothing is missing, no row is ragged or repeated, and no number is an outlier.")
  if (table.rowCount === 0) messages.push("There is a header but no row below it.")
  const planned = wanted === undefined ? defaultChart(table) : { ok: true as const, plan: wanted }
  const chart = planned.ok ? tableChart(table, rows, planned.plan, describeFilters(filters)) : undefined
  const gaps = looks.reduce((sum, look) => sum + look.summary.missing, 0)
  const far = looks.reduce(
    (sum, look) =>
      sum +
      ("outliers" in look.summary && look.column.kind !== "date" && !identifiers.has(look.column.name)
        ? look.summary.outliers.count
        : 0),
    0
  )
  const kept = filters.length === 0 ? "" : ` (${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)})`
  const summary = `${Markdown.bold(data.name)}: ${size}${kept}, ${Markdown.plural(gaps, "missing value")}, ${Markdown.plural(far, "outlier")}, ${Markdown.plural(table.duplicateRows, "repeated row")}.`
  return {
    messages,
    summary,
    gist: found.length === 0 ? [] : [shortList(found.map((sentence) => `- ${sentence}`))],
    chart,
    plan: planned.ok ? planned.plan : undefined,
    noChart: chart !== undefined ? undefined : planned.ok ? "There are no values to draw." : planned.why
  }
}

const workOnTable = async (
  data: TableData,
  intent: Intent,
  filters: ReadonlyArray<Filter>,
  signal: AbortSignal
): Promise<Work> => {
  const { table } = data
  const rows = applyFilters(table, filters)
  const scope =
    filters.length === 0
      ? `all ${Markdown.plural(table.rowCount, "row")}`
      : `${Markdown.plural(rows.length, "row")} where ${describeFilters(filters)}`
  const summary = `Based on ${scope} of ${Markdown.bold(data.name)}.`
  if (intent.do === "shape" && data.json !== undefined)
    return { messages: [shapeTable(data.json, 60)], summary, gist: [], chart: undefined, noChart: undefined }
  if (intent.do !== "chart" || intent.plan === undefined) {
    const messages = await answerAboutTable(intent, table, rows, signal)
    return {
      messages,
      summary,
      gist: inWords(messages),
      chart: undefined,
      noChart: undefined
    }
  }
  const chart = tableChart(table, rows, intent.plan, describeFilters(filters))
  const figures = figuresOf(intent.plan)
  return {
    messages: [],
    summary,
    gist: [
      ...(chart === undefined ? [] : [`The chart shows “${Markdown.cell(chart.title, 100)}”.`]),
      ...(figures === undefined ? [] : inWords(await answerAboutTable(figures, table, rows, signal)))
    ],
    chart,
    noChart:
      chart !== undefined
        ? undefined
        : rows.length === 0
          ? "No row fits the filter, so there is nothing to draw."
          : "The rows have no values to draw."
  }
}
