import * as Language from "../format/Language.ts"
import { inEnglish } from "./ChineseRequest.ts"
import { parseParts } from "./CompoundRequest.ts"
import { withLeftOutNote } from "./LeftOut.ts"
import { requestFor, unanswerable, type ParsedRequest, type Subject } from "./Intent.ts"
import { unquoteWhole } from "./Quotes.ts"
import { continuesTableRequest, parseTableRequest } from "./TableRequest.ts"
import { parseTextRequest } from "./TextRequest.ts"

/** Parses a request about data; `hasNewData` is true when the data came with this request. */
export const parseRequest = (request: string, subject: Subject, hasNewData: boolean): ParsedRequest => {
  const asked = unquoteWhole(request)
  const readable = Language.now() === "chinese" ? inEnglish(asked, subject) : undefined
  const text = withoutCourtesies(readable?.text ?? asked)
  if (text === "") return requestFor({ kind: "profile" })
  if (/^(?:help|commands?|what can you do|what else|hilfe)\b/i.test(text)) return requestFor({ kind: "help" })
  const noted = (part: string, parsed: ParsedRequest): ParsedRequest =>
    subject.kind === "table" ? withLeftOutNote(part, parsed, subject.table) : parsed
  const profileOf = (part: string): ParsedRequest => noted(part, requestFor({ kind: "profile" }))
  const parsePart = (part: string): ParsedRequest | undefined => {
    if (subject.kind !== "table") return parseTextRequest(part, subject.kind)
    const parsed = parseTableRequest(part, subject.table, subject.isFromJson)
    return parsed === undefined ? undefined : noted(part, parsed)
  }
  const parts = parseParts(text, {
    parse: (part) => parsePart(withoutCourtesies(part)) ?? (PROFILE.test(part) ? profileOf(part) : undefined),
    original: (part) => readable?.original(part) ?? part,
    continuesPrevious: (part) =>
      subject.kind === "table" && continuesTableRequest(withoutCourtesies(part), subject.table, subject.isFromJson)
  })
  const parsed = parts ?? parsePart(text)
  if (parsed !== undefined && !(hasNewData && parsed.intent.kind === "cannot")) return parsed
  if (PROFILE.test(text)) return profileOf(text)
  if (!hasNewData) return unanswerable(Language.text("I did not understand that.", "我没有看懂。"))
  const reason =
    parsed?.intent.kind === "cannot"
      ? parsed.intent.reason
      : Language.text("I could not tell what exactly you asked", "我没有看懂您具体问什么")
  const clause = reason.replace(/[.。]$/, "")
  return requestFor({ kind: "profile" }, [
    Language.text(`${clause}. So here is a full look first.`, `${clause}。所以先给您一个全面的概览。`)
  ])
}

const PROFILE =
  /\b(what(?:'s| is| does| do)|what’s|summar|overview|analy[sz]|look|tell me|explore|report|inspect|explain|describe|read|check|statistics|stats|profile|zusammenfass|was ist)/i

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
  /^(?:hi|hello|hey|please|pls|ok(?:ay)?|thanks|now|then|and|so|also|can you|could you|would you|will you|i want(?: to see)?|i would like(?: to see)?|i'd like(?: to see)?|let's see|let me see|show me|give me|tell me)(?:[,!.:]|\b)\s*/i
const CLOSING = /(?:,?\s+(?:please|pls|thanks|thank you|again|instead|now|too))*[\s.?!:]*$/i
