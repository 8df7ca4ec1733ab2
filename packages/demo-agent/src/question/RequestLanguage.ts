import type { Language } from "../format/Language.ts"
import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"
import { PHRASES } from "./Words.ts"

/**
 * The language of a request; undefined without words. Names and values of the data may be in another language, so the
 * words of requests decide: "only rows where city is 上海" is English, and "按 city 统计 price" is Chinese.
 */
export const languageOf = (request: string): Language | undefined => {
  const text = simplified(request.replace(MENTIONS, "").trim().replace(QUOTED, "$<inner>").replace(NO_WORDS, " "))
  if (!/\p{Script=Han}/u.test(text)) return /\p{L}/u.test(text) ? "english" : undefined
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return "english"
  const english = wordsOf(text.replace(/\p{Script=Han}/gu, " ")).filter((word) => WORDS.has(word)).length
  const chinese = text.match(CHINESE)?.length ?? 0
  return english > chinese ? "english" : "chinese"
}

const MENTIONS = /<[@#][!&]?\d+>/g

/** A request that stands in quotes as a whole, as a suggestion does. */
const QUOTED = /^(?:["“「`])(?<inner>[^“”「」`]*)["”」`][.!?。！？]?$/u

/** Quoted texts and names of files. */
const NO_WORDS = /"[^"]*"|“[^”]*”|「[^」]*」|`[^`]*`|[\p{L}\p{N}_.-]+\.[a-z]{2,8}\b/giu

const WORDS = new Set(
  Object.values(PHRASES).flatMap((phrases) => phrases.split("|").filter((each) => /^[a-z]+$/.test(each)))
)
const HAN = Object.values(PHRASES).flatMap((phrases) =>
  phrases.split("|").filter((each) => /^\p{Script=Han}/u.test(each))
)
const CHINESE = new RegExp(HAN.toSorted((a, b) => b.length - a.length).join("|"), "gu")
