/** What the phrases of the language mean. */
export type Meaning = keyof typeof PHRASES

/** All phrases of the language, English and Chinese; a longer phrase is tried before a shorter one. */
export const PHRASES = {
  // Openings, which ask for nothing by themselves.
  please: "please|请帮我|请你|请|帮我|给我|麻烦|能不能|能否",
  canYou: "can you|could you|would you",
  show: "show me|show|give me|calculate|compute|tell me|what is|what's|what are|显示|列出|计算|统计|求|看看|看一下|告诉我",
  the: "the|a|an",
  // Calculations.
  count:
    "count of rows|number of rows|how many rows|row count|count the rows|count rows|count|一共有多少行|总共有多少行|有多少行|多少行|总行数|行数|有几行|几行",
  sum: "total|sum|总和|总计|合计|总额|总",
  mean: "average|mean|平均值|平均|均值",
  median: "median|中位数",
  min: "minimum|lowest|min|最小值|最低值|最小|最低",
  max: "maximum|highest|max|最大值|最高值|最大|最高",
  most: "most|largest|biggest|最多",
  least: "least|fewest|smallest|最少",
  // Joints.
  of: "of|的",
  and: "and|和|与|及",
  by: "grouped by|by|per|for each|按照|按|每个|各个|各|每",
  over: "over",
  month: "month|月份|个月|月",
  year: "year|年份|年",
  asTable: "as a table|用表格|列成表格",
  next: "and then|then|然后|接着|再",
  areThere: "are there|there are|are|do i have",
  isWhat: "是多少|有多少|是什么|是哪个",
  // Charts.
  draw: "draw|make|create|plot|画一张|画一个|画个|画出|画|绘制|生成",
  chart: "chart|graph|plot|统计图|图表|图",
  barChart: "bar chart|bar graph|柱状图|条形图",
  lineChart: "line chart|line graph|折线图",
  // Rows.
  top: "top",
  first: "first|前",
  rows: "rows|row|行|条|名|个|data|table|数据",
  allRows: "all rows|所有行|全部行|全部数据",
  rank: "排名|排|取",
  sort: "sort the rows|sort rows|sort|order|排序|排列",
  descending: "descending|desc|降序|从高到低|从大到小|倒序",
  ascending: "ascending|asc|升序|从低到高|从小到大",
  which: "which|what|哪个|哪一个",
  has: "has|had",
  // Conditions.
  only: "only the rows|only rows|only|the rows|rows|只看|只显示|只要|筛选",
  where: "where|其中|条件是",
  is: "is equal to|equals|is|=|等于|为|是",
  isNot: "is not|isn't|!=|<>|不等于|不为|不是",
  more: "is over|is more than|is greater than|over|above|more than|greater than|after|>|大于|超过|高于",
  less: "is under|is less than|is below|under|below|less than|before|<|小于|低于|少于",
  atLeast: "is at least|at least|>=|至少|不少于|不低于|大于等于",
  atMost: "is at most|at most|<=|至多|不超过|不高于|小于等于",
  contains: "contains|包含",
  // The whole file.
  analyse:
    "analyse|analyze|summarise|summarize|describe|explore|look at|have a look at|look|分析一下|分析|总结一下|总结|概括一下|概括|描述一下|描述|介绍一下|介绍",
  report: "report on|report|summary|overview|报告|摘要|概述|概览",
  whatIsIn: "what is in|what's in|what is|what's|what does",
  thing:
    "this file|the file|my file|this table|the table|this data|the data|my data|everything|this|that|it|这个文件|这份文件|这份数据|这些数据|这个表格|这张表|文件|数据|表格|这个|它",
  contain: "contain",
  whatIsInIt: "里面有什么|里有什么|有什么内容|有什么|是什么|讲了什么",
  inside: "in|from|of"
} as const

/** The places at which a phrase of this meaning ends, the longest first. */
export const phraseEnds = (meaning: Meaning, text: string, at: number): ReadonlyArray<number> =>
  phraseEndsIn(LISTS.get(meaning) ?? [], text, at)

/** The place at which the longest phrase ends, of any meaning. */
export const longestPhraseEnd = (text: string, at: number): number | undefined => {
  const ends = [...LISTS.values()].flatMap((phrases) => phraseEndsIn(phrases, text, at))
  return ends.length === 0 ? undefined : Math.max(...ends)
}

/** Tells whether no word in Latin letters or digits goes on at a place. */
export const endsWord = (text: string, at: number): boolean =>
  !/[\p{Script=Latin}\p{N}]/u.test(text.slice(at - 1, at)) || !/^[\p{Script=Latin}\p{N}_]/u.test(text.slice(at, at + 2))

const phraseEndsIn = (phrases: ReadonlyArray<string>, text: string, at: number): ReadonlyArray<number> =>
  phrases.flatMap((phrase) => (isPhraseAt(phrase, text, at) ? [at + phrase.length] : []))

const isPhraseAt = (phrase: string, text: string, at: number): boolean =>
  text.startsWith(phrase, at) && endsWord(text, at + phrase.length)

const LISTS: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries(PHRASES).map(([meaning, phrases]) => [
    meaning,
    phrases.split("|").toSorted((a, b) => b.length - a.length)
  ])
)
