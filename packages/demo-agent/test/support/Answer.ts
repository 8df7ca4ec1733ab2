import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { subjectOf } from "@heddle/demo-agent/answer/Analysis"
import { readData } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const signal = new AbortController().signal

/** What is said to a request about a file: notes, answer, findings and why there is no chart, or why there is no answer. */
export const answerTo = (content: string, request: string, name = "data.csv"): Promise<string> =>
  Language.run(languageOf(request) ?? "english", async () => {
    const data = await readData(Buffer.from(content), name, undefined, signal)
    const parsed = parseRequest(request, subjectOf(data), false)
    if (parsed.intent.kind === "cannot") return parsed.intent.reason
    const { chart, findings, messages, noChartReason = "" } = await analyse(data, parsed, parsed.filters, signal)
    return [...parsed.notes, ...messages, ...findings, chart === undefined ? noChartReason : ""].join("\n\n").trim()
  })
