import { examplesFor } from "../answer/Examples.ts"
import { findCourtesy, type Courtesy } from "../question/Courtesy.ts"
import type { Data } from "../data/DataFile.ts"
import type { Filter } from "../data/Filter.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** The answer to a first prompt without data. */
export const needsData = (): string =>
  Language.text(
    "I work on data you give me, and I have none yet. Attach a CSV, JSON, Markdown or text file, or paste its content below your question.\n" +
      "Then ask for example “what is in this file?”, “only rows where region is EU” or “chart price by month”.\n",
    "我处理您给我的数据，而现在还没有数据。请附上 CSV、JSON、Markdown 或文本文件，或把内容粘贴在问题下面。\n" +
      "然后可以问，例如“文件里有什么？”、“只看 region 为 EU 的行”或“按月画 price 的图”。\n"
  )

/** The answer to a greeting, thanks or a goodbye; `undefined` for a request. */
export const courtesyReply = (request: string, dataName: string | undefined, isNew: boolean): string | undefined => {
  const courtesy = findCourtesy(request)
  if (courtesy === undefined) return undefined
  const reply = Language.pick(COURTESIES)[courtesy]
  const invitation = courtesy === "greeting" || courtesy === "agreement" || isNew ? invitationTo(dataName) : ""
  return `${[reply, invitation].filter((part) => part !== "").join(Language.text(" ", ""))}\n`
}

const COURTESIES: Record<Language.Language, Record<Courtesy, string>> = {
  english: { greeting: "Hello!", thanks: "You are welcome.", agreement: "All right.", farewell: "Goodbye!" },
  chinese: { greeting: "你好！", thanks: "不客气！", agreement: "好的。", farewell: "再见！" }
}

const invitationTo = (dataName: string | undefined): string => {
  if (dataName === undefined)
    return Language.text(
      "Attach a CSV, JSON, Markdown or text file and ask about it.",
      "请发一个 CSV、JSON、Markdown 或文本文件给我，然后提问。"
    )
  const name = Markdown.bold(dataName)
  return Language.text(
    `Ask me about ${name}, for example “summarise”, or say “help”.`,
    `可以问我关于 ${name} 的问题，例如“总结”，或者说“帮助”。`
  )
}

/** Says why a request is not answered, and what can be asked instead. */
export const cannotText = (data: Data, reason: string, filters: ReadonlyArray<Filter>): string =>
  Language.text(
    `${reason} I work by rules, without a language model.\nOn ${Markdown.bold(data.name)} you can say for example ${examplesText(data, filters)}.\n`,
    `${reason}我按规则工作，没有语言模型。\n关于 ${Markdown.bold(data.name)}，例如可以说${examplesText(data, filters)}。\n`
  )

/** Says what can be asked about data. */
export const helpText = (data: Data): string => {
  const name = Markdown.bold(data.name)
  const help = Language.pick(HELP)[data.kind]
  return Language.text(`On ${name} I can do this:\n${help}\n`, `关于 ${name}，我可以做：\n${help}\n`)
}

/** Examples of what to ask next; while rows are filtered, also how to lift the filter. */
export const examplesText = (data: Data, filters: ReadonlyArray<Filter>): string => {
  const isFiltered = filters.length > 0
  const examples = examplesFor(data, filters)
  const liftFilter = Language.text("“all rows” to lift the filter", "“全部行”（取消筛选）")
  return Markdown.joinWords([...examples, ...(isFiltered ? [liftFilter] : [])], "or")
}

const HELP: Record<Language.Language, Record<Data["kind"], string>> = {
  english: {
    table:
      "- a full look: “summarise”\n- pick rows: “only rows where … is …”, “exclude …”, “all rows”\n- charts: “chart … by month”, “histogram of …”, “scatter … vs …”\n" +
      "- figures: “average … by …”, “top 10 by …”, “sort by … descending”, “how many rows”, “describe …”, “outliers”, “missing values”, “duplicates”\n- “now as a table”, “list columns”",
    prose:
      "- a full look: “summarise”\n- “headings”, “links”, “open items”, “done items”, “word count”, “frequent words”\n- “chart the most frequent words”",
    json: "- “shape”: its paths and types\n- a full look: “summarise”"
  },
  chinese: {
    table:
      "- 全面了解：“总结”\n- 选行：“只看 … 为 … 的行”、“排除 …”、“全部行”\n- 画图：“按月画 … 的图”、“… 的直方图”、“… 和 … 的散点图”\n" +
      "- 数字：“按 … 统计平均 …”、“… 最高的 10 行”、“有多少行”、“描述 …”、“异常值”、“缺失值”\n- “改成表格”、“有哪些列”",
    prose: "- 全面了解：“总结”\n- “标题”、“链接”、“未完成的事项”、“已完成的事项”、“字数”、“高频词”\n- “画高频词的图”",
    json: "- “结构”：路径和类型\n- 全面了解：“总结”"
  }
}
