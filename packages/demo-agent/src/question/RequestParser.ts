import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { inEnglish } from "./ChineseRequest.ts"
import { parseParts } from "./CompoundRequest.ts"
import { withoutRemarks } from "./Courtesy.ts"
import { withLeftOutNote } from "./LeftOut.ts"
import { requestFor, unanswerable, type ParsedRequest, type Subject } from "./Intent.ts"
import { unquoteWhole } from "./Quotes.ts"
import { continuesTableRequest, parseTableRequest } from "./TableRequest.ts"
import { parseTextRequest } from "./TextRequest.ts"

/** Parses a request about data; `hasNewData` is true when the data came with this request. */
export const parseRequest = (request: string, subject: Subject, hasNewData: boolean): ParsedRequest => {
  const asked = withoutRemarks(unquoteWhole(request))
  const readable = Language.now() === "chinese" ? inEnglish(asked, subject) : undefined
  const text = withSharedColumn(withoutCourtesies(readable?.text ?? asked))
  if (text === "") return requestFor({ kind: hasNewData || request.trim() === "" ? "profile" : "help" })
  if (/^(?:help|commands?|what can you do|what else|hilfe)\b/i.test(text)) return requestFor({ kind: "help" })
  const noted = (part: string, parsed: ParsedRequest): ParsedRequest => withLeftOutNote(part, parsed, subject)
  const parseLook = (part: string): ParsedRequest | undefined => {
    const look = noted(part, requestFor({ kind: "profile" }))
    return SUMMARY.test(part) || (QUESTION.test(part) && look.notes.length === 0) ? look : undefined
  }
  const parsePart = (part: string): ParsedRequest | undefined => {
    const parsed =
      subject.kind === "table"
        ? parseTableRequest(part, subject.table, subject.isFromJson)
        : parseTextRequest(part, subject.kind)
    return parsed === undefined ? undefined : noted(part, parsed)
  }
  const parts = parseParts(text, {
    parse: (part) => parsePart(withoutCourtesies(part)) ?? parseLook(withoutCourtesies(part)),
    original: (part) => readable?.original(part) ?? part,
    continuesPrevious: (part) =>
      subject.kind === "table" && continuesTableRequest(withoutCourtesies(part), subject.table, subject.isFromJson)
  })
  const parsed = parts ?? parsePart(text)
  if (parsed !== undefined && !(hasNewData && parsed.intent.kind === "cannot")) return parsed
  const look = parseLook(text)
  if (look !== undefined) return look
  if (!hasNewData) return unanswerable(notUnderstood(asked))
  const reason =
    parsed?.intent.kind === "cannot"
      ? parsed.intent.reason
      : Language.text("I could not tell what exactly you asked", "我没有看懂您具体问什么")
  const clause = reason.replace(/[.。]$/, "")
  return requestFor({ kind: "profile" }, [
    Language.text(`${clause}. So here is a full look first.`, `${clause}。所以先给您一个全面的概览。`)
  ])
}

/** "Average and median of price" as two figures of one column. */
const withSharedColumn = (text: string): string =>
  text.replace(SHARED, (_, first: string, second: string, column: string) => `${first} ${column}, ${second} ${column}`)

const MEASURE = "average|mean|median|minimum|min|maximum|max|sum|total"
const SHARED = new RegExp(
  String.raw`\b(${MEASURE})(?:\s+values?)?\s+(?:and|und|&)\s+(?:the\s+)?(${MEASURE})(?:\s+values?)?\s+((?:of\s+)?.+)$`,
  "i"
)

const notUnderstood = (asked: string): string => {
  const quoted = Markdown.escapeText(asked, 60)
  return Language.text(`I did not understand “${quoted}”.`, `我没有看懂“${quoted}”。`)
}

const WANTED = String.raw`(?:please\s+|just\s+|first\s+|quickly\s+|to\s+)*(?:(?:give|show|get|do|make|run|have|take|write|create|start with|begin with)\s+(?:me\s+|us\s+)?(?:the\s+)?)?(?:(?:an?|some|any|another|quick|short|brief|full|complete|detailed|closer|deeper|deep|good|general|basic|simple|rough|new|statistical|further)\s+)*`
/** A request for a summary, of which only the words that it leaves out are not understood. */
const SUMMARY = new RegExp(
  String.raw`^${WANTED}(?:summar\w*|overview|analy[sz]\w*|statistics|stats|profile|zusammenfass\w*|report)\b(?!\s+(?:was|is|were|are|looks?|seems?|has|had|you|that|which)\b)`,
  "i"
)
/** A question that asks for the same where nothing else is in it. */
const QUESTION = new RegExp(
  String.raw`^(?:what(?:[’']s| is| are| does| do)|was ist|tell me|about|${WANTED}(?:look|explore|inspect|explain|describe|read|check))\b`,
  "i"
)

/** The request without mentions, greetings and thanks. */
const withoutCourtesies = (request: string): string => {
  let text = request
    .replace(/<@!?\d+>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 2000)
  for (let i = 0; i < 5; i++) text = text.replace(OPENING, "")
  return text.replace(CLOSING, "").trim()
}

const OPENING =
  /^(?:hi|hello|hey|please|pls|ok(?:ay)?|thanks|now|then|and|so|also|can you|could you|would you|will you|i want(?: to see)?|(?:i|we) (?:need|would like|'d like)(?: to see)?|i'd like(?: to see)?|we want(?: to see)?|let's see|let's|let us|let me see|show me|give me|tell me)(?:[,!.:]|\b)\s*/i
const CLOSING = /(?:,?\s+(?:please|pls|thanks|thank you|again|instead|now|too))*[\s.?!:]*$/i
