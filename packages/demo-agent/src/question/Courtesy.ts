import { simplified } from "../format/Simplified.ts"
import { PHRASES, type Meaning } from "./Words.ts"

/** What a message without a request is. */
export type Courtesy = "greeting" | "thanks" | "praise" | "agreement" | "farewell" | "help"

/**
 * Finds a message whose parts are all in a short list, but for its signs and emoji, or one of which a part begins or ends
 * with a greeting or thanks and that has no word of a request; `undefined` for all others. `names` are those of the file
 * and columns.
 */
export const findCourtesy = (message: string, names: ReadonlyArray<string> = []): Courtesy | undefined => {
  const text = simplified(message.normalize("NFKC")).replace(/<[@#][!&]?\d+>/g, " ")
  if (text.trim() === "?") return "help"
  if (!/[\p{L}\p{N}]/u.test(text)) return /\p{Extended_Pictographic}/u.test(text) ? "agreement" : undefined
  const parts = text
    .split(SIGNS)
    .map(wordsIn)
    .filter((part) => part !== "")
  const kinds = parts.map((part) => KINDS.get(part))
  if (!kinds.includes(undefined)) return ORDER.find((kind) => kinds.includes(kind))
  const rest = text.toLowerCase().replace(THANKED_FOR, "")
  if (REQUEST.test(rest) || isNamed(rest, names)) return undefined
  return parts.some((part) => THANKS.test(part))
    ? "thanks"
    : parts.some((part) => GREETING.test(part))
      ? "greeting"
      : undefined
}

/**
 * A request without the courtesies before it and the thanks behind it; all of it where nothing else would be left. Nobody
 * is called as one of the `values` of the data is, in lower case.
 */
export const withoutCourtesies = (
  request: string,
  names: ReadonlyArray<string>,
  values: ReadonlySet<string>
): string => {
  const mayBeSomebody = (words = "") => !values.has(words.toLowerCase()) && isSomebody(words, names)
  const parts = request
    .replace(BARE_GREETING, (found, next: string | undefined, sign: string | undefined) =>
      isSomebody(found, names) && (sign === undefined || !mayBeSomebody(next)) ? `${found}\n` : found
    )
    .split(PARTS)
  const kinds = parts.map((part) => partKind(part, names, mayBeSomebody))
  const from = kinds.findIndex((kind) => kind === undefined || kind === "help")
  const until = kinds.findLastIndex((kind) => kind !== "thanks") + 1
  return from < 0 || until <= from
    ? request
    : parts
        .slice(from, until)
        .join("")
        .replace(/[\s,，、]+$/, "")
}

/** What a part of a message is that is in the list, also with the name of somebody or with how much. */
const partKind = (
  part: string,
  names: ReadonlyArray<string>,
  mayBeSomebody: (words: string | undefined) => boolean
): Courtesy | undefined => {
  const words = wordsIn(simplified(part.normalize("NFKC")))
  if (isNamed(words, names)) return undefined
  const [addition = "", somebody] = ADDITION.exec(words) ?? []
  const kind = KINDS.get(words.slice(0, words.length - addition.length))
  return KINDS.get(words) ?? ((kind === "greeting" || kind === "thanks") && mayBeSomebody(somebody) ? kind : undefined)
}

/** Tells whether words may address somebody: they request nothing, and are no name of the data. */
const isSomebody = (words: string, names: ReadonlyArray<string>): boolean =>
  !REQUEST.test(words.toLowerCase()) && !isNamed(words.toLowerCase(), names)

const SIGNS = /[,.!?;~。、\n]+/

/** A part of a message in lower case, with single spaces and without signs. */
const wordsIn = (part: string): string =>
  part
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/[^\p{L}\p{N}' ]+/gu, "")
    .replace(/\s+/g, " ")
    .trim()

/** Where a part of a message begins, behind the signs of the one before. */
const PARTS = /(?<=[,.!?;~。、，！？；～\n])(?![,.!?;~。、，！？；～])/

/** A greeting without a sign between it and the request: "hi there what is in this file". */
const BARE_GREETING =
  /^\s*(?:(?:hello|hi|hey|good (?:morning|afternoon|evening))(?: (?:there|all|everyone))?(?=\s+(\p{L}+)\s*?([,!.~，！。～\n])?)|(?:[你您]|大家)好(?=\p{Script=Han}))/iu

/** What may follow a greeting or thanks: how much, or who gets it. */
const ADDITION = / (?:a lot|so much|very much|in advance|for your help|(\p{L}+))$/u

const THANKS =
  /^(thanks|thank you|thx|many thanks)\b|\b(thanks|thank you|thx)$|^[太真多非常好的]*(谢谢|感谢|多谢)|(谢谢|感谢|多谢)[你您了啊大家]*$/
const GREETING =
  /^(hello|hi|hey|good (morning|afternoon|evening))\b|\b(hello|hi|hey)$|^(大家好|[你您]好|哈喽|(早上|上午|下午|晚上)好)|[你您]好$/

/** What somebody is thanked for is no request: "for your help with the report", "你画的图". */
const THANKED_FOR = new RegExp(
  [
    "\\bfor THING(?: with THING)?END",
    "(?<=谢谢|感谢|多谢)[你您]们?\\p{Script=Han}{0,4}的(?:(?!再|请|帮)\\p{Script=Han}){1,6}END"
  ]
    .join("|")
    .replaceAll("THING", "(?:the|your|this|that)(?: [\\p{L}\\p{N}]+){1,2}")
    .replaceAll("END", "(?=\\s*(?:$|[^\\s\\p{L}\\p{N}]))"),
  "gu"
)

const isNamed = (text: string, names: ReadonlyArray<string>): boolean =>
  names.some((name) => name.trim() !== "" && !OTHER_WORDS.has(name.toLowerCase()) && wordIn([name]).test(text))

/** Matches any of the words, in lower case; between Chinese characters nothing separates words. */
const wordIn = (words: ReadonlyArray<string>): RegExp => {
  const each = words.map((word) => word.toLowerCase().replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
  return new RegExp(`(?<![\\p{Script=Latin}\\p{N}])(?:${each.join("|")})(?![\\p{Script=Latin}\\p{N}])`, "u")
}

/** The meanings whose words ask for nothing without another word. */
const OTHER: ReadonlySet<string> = new Set<Meaning>([
  "please",
  "canYou",
  "the",
  "of",
  "and",
  "has",
  "is",
  "isWhat",
  "areThere",
  "thing",
  "inside",
  "next"
])
const wordsOf = (isOther: boolean): ReadonlyArray<string> =>
  Object.entries(PHRASES).flatMap(([meaning, phrases]) => (OTHER.has(meaning) === isOther ? phrases.split("|") : []))
const OTHER_WORDS: ReadonlySet<string> = new Set(wordsOf(true))
const REQUEST = wordIn(wordsOf(false))

/** "Ok, thanks" is thanks, and "thanks, bye" a goodbye. */
const ORDER = ["help", "farewell", "thanks", "praise", "greeting", "agreement"] as const

const KINDS: ReadonlyMap<string, Courtesy> = new Map(
  Object.entries({
    greeting:
      "hello|hi|hey|good morning|good afternoon|good evening|how are you|how is it going|how's it going|what's up|howdy|are you there|nice to meet you|" +
      "你好|您好|大家好|嗨|哈喽|早|早上好|上午好|下午好|晚上好|早安|在吗|在不在|你在吗|" +
      "bonjour|salut|hallo|guten morgen|guten tag|hola|ciao|olá|привет|こんにちは|おはよう|안녕하세요",
    thanks:
      "thanks|thank you|thx|ty|cheers|much appreciated|谢谢|谢谢你|谢谢您|非常感谢|多谢|感谢|谢了|辛苦了|辛苦啦|" +
      "merci|merci beaucoup|danke|vielen dank|gracias|muchas gracias|grazie|obrigado|спасибо|ありがとう|감사합니다",
    praise:
      "great|nice|perfect|cool|awesome|excellent|wonderful|amazing|good job|great job|nice work|great work|well done|very good|very nice|" +
      "looks good|looks great|that's great|that's nice|wow|太好了|太棒了|很好|不错|很棒|真棒|厉害|完美|赞|干得好",
    agreement:
      "ok|okay|k|alright|all right|fine|got it|i see|understood|yes|no|yep|sure|never mind|好|好的|行|可以|明白|明白了|知道了|了解|收到|嗯|没问题|是的|对|没事",
    farewell: "bye|goodbye|bye bye|see you|see you later|good night|再见|拜拜|晚安|回头见",
    help: "help|help me|what can you do|what can i do|what can i ask|how does this work|what do you understand|帮助|帮忙|你能做什么|你会什么|你会做什么|能做什么|怎么用"
  } satisfies Record<Courtesy, string>).flatMap(([kind, words]) =>
    words.split("|").map((each) => [each, kind as Courtesy] as const)
  )
)
