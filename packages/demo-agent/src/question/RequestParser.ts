import { parseParts } from "./CompoundRequest.ts"
import { asking, cannot, type ParsedRequest, type Subject } from "./Intent.ts"
import { continuesTableRequest, parseTableRequest } from "./TableRequest.ts"
import { parseTextRequest } from "./TextRequest.ts"

/** Understands a request about data; `fresh` is true when the data came with this request. */
export const parseRequest = (request: string, subject: Subject, fresh: boolean): ParsedRequest => {
  const text = withoutCourtesies(request)
  if (text === "") return asking({ do: "profile" })
  if (/^(?:help|commands?|what can you do|what else|hilfe)\b/i.test(text)) return asking({ do: "help" })
  const one = (part: string): ParsedRequest | undefined =>
    subject.kind === "table"
      ? parseTableRequest(part, subject.table, subject.json)
      : parseTextRequest(part, subject.kind)
  const parts = parseParts(text, {
    one: (part) => one(withoutCourtesies(part)) ?? (PROFILE.test(part) ? asking({ do: "profile" }) : undefined),
    continues: (part) =>
      subject.kind === "table" && continuesTableRequest(withoutCourtesies(part), subject.table, subject.json)
  })
  if (parts !== undefined) return parts
  const parsed = one(text)
  if (parsed !== undefined && !(fresh && parsed.intent.do === "cannot")) return parsed
  if (PROFILE.test(text)) return asking({ do: "profile" })
  if (!fresh) return cannot("I did not understand that.")
  const why = parsed?.intent.do === "cannot" ? parsed.intent.why : "I could not tell what exactly you asked"
  return asking({ do: "profile" }, [`${why.replace(/\.$/, "")}. So here is a full look first.`])
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
