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
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .split(/[,.!?;~。、\n]+/)
    .map((part) =>
      part
        .replace(/[^\p{L}\p{N}' ]+/gu, "")
        .replace(/\s+/g, " ")
        .trim()
    )
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
      "hello|hi|hey|good morning|good afternoon|good evening|how are you|are you there|nice to meet you|" +
      "你好|您好|大家好|嗨|哈喽|早|早上好|上午好|下午好|晚上好|早安|在吗|在不在|你在吗|" +
      "bonjour|salut|hallo|guten morgen|guten tag|hola|ciao|olá|привет|こんにちは|おはよう|안녕하세요",
    thanks:
      "thanks|thank you|thx|ty|cheers|much appreciated|谢谢|多谢|感谢|谢了|辛苦了|辛苦啦|" +
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
