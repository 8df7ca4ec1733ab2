import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"

/** What a message without a request is. */
export type Courtesy = "greeting" | "thanks" | "agreement" | "farewell"

/** Finds a greeting, thanks, praise or goodbye that asks for nothing; `undefined` for other texts. */
export const findCourtesy = (message: string): Courtesy | undefined => {
  const text = simplified(message.replace(/<@!?\d+>/g, " ").normalize("NFKC")).replace(/’/g, "'")
  if (!/[\p{L}\p{N}]/u.test(text)) return /\p{Extended_Pictographic}/u.test(text) ? "thanks" : undefined
  const isCourtesy = /\p{Script=Han}/u.test(text)
    ? CHINESE.test(text.replace(SIGNS, ""))
    : isEnglishCourtesy(text) || isToSomebody(text)
  return isCourtesy ? KINDS.find(([pattern]) => pattern.test(text))?.[1] : undefined
}

const SIGNS = /[^\p{L}\p{N}]+/gu

/** The first that fits: "hi, thanks" is thanks, and "thanks, bye" a goodbye. */
const KINDS: ReadonlyArray<readonly [pattern: RegExp, kind: Courtesy]> = [
  [/\b(?:good)?bye\b|see you|good night|have a |再见|拜拜|回头见|晚安/iu, "farewell"],
  [/thank|thx|\bty\b|cheers|danke|appreciate|谢|感谢|辛苦/iu, "thanks"],
  [
    /^[^\p{L}]*(?:hi|hello|hey|hiya|hallo|good (?:morning|afternoon|evening)|morning|afternoon|evening)\b|[你您大家]好|嗨|哈喽|[早晚上下中]午?[安好]|^[^\p{L}]*早/iu,
    "greeting"
  ],
  [
    /^[^\p{L}]*(?:ok|okay|(?:all ?)?right|got it|understood)[^\p{L}]*$|^[^\p{L}]*(?:好的?|行|明白|知道|了解|收到|没问题|可以|嗯)[了啦啊吧呀哦]*[^\p{L}]*$/iu,
    "agreement"
  ],
  [/[^]/, "thanks"]
]

/** A greeting, thanks or a goodbye with a name: "Thanks Sam!", "Sam, hello". */
const isToSomebody = (text: string): boolean => {
  const rest = [AFTER, BEFORE].map((pattern) => pattern.exec(text)).find((match) => match !== null)?.groups
  return (
    rest?.["rest"] !== undefined &&
    !REQUESTS.test(rest["name"] ?? "") &&
    ADDRESSES.test(rest["rest"]) &&
    isEnglishCourtesy(rest["rest"])
  )
}

const AFTER = /^(?<rest>[^]*?[\p{L}\d]),?\s+@?(?<name>\p{Lu}[\p{L}'.-]*(?:\s\p{Lu}[\p{L}'.-]*)?)[\s!.,]*$/u
const BEFORE = /^\s*@?(?<name>\p{Lu}[\p{L}'-]*),\s+(?<rest>[^]+)$/u
const ADDRESSES = /thank|thx|cheers|danke|bye|\b(?:hi|hello|hey|hiya|hallo|morning|afternoon|evening|night)\b/i

/** Words that begin a request, also with a capital. */
const REQUESTS =
  /^(?:all|analy[sz]e|average|chart|check|columns?|count|describe|draw|explain|help|histogram|list|look|mean|median|missing|more|next|now|only|outliers|overview|plot|read|report|rows?|show|sum|summary|table|top|total)\b/i

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
  /\b(?:thanks|thank you|thx|cheers)(?: (?:so|very) much| a (?:lot|ton|bunch|million)| again)? for (?:(?:all|the|this|that|your|these|those|a|an|so|very|really|great|quick|good|nice|helpful|clear|useful) )*(?:help|support|time|patience|work|effort|analysis|report|chart|table|answer|answers|reply|info|information|explanation|explaining(?: (?:it|this|that))?|helping(?: me| us)?|everything|assistance)\b/g,
  /\b(?:it'?s |it is )?(?:nice|good|great|pleased|a pleasure) to (?:meet|see) you\b/g,
  /\bhow are you(?: doing)?(?: today)?\b/g,
  /\b(?:i |we )?(?:really |very much )?appreciate (?:it|that|your help|this)\b/g,
  /\b(?:just|exactly) what (?:i|we) (?:needed|wanted)\b/g,
  /\b(?:that|this|it)(?:'s| is| was| has| really)*(?: (?:very|really|super|so|quite))* (?:helped|helps|works|worked|helpful|useful|all)(?: (?:me|us|a lot|for now|great|well|out))*\b/g,
  /\b(?:see you|talk to you)(?: (?:later|soon|tomorrow|again|around))?\b/g,
  /\bhave a (?:nice|good|great|lovely) (?:day|one|evening|weekend|night|time)\b/g,
  /\b(?:well done|good (?:job|work|night)|great (?:job|work)|no problem|got it|all ?right|understood)\b/g
]

const COURTESIES = new Set(
  (
    "hi hello hey hiya morning afternoon evening thanks thank thx ty cheers bye goodbye ok okay great nice perfect cool awesome " +
    "excellent lovely wonderful amazing brilliant fantastic hallo danke"
  ).split(" ")
)
const FILLER = new Set(
  (
    "good you very so much a lot lots many for your the all there again everyone everybody that this it is was s really too work " +
    "bot no now then today again friend team folks guys and"
  ).split(" ")
)

const CHINESE_COURTESIES =
  "你好|您好|大家好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早|很高兴认识(?:你|您)|初次见面|请多关照|" +
  "(?:非常|十分|万分|太|真的?)?(?:谢谢|多谢|感谢|谢)(?:你们?|您|大家|了)?的?(?:帮助|帮忙|支持|耐心|解答|回答|回复|分析|报告|图表?|工作|辛勤工作)?|" +
  "没事|不用|不必|(?:真|太)?(?:你们?|您)?辛苦|再见|拜拜|回头见|好的?|行|明白|知道|了解|收到|没问题|可以|嗯|" +
  "(?:你|您|这|做得|真的?|很|太|非常|真是)*(?:棒|厉害|不错|完美|赞|给力|优秀|好|有用|有帮助|帮了我?大忙|帮到我?)"
const CHINESE = new RegExp(`^(?:(?:${CHINESE_COURTESIES})(?:了|啦|啊|呀|哦|呢|吧|哈|的|你们?|您|机器人)*)+$`, "u")
