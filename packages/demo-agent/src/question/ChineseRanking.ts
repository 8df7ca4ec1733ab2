/** A pattern of a Chinese clause, and the English that the parser reads. */
export type Rule = readonly [pattern: RegExp, english: string]

/** The mark of a hidden name, and that of a hidden value or quoted text. */
export const NAME = String.raw`\s*[\ue100\ue102]\d+\ue101\s*`
export const VALUE = String.raw`\s*\ue102\d+\ue101\s*`

/** The first rows: "前 3 行", "显示 5 行". */
export const firstRows = (text: string): string | undefined => {
  const found = new RegExp(
    `^(?:(?:只|仅)?(?:显示|看|列出|展示|要|取)\\s*前?|前|(?:最)?前面的?)\\s*(${COUNT})\\s*[行条](?:数据|记录)?$`
  ).exec(text)
  return found === null ? undefined : `first ${numberOf(found[1] ?? "")} rows`
}

const COUNT = String.raw`\d+|[一二两三四五六七八九十]{1,3}`

const numberOf = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text)
  const digit = (character: string | undefined): number =>
    character === undefined || character === "" ? 0 : (DIGITS.get(character) ?? 0)
  const [tens, ones] = text.split("十")
  return ones === undefined ? digit(tens) : (tens === "" ? 1 : digit(tens)) * 10 + digit(ones)
}

const DIGITS = new Map([...[..."一二三四五六七八九"].entries()].map(([at, character]) => [character, at + 1]))
DIGITS.set("两", 2)

/** "price 最高的 10 行", "按 price 排前 5", "按 price 从高到低排序", "哪个 region 的 price 最高". */
export const ranking = (text: string): string | undefined => {
  const clause = text.replace(/^(?:列出|显示|展示|找出|选出|给出|看看?|查看|告诉我)\s*/, "")
  return whichIsBest(clause) ?? bestSubject(clause) ?? bestRows(clause) ?? sortedRows(clause)
}

const whichIsBest = (text: string): string | undefined => {
  const which = new RegExp(`^哪(?:一)?[个种]?(${NAME})的?\\s*(.*?)(${NAME})?\\s*最([高大多低小少])$`).exec(text)
  if (which === null) return undefined
  const [, subject = "", words = "", by = "", direction = ""] = which
  const measure = MEASURES.find(([pattern]) => pattern.test(words))?.[1] ?? ""
  const figure = by !== "" ? ` by ${measure} ${by}` : /[多少]/.test(direction) ? " by number of rows" : ""
  return `${/[低小少]/.test(direction) ? "bottom" : "top"} 1 ${subject}${figure}`
}

/** "最贵的 3 个 product", "哪个 region 最便宜", "最新的 2 行". */
const bestSubject = (text: string): string | undefined => {
  const best =
    new RegExp(`^(?:有?哪些?(?:一?[个种])?)(?<subject>${NAME})的?\\s*最(?<word>${SUPERLATIVE})的?$`).exec(text) ??
    new RegExp(
      `^最(?<word>${SUPERLATIVE})的?\\s*前?\\s*(?<count>${COUNT})?\\s*[行条个名种]?(?:的)?(?<subject>${NAME})(?:是(?:哪[个些种]|什么)?)?$`
    ).exec(text) ??
    new RegExp(`^最(?<word>${SUPERLATIVE})的?\\s*前?\\s*(?<count>${COUNT})\\s*(?<subject>[行条])(?:数据|记录)?$`).exec(
      text
    )
  if (best === null) return undefined
  const { count = text.startsWith("最") ? "十" : "一", subject = "", word = "" } = best.groups ?? {}
  const superlative = SUPERLATIVES.find(([pattern]) => pattern.test(word))?.[1]
  return `${superlative} ${numberOf(count)} ${/^[行条]$/.test(subject) ? "rows" : subject}`
}

const bestRows = (text: string): string | undefined => {
  const best = new RegExp(
    `^(${NAME})最(${SUPERLATIVE}|[多少])的?\\s*(?:前|后)?\\s*(${COUNT})?\\s*(?:[行条个名]|条?记录)?(?:的)?(${NAME})?$`
  ).exec(text)
  if (best === null) return undefined
  const [, by = "", which = "", count = "十", subject = ""] = best
  return `${LOWEST.test(which) ? "bottom" : "top"} ${numberOf(count)} ${subject} by ${by}`
}

/** Rows in the order of a column, all or so many of them; the first ones are the highest unless the order says otherwise. */
const sortedRows = (text: string): string | undefined => {
  const sorted = new RegExp(
    `^(?:(?:把|将|对)?(?:这些|所有|全部)?(?:数据|行|记录|表格?|它们?)?)\\s*(?<marked>按照?|依照?|根据)?(?<by>${NAME})的?(?:值|大小|高低|顺序)?` +
      `\\s*(?<before>${ORDER})?\\s*(?:来|进行)?(?<sorts>排序|排列|排名|排行|排)?\\s*(?<after>${ORDER})?\\s*的?\\s*,?\\s*` +
      `(?:(?:只|仅|再)?(?:取|要|看|显示|列出|选|保留)?\\s*(?:(?<end>前|后|倒数|最后)面?的?\\s*(?<count>${COUNT})\\s*[行条个名位种]?(?:数据|记录)?))?` +
      `(?:的)?(?<subject>${NAME})?(?:行|数据|记录)?$`
  ).exec(text)?.groups
  const bare = new RegExp(`^前\\s*(${COUNT})\\s*[个名]?$`).exec(text)
  if (bare !== null) return `top ${numberOf(bare[1] ?? "")}`
  if (sorted === undefined) return undefined
  const { after = "", before = "", by, count, end = "", marked, sorts, subject = "" } = sorted
  const order = before + after
  if (count === undefined)
    return marked === undefined && sorts === undefined && order === ""
      ? undefined
      : (sorts === undefined && order === "") || subject !== ""
        ? undefined
        : `sort by ${by} ${order === "" ? "" : ASCENDING.test(order) ? "ascending" : "descending"}`
  const isTop = (end === "前") !== ASCENDING.test(order)
  return `${isTop ? "top" : "bottom"} ${numberOf(count)} ${subject} by ${by}`
}

const ORDER = "[从由][高大多新晚贵低小少旧早便宜]+[到至][高大多新晚贵低小少旧早便宜]+|升序|正序|降序|倒序|逆序"
const ASCENDING = /[从由](?:[低小少旧早]|便宜)|升序|正序/
const LOWEST = /[低小少早旧老差]|便宜/

const SUPERLATIVE = "便宜|贵|新|晚|旧|老|早|高|大|好|低|小|差"

const SUPERLATIVES: ReadonlyArray<Rule> = [
  [/便宜/, "cheapest"],
  [/贵/, "most expensive"],
  [/[新晚]/, "latest"],
  [/[旧老早]/, "earliest"],
  [/[高大好]/, "highest"],
  [/[低小差]/, "lowest"]
]

/** Words that name a measure. */
export const MEASURES: ReadonlyArray<Rule> = [
  [/平均|均值/, "average"],
  [/中位/, "median"],
  [/最(?:低|小)/, "minimum"],
  [/最(?:高|大)/, "maximum"],
  [/总和|总计|合计|求和|汇总|总额|总量|之和|总(?!结)/, "total"],
  [/多少|几[行条个]|(?<![这那])个数(?!据)|数量|计数|行数|次数/, "count"]
]
