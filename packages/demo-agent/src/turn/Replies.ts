import { examplesFor } from "../answer/Examples.ts"
import { findCourtesy } from "../question/Courtesy.ts"
import type { Data } from "../data/DataFile.ts"
import * as Markdown from "../format/Markdown.ts"

/** The answer to a first prompt without data. */
export const NEEDS_DATA =
  "I work on data you give me, and I have none yet. Attach a CSV, JSON, Markdown or text file, or paste its content below your question.\n" +
  "Then ask for example “what is in this file?”, “only rows where region is EU” or “chart price by month”.\n"

/** The answer to a greeting or thanks; `undefined` for a request. */
export const courtesyReply = (request: string, dataName: string | undefined): string | undefined => {
  const courtesy = findCourtesy(request)
  if (courtesy === undefined) return undefined
  if (courtesy.isChinese) {
    if (courtesy.isThanks) return "不客气！\n"
    const offer =
      dataName === undefined
        ? "请发一个 CSV、JSON、Markdown 或文本文件给我。"
        : `请问关于 ${Markdown.bold(dataName)} 的问题。`
    return `你好！${offer}\n`
  }
  if (courtesy.isThanks) return "You are welcome.\n"
  return `Hello! ${dataName === undefined ? "Attach a CSV, JSON, Markdown or text file and ask about it." : `Ask me about ${Markdown.bold(dataName)}, or say “help”.`}\n`
}

/** Says why a request is not answered, and what can be asked instead. */
export const cannotText = (data: Data, reason: string, isFiltered: boolean): string =>
  `${reason} I work by rules, without a language model.\nOn ${Markdown.bold(data.name)} you can say for example ${examplesText(data, isFiltered)}.\n`

/** Says what can be asked about data. */
export const helpText = (data: Data): string => `On ${Markdown.bold(data.name)} I can do this:\n${HELP[data.kind]}\n`

/** Examples of what to ask next; while rows are filtered, also how to lift the filter. */
export const examplesText = (data: Data, isFiltered: boolean): string => {
  const examples = examplesFor(data).filter((example) => !isFiltered || !example.startsWith("“only rows"))
  return Markdown.joinWords([...examples, ...(isFiltered ? ["“all rows” to lift the filter"] : [])], "or")
}

const HELP: Record<Data["kind"], string> = {
  table:
    "- a full look: “summarise”\n- pick rows: “only rows where … is …”, “exclude …”, “all rows”\n- charts: “chart … by month”, “histogram of …”, “chart … vs …”\n" +
    "- figures: “average … by …”, “top 10 by …”, “how many rows”, “describe …”, “outliers”, “missing values”\n- “now as a table”, “list columns”",
  prose:
    "- a full look: “summarise”\n- “headings”, “links”, “open items”, “done items”, “word count”, “frequent words”\n- “chart the most frequent words”",
  json: "- “shape”: its paths and types\n- a full look: “summarise”"
}
