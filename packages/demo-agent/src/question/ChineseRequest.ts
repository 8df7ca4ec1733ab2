import { isLabel } from "../data/Table.ts"
import { simplified } from "../format/Simplified.ts"
import { firstRows, MEASURES, NAME, ranking, VALUE, type Rule } from "./ChineseRanking.ts"
import type { Subject } from "./Intent.ts"

/** A request in the English that the parser reads. */
export interface ReadableRequest {
  readonly text: string
  /** The person's own words for a part of the text. */
  readonly original: (part: string) => string
}

/**
 * Writes a Chinese request in the English that the parser reads. Names and values of the data and quoted texts stay as
 * they are, and so does what is not understood: the parser then says so.
 */
export const inEnglish = (request: string, subject: Subject): ReadableRequest => {
  const names = new Names(subject)
  const clauses = clausesOf(names.hide(normalised(request))).flatMap((own) => {
    const english = clauseInEnglish(simplified(own), subject.kind)
    return english === "" ? [] : [{ english: names.show(english), own: names.show(own) }]
  })
  const original = (part: string): string => {
    const same = clauses.filter(({ english }) => english === part)
    const near = clauses.filter(({ english }) => part.includes(english) || english.includes(part))
    return (same.length > 0 ? same : near).map(({ own }) => own).join("，") || part
  }
  return { text: clauses.map(({ english }) => english).join(", "), original }
}

/** The clauses, as they are written; simplified characters stand in the same places. */
const clausesOf = (text: string): ReadonlyArray<string> => {
  const ends = [...simplified(text).matchAll(CLAUSE_END)].map(
    ({ 0: end, index }) => [index, index + end.length] as const
  )
  return [...ends, [text.length] as const].map(([until], at) => text.slice(ends[at - 1]?.[1] ?? 0, until).trim())
}

const normalised = (request: string): string =>
  request
    .normalize("NFKC")
    .replace(/<[@#][!&]?\d+>/g, " ")
    .replace(/[“”「」『』]/g, '"')
    .replace(/[。!！?？；;]/g, ",")
    .replace(/、/g, " 和 ")
    .replace(/\s+/g, " ")

/** A part of an order, such as "按 price 排序，取前 3 行", is no clause of its own. */
const CLAUSE_END =
  /(?<!(?:排序?|排列|[升降倒]序)\s*)\s*,\s*(?:然后|接着|再|并且?|同时|还有|另外)?|\s*,\s*(?!(?:再|然后)?(?:只|仅)?(?:取|要|看|显示|列出|选|保留)?\s*(?:前|后|倒数|最后))(?:然后|接着|再|并且?|同时|还有|另外)?|\s*(?:然后|接着)\s*/g

/** Hides names, values and quoted texts behind marks, which no rule changes. */
class Names {
  readonly #hidden: Array<string> = []
  readonly #known: ReadonlyArray<readonly [name: string, isValue: boolean]>

  constructor(subject: Subject) {
    const { columns = [], name = "" } = subject.kind === "table" ? subject.table : {}
    const labels = columns.flatMap((column) => (isLabel(column) ? column.labels.slice(0, MAX_LABELS) : []))
    const isValue = new Map([...labels.map((label) => [label, true] as const), [name, false]])
    for (const column of columns) isValue.set(column.name, false)
    this.#known = [...isValue]
      .filter(([each]) => each.trim() !== "" && !/^\d+$/.test(each))
      .sort(([a], [b]) => b.length - a.length)
  }

  hide(text: string): string {
    const quoted = text.replace(/"([^"]*)"/g, (quote) => this.#mark(quote, true))
    const known = this.#known.reduce(
      (result, [name, isValue]) => result.replace(patternOf(name), (found) => this.#mark(found, isValue)),
      quoted
    )
    // A part of a name stands for it, and the parser says which names it does not know.
    return known.replace(LATIN, (found) => this.#mark(found, false))
  }

  readonly show = (text: string): string =>
    text
      .replace(MARK, (_, at: string) => this.#hidden[Number(at)] ?? "")
      .replace(/\s+/g, " ")
      .trim()

  #mark(text: string, isValue: boolean): string {
    return ` ${isValue ? "\ue102" : "\ue100"}${this.#hidden.push(text) - 1}\ue101 `
  }
}

/** A column of more different values is no category. */
const MAX_LABELS = 500

const LATIN = /(?<![\ue100\ue102\p{L}\p{N}_])(?!(?:json|vs|top)\b)[\p{Script=Latin}][\p{Script=Latin}\p{N}_]*/giu

const MARK = /[\ue100\ue102](\d+)\ue101/g

/** A name in Latin letters is a whole word; `unit price` also stands for `unit_price`. */
const patternOf = (name: string): RegExp => {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/[\s_-]+/g, "[\\s_-]+")
  const isWord = /^[\p{Script=Latin}\p{N}]/u.test(name)
  return new RegExp(isWord ? `(?<![\\p{Script=Latin}\\p{N}_])${escaped}(?![\\p{Script=Latin}\\p{N}_])` : escaped, "giu")
}

const clauseInEnglish = (clause: string, kind: Subject["kind"]): string => {
  const text = clause.replace(OPENING, "").replace(CLOSING, "").trim()
  if (text === "") return ""
  const asTable = /^(.+?)\s*(?:用|以|做成|改成|列成|按|的)?\s*表格?(?:的?形式)?(?:显示|展示|列出来|表示)?$/.exec(text)
  if (kind !== "table") return textClause(text, kind) ?? text
  const figures = fixedClause(text) === undefined && asTable !== null ? tableClause(asTable[1] ?? "") : undefined
  return figures === undefined ? (tableClause(text) ?? text) : `${figures} as a table`
}

const fixedClause = (text: string): string | undefined => TABLE_RULES.find(([pattern]) => pattern.test(text))?.[1]

const OPENING =
  /^\s*(?:(?:请问?|麻烦(?:你|您)?|帮我|帮忙|能不能|能否|可以|可不可以|你能|您能|我想(?:看看?|要|知道|了解)?|我要|给我|让我|现在|那么?|那就|然后|再|先|你好|您好)\s*)+/
const CLOSING = /\s*(?:吧|吗|呢|啊|呀|一下|好吗|行吗|可以吗|谢谢(?:你|您)?|多谢|了)*\s*$/

const textClause = (text: string, kind: "prose" | "json"): string | undefined =>
  withRest(text, kind === "json" ? JSON_RULES : PROSE_RULES)

/** The English of the first rule that fits, with the words that it does not read, so that the parser names them. */
const withRest = (text: string, rules: ReadonlyArray<Rule>): string | undefined => {
  const [pattern, english] = rules.find(([pattern]) => pattern.test(text)) ?? []
  if (pattern === undefined) return undefined
  const rests = text.split(pattern).map((rest) => rest.replace(SMALL_WORDS, ""))
  return [english, ...rests].filter((part) => part !== "").join(" ")
}

/** Words of requests that ask for nothing of their own, at the ends of a part. */
const SMALL = String.raw`请|麻烦|帮|我们?|你|您|给我|一下|下|这|那|份|个|篇|里面?|中|有|是|什么|哪|都|看|所有|全部|整个|整体|详细|简单|简要|快速|全面|大致|大概|主要|关于|进行|出|来|去|把|将|对|从|在|和|与|及|内容|文件|数据|文档|文章|文字|文本|表格?|图表?|情况|列|显示|展示|找|告诉|说说?|讲讲?|它|其|可以|能|如何|怎么样?|怎样|多少|几|数量?|画|一|张|幅|些|了|吗|呢|吧|呀|啊|的|再|先|现在|想|要|知道|了解|json|完成|已|未|没|还|事项|任务|清单|标题|链接|高频|词|字|[\s,?？]`
const SMALL_WORDS = new RegExp(`^(?:${SMALL})+|(?:${SMALL})+$`, "gi")

const COMMON_RULES: ReadonlyArray<Rule> = [
  [/^帮助$|^(?:能|会)?做(?:些)?什么|会(?:做|些)?什么|怎么用|有(?:什么|哪些)功能|可以(?:做|问|说)什么/, "help"],
  [
    /总结|概括|概述|概览|摘要|^(?:全面)?分析|^(?:看看?|介绍)(?:这(?:个|份))?(?:数据|文件|内容)?$|(?:里面?|中|内容|文件|数据|这|它)(?:都|讲|说)?(?:有|是)?(?:些)?什么|说了什么|讲了什么|整体情况/,
    "summarise"
  ]
]

const JSON_RULES: ReadonlyArray<Rule> = [[/结构|路径|字段|键/, "shape"], ...COMMON_RULES]

const PROSE_RULES: ReadonlyArray<Rule> = [
  [/图/, "chart the most frequent words"],
  [/未完成|没(?:有)?(?:完成|做)|还没|待办/, "list the open items"],
  [/已完成|完成(?:的|了)|做完/, "list the done items"],
  [/清单|任务|事项/, "list the items"],
  [/标题|大纲|目录|章节/, "headings"],
  [/链接|网址/, "links"],
  [/高频|词频|最常|关键词/, "frequent words"],
  [/字数|多少(?:个)?(?:字|词)|词数|多长|行数|段落/, "word count"],
  ...COMMON_RULES
]

const COUNT_ROWS = /^(?:一共|总共|共)?有?(?:多少|几)(?:行|条|个?记录|条记录|条数据)$|^(?:总)?(?:行数|记录数)$/
const TABLE_RULES: ReadonlyArray<Rule> = [
  [
    /^(?:显示|恢复|看|用|回到)?(?:全部|所有)的?(?:行|数据|记录)?$|(?:取消|清除|去掉|不要|移除)(?:所有|全部)?的?(?:筛选|过滤|条件)/,
    "all rows"
  ],
  [/^(?:用|以|做成|改成|变成|换成|转成|显示(?:成|为)?)?表格?(?:的?形式)?(?:显示|展示|表示)?$/, "now as a table"],
  [COUNT_ROWS, "how many rows"],
  [/^(?:有|列出)?(?:哪些|什么|几|多少|所有)?的?(?:个)?(?:列|字段)(?:名)?(?:有哪些)?$/, "list columns"],
  [/^(?:有|哪些|找出?|列出|显示)*(?:值)?(?:缺失|空缺|缺少)(?:值|的值)?(?:有哪些)?$|^空值$/, "missing values"],
  [/^(?:有|哪些|找出?|列出|显示)*(?:异常|离群)(?:值|点|数据)?(?:有哪些)?$/, "outliers"],
  [/^(?:有|哪些|找出?|列出|显示|多少)*重复(?:的)?(?:行|值|记录|数据)?(?:有哪些)?$/, "duplicates"],
  [/^(?:json\s*)?(?:结构|路径)$/i, "shape"],
  [/^画(?:一?[张个幅])?图(?:表)?$|^(?:一?[张个幅])图表?$|^图表?$/, "chart"],
  [/^画?(?:一?[张个幅])?饼图$/, "pie chart"],
  [/^画?最大的?(?:一)?列(?:的图)?$/, "chart the largest column"]
]

const tableClause = (text: string): string | undefined =>
  fixedClause(text) ??
  firstRows(text) ??
  countClause(text) ??
  figureOfRows(text) ??
  filterClause(text) ??
  ranking(text) ??
  figure(text) ??
  withRest(text, COMMON_RULES) ??
  description(text)

/** "上海的总 price", "region 为 EU 的平均 price": a figure of some rows. */
const figureOfRows = (text: string): string | undefined => {
  const ofValues = new RegExp(`^(${VALUE}(?:(?:和|或|与|及)${VALUE})*)的?\\s*(.+)$`).exec(text)
  const ofCondition = new RegExp(`^(${NAME}${COMPARED}.+?)\\s*的\\s*(.+)$`).exec(text)
  const [, rows = "", asked = ""] = ofValues ?? ofCondition ?? []
  const question =
    asked === "" ? undefined : COUNT_ROWS.test(asked) ? "how many rows" : (ranking(asked) ?? figure(asked))
  if (question === undefined) return undefined
  return ofValues === null
    ? `${question} where ${condition(rows)}`
    : `${question} for ${rows.replace(/和|或|与|及/g, " or ")}`
}

/** "price 大于 100 的有几行". */
const countClause = (text: string): string | undefined => {
  const found = new RegExp(
    `^(${NAME}${COMPARED}.*?)的?(?:行|数据|记录)?(?:一共|总共|共)?有?(?:多少|几)(?:[行条个]|个?记录|条记录|条数据)(?:数据|记录)?$`
  ).exec(text)
  return found === null ? undefined : `how many rows where ${condition(found[1] ?? "")}`
}

/** "只看 region 为 EU 的行". */
const filterClause = (text: string): string | undefined => {
  const only = /^(?:只|仅)(?:看|要|显示|保留|统计|留|取)?\s*(.+?)\s*的?(?:行|记录|数据|部分)?$/.exec(text)
  const picked = only ?? /^(?:筛选|过滤|选)(?:出)?\s*(.+?)\s*的?(?:行|记录|数据|部分)?$/.exec(text)
  if (picked !== null) return `only rows where ${condition(picked[1] ?? "")}`
  const without = /^(?:排除|去掉|除去|不要|不看|删除|删掉|除了)\s*(.+?)\s*的?(?:行|记录|数据|部分)?(?:以外)?$/.exec(
    text
  )
  if (without !== null) return `exclude rows where ${condition(without[1] ?? "")}`
  return new RegExp(`^${NAME}${COMPARED}`).test(text)
    ? `only rows where ${condition(text.replace(/\s*的?(?:行|记录|数据|部分)$/, ""))}`
    : undefined
}

/** How a value follows the name of a column. */
const COMPARED =
  "(?:在|介于|不?[为是]|不?等于|不?[大小高低多少]于|不?超过|不到|至[少多]|最[多少](?:为|是)|包含|含|以|缺失|没有值|有值|=|<|>)"

const condition = (text: string): string =>
  CONDITIONS.reduce((result, [pattern, english]) => result.replace(pattern, english), text)
    .replace(/\s+/g, " ")
    .trim()

const CONDITIONS: ReadonlyArray<Rule> = [
  [/(?:在|介于)\s*(\S+?)\s*(?:和|到|至|与|~)\s*(\S+?)\s*(?:之间)/g, " between $1 and $2 "],
  [/\s*在\s*(\S+?)\s*(?:之前|以前)/g, " before $1 "],
  [/\s*在\s*(\S+?)\s*(?:之后|以后)/g, " after $1 "],
  [/\s*以\s*(\S+?)\s*开头/g, " starts with $1 "],
  [/(?:不为空|不缺失|有值)/g, " is present "],
  [/(?:为空|是空的?|缺失|没有值)/g, " is missing "],
  [/(?:大于等于|大于或等于|不少于|至少(?:为|是)?|不低于|不小于)/g, " >= "],
  [/(?:小于等于|小于或等于|不超过|至多(?:为|是)?|最多(?:为|是)?|不大于|不高于|不多于)/g, " <= "],
  [/(?:大于|超过|高于|多于)/g, " > "],
  [/(?:小于|低于|少于|不到)/g, " < "],
  [/(?:不等于|不是|不为)/g, " is not "],
  [/(?:开头为|开头是)/g, " starts with "],
  [/(?:包含|含有|含)/g, " contains "],
  [/(?:等于|为|是)/g, " is "],
  [/(?:并且|而且|同时|且)/g, " and "],
  [/(?:或者|或是|或|和)/g, " or "]
]

/** A chart or a figure: "按月画 price 的图", "按 region 统计平均 price", "每个 region 有多少行". */
const figure = (text: string): string | undefined => {
  const isChart = /图|画|绘/.test(text)
  const measured = MEASURES.find(([pattern]) => pattern.test(text))?.[1] ?? ""
  if (!isChart && measured === "" && !/统计|分布|变化|趋势/.test(text)) return undefined
  const group = new RegExp(
    `(?:按照?|每一?[个种]?|各个?|随着?|分(?!布))(?:(${NAME})|\\s*(${STEP})|\\s*([\\p{Script=Han}]{1,8}?)(?=[的画求有平总最]|统计|汇总|计算|$))`,
    "u"
  ).exec(text)
  const by = group?.[1] ?? STEPS.find(([pattern]) => pattern.test(group?.[2] ?? ""))?.[1] ?? group?.[3]
  const rest = group === null ? text : text.replace(group[0], " ")
  const names = [...rest.matchAll(MARK)].map(([mark]) => mark)
  const unread = rest.replace(MARK, " ").replace(FIGURE_WORDS, " ").trim()
  const [first = "", second] = names
  // "平均值和中位数" are two figures.
  const measures = MEASURES.filter(([pattern, english]) => english !== "count" && pattern.test(text)).sort(
    ([a], [b]) => text.search(a) - text.search(b)
  )
  // "统计" names no measure: it counts only where there is nothing to measure.
  const measure = measured === "" && !isChart && first === "" && /统计/.test(text) ? "count" : measured
  const left = [...names.slice(second === undefined || by !== undefined ? 1 : 2), unread].join(" ")
  const grouped = by === undefined ? "" : ` ${left} by ${by}`
  if (/直方图|分布/.test(text) && by === undefined) return `histogram of ${first} ${left}`
  if (/散点/.test(text) || (isChart && by === undefined && second !== undefined))
    return `${/散点/.test(text) ? "scatter" : "chart"} ${first} vs ${second ?? ""} ${left}`
  if (isChart || /变化|趋势/.test(text))
    return `${/饼/.test(text) ? "pie " : ""}chart ${measure} ${first}${by === undefined && /变化|趋势/.test(text) ? " over time" : grouped} ${by === undefined ? left : ""}`
  const column = `${first}${by === undefined ? ` ${left}` : grouped}`
  return (measures.length > 1 ? measures.map(([, english]) => english) : [measure])
    .map((each) => `${each} ${column}`)
    .join(", ")
}

const STEP = "[日天周月年]份?|季度?|星期几?|时间"

const STEPS: ReadonlyArray<Rule> = [
  [/星期|周几/, "weekday"],
  [/[日天]/, "day"],
  [/周/, "week"],
  [/月/, "month"],
  [/季/, "quarter"],
  [/年/, "year"],
  [/时间/, "time"]
]

const FIGURE_WORDS =
  /柱状图|条形图|折线图|直方图|散点图|饼图|曲线图|图表|图|画(?:成|出)?|绘制?|制作|生成|做|显示|看看?|计算|求|算|统计|汇总|平均值?|均值|中位数?|最[低小高大]值?|总和|总计|合计|求和|总额|总量|之和|总|有?多少|几|个数|数量|计数|行数|次数|分布|变化|趋势|随着?|时间|一?[张个幅]|[行条]|[的把将和与跟对有是各为成出值在]|一下|情况|比较|对比|对|关系|vs/gi

/** "描述 price", "price 的情况". */
const description = (text: string): string | undefined => {
  if (new RegExp(`^${VALUE}$`).test(text)) return text
  const found = new RegExp(
    `^(?:描述|说明|介绍|解释|看看?|详细(?:看看?|说明)?|统计)?(${NAME})(?:这?一?列)?(?:的?(?:情况|详情|统计|信息|值))?$`
  ).exec(text)
  return found === null ? undefined : `describe ${found[1]}`
}
