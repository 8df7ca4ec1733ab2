import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"
import { remarkInChinese } from "./ChineseRemark.ts"
import { splitOutsideQuotes } from "./Quotes.ts"

/** What a message without a request is. */
export type Courtesy = "greeting" | "thanks" | "agreement" | "farewell"

/** Finds a greeting, thanks, praise or goodbye that asks for nothing; `undefined` for other texts. */
export const findCourtesy = (message: string): Courtesy | undefined => {
  const text = plain(message)
  const isCourtesy = /[\p{L}\p{N}]/u.test(text)
    ? withoutRemarks(message) === ""
    : /\p{Extended_Pictographic}/u.test(text)
  return isCourtesy ? KINDS.find(([pattern]) => pattern.test(text.trim()))?.[1] : undefined
}

/** The message without its clauses that ask for nothing, such as "thanks for the chart" and "that's a nice overview". */
export const withoutRemarks = (message: string): string => {
  const pieces = splitOutsideQuotes(message, CLAUSE_END)
  const rests = pieces.map((piece) => (isSeparator(piece) ? piece : restOfClause(piece)))
  const remarks = pieces.filter((piece, at) => rests[at] !== piece)
  if (remarks.length === 0) return message
  const addresses = remarks.some((remark) => ADDRESSES.test(plain(remark)))
  const kept = rests.filter((rest) => !(addresses && isName(rest)))
  return kept.some((rest) => rest !== "" && !isSeparator(rest))
    ? kept
        .reduce((text, rest) => (isSeparator(rest) ? text + rest : `${text} ${rest}`), "")
        .replace(/^[\s,.;!?，。！？；]+|[\s,;，；]+$/g, "")
    : ""
}

/** The message without mentions, with plain signs and simplified characters. */
const plain = (message: string): string =>
  simplified(message.replace(/<@!?\d+>/g, " ").normalize("NFKC")).replace(/’/g, "'")

/** Ends of clauses, but neither the comma of 1,000 nor the point of a file's name. */
const CLAUSE_END = /([,.;!?~]+(?=\s|$)|[，。！？；～\n]+|\s+[-–—]+\s+)/
const isSeparator = (piece: string): boolean => /^[\s,.;!?~，。！？；～–—-]+$/.test(piece)

/** The part of a clause that may ask for something: all of it, unless it begins as a remark does. */
const restOfClause = (clause: string): string => {
  const text = plain(clause).trim()
  if (text === "") return ""
  const isHan = /\p{Script=Han}/u.test(text)
  const rest = isHan ? remarkInChinese(text) : remarkInEnglish(text)
  if (rest === undefined) return clause
  return rest === text || rest === "" ? rest : restOfClause(rest)
}

/** The first that fits: "hi, thanks" is thanks, and "thanks, bye" a goodbye. */
const KINDS: ReadonlyArray<readonly [pattern: RegExp, kind: Courtesy]> = [
  [/\b(?:good)?bye\b|see you|good night|have a |再见|拜拜|回头见|晚安/iu, "farewell"],
  [/thank|thx|\bty\b|cheers|danke|merci|gracias|grazie|obrigad|appreciate|谢|感谢|辛苦/iu, "thanks"],
  [
    /^[^\p{L}]*(?:hi|hello|hey|hiya|hallo|good (?:morning|afternoon|evening)|morning|afternoon|evening|how are you)\b|[你您大家]好(?![看用])|嗨|哈喽|[早晚上下中]午?[安好]|^[^\p{L}]*早/iu,
    "greeting"
  ],
  [
    /^(?:[^\p{L}]*(?:ok|okay|k|(?:all ?)?right|got it|understood|yes|yeah|yep|no|nope|sure|fine|that's|is|sounds good|never ?mind|nvm|sorry|oops|hmm+|lol|haha+|wow|oh|i see|嗯+|好的?|行|明白|知道|了解|收到|没问题|可以|是的?|对|没有|算了|没事|抱歉|对不起|不好意思|哈+|呵+|哦+|了|啦|啊|吧|呀)[^\p{L}]*)+$/iu,
    "agreement"
  ],
  [/[^]/, "thanks"]
]

/** A name after or before thanks, a greeting or a goodbye: "Thanks, Sam!". */
const isName = (clause: string): boolean => NAME.test(clause) && !REQUESTS.test(clause)

const NAME = /^@?\p{Lu}[\p{L}'.-]*(?:\s\p{Lu}[\p{L}'.-]*)?$/u
const ADDRESSES =
  /thank|thx|cheers|danke|merci|bye|\b(?:hi|hello|hey|hiya|hallo|morning|afternoon|evening|night|you)\b|谢|辛苦|[你您]好|再见/i

/** Words that begin a request, also with a capital. */
const REQUESTS =
  /^(?:all|analy[sz]e|average|chart|check|columns?|count|describe|draw|explain|help|histogram|list|look|mean|median|missing|more|next|now|only|outliers|overview|plot|read|report|rows?|show|sum|summary|table|top|total)\b/i

/** What follows a remark in a clause; undefined where the clause is none. */
const remarkInEnglish = (text: string): string | undefined => {
  if (isEnglishCourtesy(text)) return ""
  const toSomebody = /^(?<rest>[^]*?[\p{L}\d])\s+@?(?<name>\p{Lu}[\p{L}'.-]*(?:\s\p{Lu}[\p{L}'.-]*)?)$/u.exec(
    text
  )?.groups
  if (toSomebody !== undefined && ADDRESSES.test(toSomebody["rest"] ?? "") && isName(toSomebody["name"] ?? ""))
    if (isEnglishCourtesy(toSomebody["rest"] ?? "")) return ""
  const thanks = THANKS.exec(text)
  if (thanks !== null) {
    const tail = text.slice(thanks[0].length).trim()
    return /^(?:for|to)\b/i.test(tail) || ABOUT_ALL.test(thanks[0]) ? requestIn(tail) : tail
  }
  const praise = PRAISE.exec(text) ?? LIKING.exec(text)
  return praise === null ? undefined : requestIn(text.slice(praise[0].length))
}

/** The request behind a remark in the same clause: "cool now show the rows". */
const requestIn = (tail: string): string => {
  const found = REQUEST_IN_TAIL.exec(tail)
  const rest = found === null ? "" : tail.slice(found.index).replace(/^(?:but|and)\s+/i, "")
  return wordsOf(rest).every((word) => FILLER.has(word)) ? "" : rest
}

const REQUEST_IN_TAIL =
  /\bbut\b|\b(?:and )?(?:now|then|please|can (?:you|i|we)|could you|would you)\b|\band (?:show|list|give|draw|make|chart|plot|only|how|what|which)\b/i

const THANKS =
  /^(?:(?:ok|okay|great|perfect|cool|nice|many|much|big|so|oh|wow|yes|no|well|and|but|hey|hi|hello|a|very|muchas)\s+)*(?:thank(?:s|x)?(?:\s+(?:you|u|ya))?|thx|tks|ty|cheers|merci|gracias|grazie|danke|obrigad[oa]|well done|(?:i |we )?(?:really |very much )?appreciate)(?:\s+(?:so|very|much|a|an|lot|lots|ton|tons|bunch|million|again|really|indeed|all|everyone|guys|man|mate|in advance|once more))*(?:\s+|$)/i

/** Thanks whose other words are what they are for, in English or another language. */
const ABOUT_ALL = /merci|gracias|grazie|danke|obrigad|appreciate|well done/i

const LEAD =
  "that|this|it|these|those|you|they|the|your|my|i|we|think|find|found|so|very|really|quite|looks?|sounds?|seems?|is|was|are|were|did|do|done|does|have|has|" +
  "a|an|such|absolutely|pretty|super|just|all|oh|wow|ok|okay|yes|and|again|here|now|chart|plot|graph|table|overview|summary|analysis|report|picture|answer|results?|numbers|job|work"
/** Praise before or after what it is about: "that's a nice overview", "the chart looks good". */
const PRAISE = new RegExp(
  String.raw`^(?:(?:what an?|how)\s+)?(?:(?:${LEAD})(?:'s|'re|'ve)?\s+)*(?:great|nice|good|cool|perfect|excellent|awesome|amazing|brilliant|wonderful|lovely|fantastic|superb|impressive|beautiful|helpful|useful|interesting|neat|sweet|handy|exactly (?:the|what|that))\b(?![^]*\?)`,
  "i"
)
const LIKING =
  /^(?:(?:i|we)\s+)?(?:(?:really|just|absolutely|do)\s+)*(?:love|loved|enjoyed?|(?<=^(?:i|we)\s.*)liked?)\b(?!\s+to\b)/i

/** Every word belongs to a courtesy, so that whatever could be a request is one. */
const isEnglishCourtesy = (text: string): boolean => {
  const rest = PHRASES.reduce((left, phrase) => left.replace(phrase, " "), text.toLowerCase())
  const words = wordsOf(rest)
  return (
    (rest !== text.toLowerCase() || words.some((word) => COURTESIES.has(word))) &&
    words.every((word) => COURTESIES.has(word) || FILLER.has(word))
  )
}

const PHRASES: ReadonlyArray<RegExp> = [
  /\b(?:it'?s |it is )?(?:nice|good|great|pleased|a pleasure) to (?:meet|see) you\b/g,
  /\bhow are you(?: doing)?(?: today)?\b/g,
  /\b(?:just|exactly) what (?:i|we) (?:needed|wanted)\b/g,
  /\b(?:that|this|it)(?:'s| is| was| has| really)*(?: (?:very|really|super|so|quite))* (?:helped|helps|works|worked|all|fine|right)(?: (?:me|us|a lot|for now|great|well|out))*\b/g,
  /\b(?:see you|talk to you)(?: (?:later|soon|tomorrow|again|around))?\b/g,
  /\bhave a (?:nice|good|great|lovely) (?:day|one|evening|weekend|night|time)\b/g,
  /\byou(?:'re| are) the (?:best|greatest)\b|\ball the best\b|\bbest (?:regards|wishes)\b|\bmuch appreciated\b/g,
  /\b(?:well done|good night|no (?:problem|worries)|got it|all ?right|understood|never ?mind|sounds good|i see)\b/g
]

const COURTESIES = new Set(
  (
    "hi hello hey hiya morning afternoon evening thanks thank thanx thx tks ty cheers bye goodbye ok okay k great nice perfect cool awesome " +
    "excellent lovely wonderful amazing brilliant fantastic hallo danke merci gracias grazie obrigado obrigada " +
    "yes yeah yep no nope sure fine hm hmm hmmm lol haha hahaha wow oh oops sorry nvm"
  ).split(" ")
)
const FILLER = new Set(
  (
    "good you u ya very so much a lot lots many for your the all there again everyone everybody that this it is was s really too work " +
    "bot now then today friend mate man team folks guys and beaucoup indeed then"
  ).split(" ")
)
