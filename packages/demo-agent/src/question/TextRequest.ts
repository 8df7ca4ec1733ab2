import * as Language from "../format/Language.ts"
import { requestFor, unanswerable, type Intent, type ParsedRequest } from "./Intent.ts"
import { CHART } from "./TableAction.ts"

/** Parses a request about a text, or about JSON without a table; `undefined` for other texts. */
export const parseTextRequest = (text: string, kind: "prose" | "json"): ParsedRequest | undefined => {
  if (CHART.test(text))
    return kind === "prose"
      ? requestFor({ kind: "chart", plan: undefined })
      : unanswerable(
          Language.text(
            "This JSON holds no array of objects, so there are no columns to draw.",
            "这个 JSON 里没有对象数组，所以没有列可以画图。"
          )
        )
  if (kind === "json") return SHAPE.test(text) ? requestFor({ kind: "shape" }) : undefined
  if (ITEMS.test(text)) return requestFor({ kind: "items", status: readItemStatus(text) })
  const question = QUESTIONS.find(([pattern]) => pattern.test(text))
  return question === undefined ? undefined : requestFor(question[1])
}

const SHAPE = /\b(?:shape|structure|paths?|keys|fields|table|columns)\b/i
const ITEMS =
  /\b(?:to-?dos?|check-?lists?|check ?box(?:es)?|tasks?|items?|(?:open|done|finished|closed) (?:points?|questions?|ones)|(?:what(?:'s| is)|still) (?:still )?(?:open|left|outstanding|to do|done|finished))\b/i
const QUESTIONS: ReadonlyArray<readonly [pattern: RegExp, intent: Intent]> = [
  [/\b(?:headings?|outline|structure|sections?|toc|table of contents|chapters)\b/i, { kind: "headings" }],
  [/\b(?:links?|urls?)\b/i, { kind: "links" }],
  [/\b(?:frequent|common|top|most used|keywords?)\b/i, { kind: "frequent" }],
  [/\b(?:words?|how long|length|reading time|sentences|characters|count|lines|paragraphs)\b/i, { kind: "words" }]
]

const readItemStatus = (text: string): "open" | "done" | "all" => {
  const isOpen =
    /\b(?:open|unchecked|unfinished|outstanding|left|remaining|pending|to-?dos?|to do|not (?:yet )?done)\b/i.test(text)
  const isDone = /(?<!not )(?<!not yet )\b(?:done|checked|finished|completed?|closed)\b/i.test(text)
  return isOpen === isDone ? "all" : isOpen ? "open" : "done"
}
