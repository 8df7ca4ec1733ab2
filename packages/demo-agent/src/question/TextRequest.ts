import { asking, cannot, type Intent, type ParsedRequest } from "./Intent.ts"
import { CHART } from "./TableAction.ts"

/** Understands a request about a text, or about JSON without a table; `undefined` when it is none. */
export const parseTextRequest = (text: string, kind: "prose" | "json"): ParsedRequest | undefined => {
  if (CHART.test(text))
    return kind === "prose"
      ? asking({ do: "chart", plan: undefined })
      : cannot("This JSON holds no array of objects, so there are no columns to draw.")
  if (kind === "json") return SHAPE.test(text) ? asking({ do: "shape" }) : undefined
  if (ITEMS.test(text)) return asking({ do: "items", which: whichItems(text) })
  const found = QUESTIONS.find(([pattern]) => pattern.test(text))
  return found === undefined ? undefined : asking(found[1])
}

const SHAPE = /\b(?:shape|structure|paths?|keys|fields|table|columns)\b/i
const ITEMS =
  /\b(?:to-?dos?|check-?lists?|check ?box(?:es)?|tasks?|items?|(?:open|done|finished|closed) (?:points?|questions?|ones)|(?:what(?:'s| is)|still) (?:still )?(?:open|left|outstanding|to do|done|finished))\b/i
const QUESTIONS: ReadonlyArray<readonly [pattern: RegExp, intent: Intent]> = [
  [/\b(?:headings?|outline|structure|sections?|toc|table of contents|chapters)\b/i, { do: "headings" }],
  [/\b(?:links?|urls?)\b/i, { do: "links" }],
  [/\b(?:frequent|common|top|most used|keywords?)\b/i, { do: "frequent" }],
  [/\b(?:words?|how long|length|reading time|sentences|characters|count|lines|paragraphs)\b/i, { do: "words" }]
]

const whichItems = (text: string): "open" | "done" | "all" => {
  const open =
    /\b(?:open|unchecked|unfinished|outstanding|left|remaining|pending|to-?dos?|to do|not (?:yet )?done)\b/i.test(text)
  const done = /(?<!not )(?<!not yet )\b(?:done|checked|finished|completed?|closed)\b/i.test(text)
  return open === done ? "all" : open ? "open" : "done"
}
