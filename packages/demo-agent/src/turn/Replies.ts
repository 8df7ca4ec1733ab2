import type { Data } from "../data/DataFile.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { findCourtesy, type Courtesy } from "../question/Courtesy.ts"
import { examplesFor } from "../question/Examples.ts"

/** The answer to a first prompt without data. */
export const needsData = (): string =>
  Language.text(
    "I work on data you give me, and I have none yet. Attach a CSV, JSON, Markdown or text file, or paste its content between two lines of \\`\\`\\`.\n" +
      "Then say for example “what is in this file?”.\n",
    "我处理您给我的数据，而现在还没有数据。请附上 CSV、JSON、Markdown 或文本文件，或把内容粘贴在两行 \\`\\`\\` 之间。\n" +
      "然后可以说，例如“文件里有什么？”。\n"
  )

/**
 * The answer to a greeting, thanks or a goodbye; `undefined` for a request, and for "help" where there is data. `data` is
 * undefined before it is read.
 */
export const courtesyReply = (
  request: string,
  dataName: string | undefined,
  data: Data | undefined,
  isNew: boolean
): string | undefined => {
  const columns = data?.kind === "table" ? data.table.columns.map(({ name }) => name) : []
  const courtesy = findCourtesy(request, dataName === undefined ? columns : [dataName, ...columns])
  if (courtesy === undefined || courtesy === "help") return undefined
  const reply = Language.pick(COURTESIES)[courtesy]
  const isOpen = courtesy === "greeting" || courtesy === "agreement" || isNew
  return `${[reply, isOpen ? invitationTo(dataName) : ""].filter((part) => part !== "").join(Language.text(" ", ""))}\n`
}

const COURTESIES: Record<Language.Language, Record<Exclude<Courtesy, "help">, string>> = {
  english: {
    greeting: "Hello!",
    thanks: "You are welcome.",
    praise: "I am glad to hear that.",
    agreement: "All right.",
    farewell: "Goodbye!"
  },
  chinese: {
    greeting: "你好！",
    thanks: "不客气！",
    praise: "很高兴能帮到您。",
    agreement: "好的。",
    farewell: "再见！"
  }
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
export const refusalText = (data: Data, reason: string, isUnderstood: boolean): string => {
  if (isUnderstood) return `${reason}\n`
  const examples = Markdown.joinWords(examplesFor(data, 4), "or")
  return Language.text(
    `${reason}\nI work by rules, without a language model. You can say for example ${examples}, or “help”.\n`,
    `${reason}\n我按规则工作，没有语言模型。例如可以说${examples}，或者说“帮助”。\n`
  )
}

/** Says what can be asked about data, in requests that are understood. */
export const helpText = (data: Data): string => {
  const name = Markdown.bold(data.name)
  const examples = examplesFor(data, 20)
    .map((example) => `- ${example}`)
    .join("\n")
  const [rules, chinese] =
    data.kind === "table"
      ? [
          "\n\nI calculate count, total, average, median, lowest and highest. A request may end with one condition; the word then joins several requests.",
          "\n\n可以计算行数、总和、平均、中位数、最低和最高。请求末尾可以有一个条件；几个请求用“然后”连接。"
        ]
      : ["", ""]
  return Language.text(
    `On ${name} you can say, for example:\n${examples}${rules}\n`,
    `关于 ${name}，例如可以说：\n${examples}${chinese}\n`
  )
}
