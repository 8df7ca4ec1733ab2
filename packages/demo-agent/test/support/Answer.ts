import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { scopesOf, subjectOf } from "@heddle/demo-agent/answer/Analysis"
import { readData } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const signal = new AbortController().signal

/** What is said to a request about a file: the answer and its findings, or why there is no answer. */
export const answerTo = (content: string, request: string, name = "data.csv"): Promise<string> =>
  Language.run(languageOf(request) ?? "english", async () => {
    const data = await readData(Buffer.from(content), name, undefined, signal)
    const parsed = parseRequest(request, subjectOf(data))
    if (parsed.kind !== "parts") return parsed.kind === "cannot" ? parsed.reason : "help"
    const { findings, messages, summary } = await analyse(
      data,
      parsed.parts,
      scopesOf([], parsed.parts).ofParts,
      signal
    )
    return [...messages, summary, ...findings].join("\n\n").trim()
  })
