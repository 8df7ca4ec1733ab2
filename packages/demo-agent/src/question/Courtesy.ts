import { simplified } from "../format/Simplified.ts"

/** What a message without a request is. */
export type Courtesy = "greeting" | "thanks" | "agreement" | "farewell"

/** Finds a greeting, thanks, praise or goodbye that asks for nothing; `undefined` for other texts. */
export const findCourtesy = (message: string): Courtesy | undefined => {
  const text = plain(message)
  const isCourtesy = /[\p{L}\p{N}]/u.test(text)
    ? withoutCourtesies(message) === ""
    : /\p{Extended_Pictographic}/u.test(text)
  return isCourtesy ? KINDS.find(([pattern]) => pattern.test(text))?.[1] : undefined
}

/** The message without its clauses of courtesy words, and without those that open a clause: "thanks, how many rows?". */
export const withoutCourtesies = (message: string): string => {
  const pieces = message.split(CLAUSE_END)
  const rests = pieces.map((piece, at) => (at % 2 === 1 || piece.trim() === "" ? piece : restOf(piece)))
  const dropped = rests.filter((rest, at) => rest === "" && pieces[at]?.trim() !== "")
  if (dropped.length === 0 && rests.every((rest, at) => rest === pieces[at])) return message.trim()
  const addresses = pieces.some((piece, at) => rests[at] !== piece && ADDRESSES.test(plain(piece)))
  const kept = rests.map((rest, at) =>
    at % 2 === 0 && addresses && NAME.test(rest.trim()) && !WORDS_OF_REQUESTS.test(rest.trim()) ? "" : rest
  )
  if (kept.every((rest, at) => at % 2 === 1 || rest.trim() === "")) return ""
  return kept.join("").replace(/^(?:\s|[,.;!?，。！？；]|but\b|and\b)+|[\s,;，；]+$/giu, "")
}

/** Ends of clauses, but neither the comma of 1,000 nor the point of a file's name, nor what stands in quotes. */
const CLAUSE_END = /((?:[,.;!?~]+(?=\s|$)|[，。！？；～\n]+|\s+[-–—]+\s+|\sbut\s)(?=(?:[^"]*"[^"]*")*[^"]*$))/u

/** What of a clause may ask for something. */
const restOf = (clause: string): string => {
  const text = plain(clause)
  if (/\p{Script=Han}/u.test(text)) {
    const signs = text.replace(/[^\p{L}\p{N}]+/gu, "")
    if (CHINESE.test(signs) || CHINESE_PRAISE.test(signs) || CHINESE_THANKS_FOR.test(text)) return ""
    const opening = CHINESE_OPENING.exec(text)?.[0] ?? ""
    return opening === "" ? clause : clause.trimStart().slice(opening.length)
  }
  if (THANKS_FOR.test(text)) return ""
  const words = text.match(/[\p{L}\p{N}']+/gu) ?? []
  const named = text.match(/[\p{L}\p{N}'@.]+/gu)?.length === 0 ? [] : words
  const isCourtesy =
    named.some((word) => COURTESIES.has(word)) && named.every((word) => COURTESIES.has(word) || FILLERS.has(word))
  if (isCourtesy) return ""
  const toSomebody = /^(?<rest>.*?)\s+@?\p{Lu}[\p{L}'.-]*(?:\s\p{Lu}[\p{L}'.-]*)?$/su.exec(clause.trim())?.groups?.[
    "rest"
  ]
  if (toSomebody !== undefined && ADDRESSES.test(plain(toSomebody)) && restOf(toSomebody) === "") return ""
  const opening = OPENING.exec(text)?.[0] ?? ""
  return opening === "" ? clause : clause.trimStart().slice(opening.length)
}

/** The clause with plain signs, in simplified characters and in lower case. */
const plain = (text: string): string =>
  simplified(text.replace(/<@!?\d+>/g, " "))
    .replace(/’/g, "'")
    .toLowerCase()
    .trim()

/** The first that fits: "hi, thanks" is thanks, and "thanks, bye" a goodbye. */
const KINDS: ReadonlyArray<readonly [pattern: RegExp, kind: Courtesy]> = [
  [/\b(?:good)?bye\b|see you|good night|have a |再见|拜拜|回头见|晚安/u, "farewell"],
  [/thank|thx|\bty\b|cheers|danke|merci|gracias|grazie|obrigad|appreciate|谢|感谢|辛苦/u, "thanks"],
  [
    /^[^\p{L}]*(?:hi|hello|hey|hiya|hallo|good (?:morning|afternoon|evening)|morning|afternoon|evening|how are you)\b|[你您大家]好(?![看用])|嗨|哈喽|[早晚上下中]午?[安好]|^[^\p{L}]*早/u,
    "greeting"
  ],
  [
    /^(?:[^\p{L}]*(?:ok|okay|k|(?:all ?)?right|got it|understood|yes|yeah|yep|no|nope|sure|fine|that's|is|sounds good|never ?mind|nvm|sorry|oops|hmm+|lol|haha+|wow|oh|i see|嗯+|好的?|行|明白|知道|了解|收到|没问题|可以|是的?|对|没有|算了|没事|抱歉|对不起|不好意思|哈+|呵+|哦+|了|啦|啊|吧|呀)[^\p{L}]*)+$/u,
    "agreement"
  ],
  [/[^]/, "thanks"]
]

const ADDRESSES =
  /thank|thx|cheers|danke|merci|bye|\b(?:hi|hello|hey|hiya|hallo|morning|afternoon|evening|night|you)\b|谢|辛苦|[你您]好|再见/
/** A name beside thanks, a greeting or a goodbye: "Thanks, Sam!". */
const NAME = /^@?\p{Lu}[\p{L}'.-]*(?:\s\p{Lu}[\p{L}'.-]*)?$/u
const WORDS_OF_REQUESTS =
  /^(?:all|analy[sz]e|average|chart|columns?|count|describe|draw|explain|help|histogram|list|look|mean|median|missing|now|only|outliers|overview|plot|report|rows?|show|sum|summary|table|top|total)\b/i

/** Thanks for something, or liking it: the rest of the clause says what for. */
const THANKS_FOR =
  /^(?:(?:and|well|ok|okay|great|many|big|so|oh|hi|hello|hey|muchas|a)\s+)*(?:(?:thanks|thank you|thank u|thx|ty|cheers|well done|great job|good job|nice work|merci|gracias|danke|grazie)(?:\s+(?:so|very|much|a|lot|bunch|ton|million|again|all|really|indeed))*\s+(?:for|to|pour|por|für|on)\b|(?:i |we )?(?:really |very much |just )*(?:appreciate|love|loved|enjoyed)\b(?!\s+to\b)|(?:i|we) (?:really )?(?:like|liked)\b(?!\s+to\b))/

/** Courtesy words before a request in the same clause: "thank you chart price by month". */
const OPENING =
  /^(?:(?:hi|hello|hey|thanks|thank you|thank u|thx|cheers|ok|okay|great|cool|nice|perfect|good|sure|yes|best(?=\s+regards)|and thanks|(?:so|very) (?:much|good))\b[\s,]*)+(?=\S)/

const COURTESIES = new Set(
  (
    "good hi hello hey hiya morning afternoon evening thanks thank thanx thx tks ty cheers bye goodbye ok okay k great nice perfect cool awesome " +
    "excellent lovely wonderful amazing brilliant fantastic superb impressive beautiful helpful useful interesting neat sweet handy best hallo danke " +
    "merci gracias grazie obrigado obrigada beaucoup yes yeah yep no nope sure fine hm hmm hmmm lol haha hahaha wow oh oops sorry nvm welcome appreciated regards wishes " +
    "helped helps works worked understood mind worries problem pleased pleasure exactly love like"
  ).split(" ")
)
const FILLERS = new Set(
  (
    "good you u ya very so much a an lot lots many for your the all there again everyone everybody that this it is was s really too work job well done right got " +
    "bot now then today of friend mate man team folks guys and indeed that's it's you're are see later soon tomorrow around have day one night weekend time " +
    "i we what how to meet from me us my never sounds looks look looked just needed wanted out quite pretty super absolutely million bunch ton not with " +
    "chart charts overview summary analysis report table graph plot picture answer result results numbers bye doing schön am was de orders data file"
  ).split(" ")
)

const CHINESE_WORDS =
  "你好|您好|大家好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早|很高兴认识(?:你|您)|初次见面|请多关照|" +
  "(?:非常|十分|万分|太|真的?)?(?:谢谢|多谢|感谢|谢)(?:你们?|您|大家|了)?|没事|不用|不必|(?:真|太)?(?:你们?|您)?辛苦|再见|拜拜|回头见|好的?|行|明白|" +
  "知道|了解|收到|没问题|可以|嗯+|是的|对|没有|算了|抱歉|对不起|不好意思|哈+|呵+|哦+|帮了我?大忙|帮到我?"
const CHINESE = new RegExp(
  `^(?:(?:${CHINESE_WORDS})(?:了|啦|啊|呀|哦|呢|吧|哈|的|你们?|您|机器人)*)+(?:\\p{Script=Latin}+|图表?|总结|分析|报告)?$`,
  "u"
)
const WORKS = "图表?|表格?|总结|分析|报告|回答|解答|结果|统计"
/** Praise, also with what it is about: "这个总结很不错". */
const CHINESE_PRAISE = new RegExp(
  `^(?:${WORKS}|这|那|你们?|您|我|它|个|些|份|张|幅|次|的|画|做|写|说|讲|得|真|很|太|非常|挺|特别|更|是|都|也|还|了|觉得|确实|thanks)*` +
    "(?:(?:棒|厉害|不错|完美|赞|给力|优秀|漂亮|清楚|清晰|好看|好用|有用|有帮助|有意思|喜欢|牛|专业|到位|好)了?)+" +
    `(?:${WORKS}|极|了|啦|啊|呀|哦|哈|的|呢|吧|这|那|个|份|张|幅)*$`,
  "u"
)
/** "谢谢你帮我统计" is for what was done, and "谢谢帮我统计" asks for it. */
const CHINESE_THANKS_FOR =
  /^(?:好的?|太|非常|十分|很|\s)*(?:谢谢|多谢|感谢)(?:(?:你们?|您|大家)(?:\s*帮我|\s*的|\s*对|\s*为|\s*这)|\s*(?:对|为|的|这))/u
const CHINESE_OPENING =
  /^(?:(?:你好|您好|(?:非常|太)?(?:谢谢|多谢|感谢)(?:你们?|您|大家|了)?|辛苦了|好的|thanks|hi|hello)[啊呀哦啦\s,]*)+(?=\S)/u
