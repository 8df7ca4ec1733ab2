import { answerClauses } from "@heddle/demo-agent/answer/Answer"
import { readData, type Data } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"
import { refusalText } from "@heddle/demo-agent/turn/Replies"

const signal = new AbortController().signal

/** Reads data as the agent does. */
export const dataOf = (content: string, name = "data.csv"): Promise<Data> =>
  readData(Buffer.from(content), name, undefined, signal)

/** What is said to a request about a file: the answer, or why there is none. */
export const answerTo = (content: string, request: string, name = "data.csv"): Promise<string> =>
  Language.run(languageOf(request) ?? "english", async () => {
    const data = await dataOf(content, name)
    const parsed = parseRequest(request, data)
    if (parsed.kind === "refused") return refusalText(data, parsed.reason, parsed.isUnderstood)
    const { charts, messages, summary } = answerClauses(data, parsed.clauses)
    return [...messages, summary, ...charts.map(({ title }) => `[picture: ${title}]`)].join("\n\n")
  })
