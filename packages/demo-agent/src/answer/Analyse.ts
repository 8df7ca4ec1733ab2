import type { Data } from "../data/DataFile.ts"
import type { Filter } from "../data/Filter.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import type { Part } from "../question/Intent.ts"
import type { Analysis } from "./Analysis.ts"
import { maxShapePaths, profileJson, shapeTable } from "./JsonAnswer.ts"
import { analyseProse } from "./ProseAnalysis.ts"
import { analysePart, scopeOf } from "./TableAnalysis.ts"

/**
 * Answers the parts of a request about data, each for the rows that meet its conditions; pure but for yielding to the
 * event loop.
 */
export const analyse = async (
  data: Data,
  parts: ReadonlyArray<Part>,
  filters: ReadonlyArray<ReadonlyArray<Filter>>,
  signal: AbortSignal
): Promise<Analysis> => {
  if (data.kind === "json") return analyseJson(data, parts)
  if (data.kind === "prose") return analyseProse(data, parts)
  const all: Array<Analysis> = []
  for (const [at, part] of parts.entries()) {
    // Rows that are picked for what follows are shown by its answers.
    if (part.intent.kind === "rows" && at < parts.length - 1) continue
    const scope = filters[at] ?? []
    const analysis = await analysePart(data, part, scope, signal)
    const next = filters[at + 1]
    const isLastOfScope = next === undefined || scopeOf(data, next) !== scopeOf(data, scope)
    const own = isLastOfScope && at < parts.length - 1 ? [scopeOf(data, scope)] : []
    all.push({ ...analysis, messages: [...part.notes, ...analysis.messages, ...own] })
  }
  return {
    messages: all.flatMap(({ messages }) => messages),
    summary: all.at(-1)?.summary ?? "",
    findings: all.flatMap(({ findings }) => findings),
    charts: all.flatMap(({ charts }) => charts),
    isRefused: all.every(({ isRefused }) => isRefused)
  }
}

const analyseJson = (
  { json, name, notes }: Extract<Data, { readonly kind: "json" }>,
  parts: ReadonlyArray<Part>
): Analysis => ({
  messages: parts.flatMap(({ intent }) =>
    intent.kind === "shape" ? [shapeTable(json, maxShapePaths)] : [...notes, ...profileJson(json, name)]
  ),
  summary: Language.text(
    `${Markdown.bold(name)} is JSON with ${Markdown.plural(json.shape.length, "path")} and no array of objects, so it cannot become a table.`,
    `${Markdown.bold(name)} 是有 ${Markdown.integer(json.shape.length)} 个路径的 JSON，没有对象数组，所以不能变成表格。`
  ),
  findings: [],
  charts: [],
  isRefused: false
})
