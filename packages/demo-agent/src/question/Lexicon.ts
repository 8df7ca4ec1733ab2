/** The ways to say a meaning in English and in Chinese, separated by "|". */
type Words = Readonly<Record<string, readonly [english: string, chinese: string]>>

/** Calculations. */
const CALCULATIONS = {
  sum: ["sum|sums|total|totals|sum total", "总和|总计|合计|求和|总"],
  mean: ["average|averages|mean|avg|average value|mean value", "平均值|平均数|均值|平均"],
  median: ["median|median value", "中位数|中位值"],
  min: ["minimum|min|lowest|smallest|minimum value|lowest value", "最小值|最低值|最小|最低"],
  max: ["maximum|max|highest|largest|maximum value|highest value", "最大值|最高值|最大|最高"],
  count: [
    "how many|number of|count|count of|counts of",
    "一共有多少|总共有多少|共有多少|有多少|多少|有几|几|数量|个数"
  ],
  countRows: ["row count|count rows|number of rows|how many rows|how many", "总行数|行数|记录数"]
} as const satisfies Words

/** Groups. */
const GROUPS = {
  by: [
    "by|per|for each|for every|in each|each|every|grouped by|group by|broken down by|split by|over|across",
    "按照|按|每一个|每个|每种|每一|每|各个|各种|各|依照|依|根据|分"
  ],
  day: ["day|days", "日|天"],
  week: ["week|weeks", "周|星期"],
  month: ["month|months", "月份|个月|月"],
  quarter: ["quarter|quarters", "季度|季"],
  year: ["year|years", "年份|年"],
  weekday: ["weekday|weekdays|day of the week|day of week", "星期几|周几"],
  daily: ["daily", "每日|每天"],
  weekly: ["weekly", "每周"],
  monthly: ["monthly", "每月"],
  quarterly: ["quarterly", "每季度"],
  yearly: ["yearly|annually", "每年"],
  overTime: ["over time|by date|by time", "随时间|按时间|按日期"]
} as const satisfies Words

/** Conditions. */
const CONDITIONS = {
  where: ["where|with|whose|have|has|that have|which have|that has|for which|when|having|that are|which are", ""],
  for: ["for|in|from|of|at", "在"],
  only: [
    "only|just|keep|keep only|show only|take only|use only|filter|filter by|filter on|filter to|filter for|restrict to|limit to|but only",
    "只看|仅看|只要|只显示|仅显示|只保留|只统计|只留|只取|只有|只|仅|筛选出|筛选|过滤出|过滤|选出"
  ],
  exclude: [
    "exclude|excluding|without|except|except for|leave out|drop|remove|hide|ignore|ignoring",
    "排除|去掉|除去|不要|不看|删除|删掉|除了"
  ],
  allRows: [
    "all rows|all the rows|every row|all data|all the data|all entries|all records|reset|start over|no filter|no filters|everything|" +
      "remove the filter|remove the filters|remove all filters|remove filters|clear the filter|clear the filters|clear filters|drop the filters|drop the filter|without filter|without filters|lift the filter",
    "全部行|所有行|全部的行|所有的行|全部数据|所有数据|全部记录|所有记录|取消筛选|清除筛选|去掉筛选|取消过滤|清除过滤|取消所有筛选"
  ],
  is: ["is|are|was|were", "为|是"],
  equals: ["is equal to|equal to|equals|is|are|was|were|==|=|:|on", "等于|为|是|=|在"],
  not: ["not", "不是|非"],
  differs: [
    "is not equal to|not equal to|does not equal|is not|are not|was not|isn't|aren't|is other than|other than|!=|<>|≠|not",
    "不等于|不是|不为|!=|≠"
  ],
  more: [
    "greater than|more than|larger than|bigger than|higher than|later than|newer than|above|over|after|>",
    "大于|超过|高于|多于|晚于|>"
  ],
  atLeast: [
    "at least|no less than|not less than|since|greater than or equal to|>=|≥",
    "大于等于|大于或等于|不少于|不低于|不小于|不早于|至少为|至少是|至少|>=|≥"
  ],
  less: [
    "less than|smaller than|lower than|fewer than|earlier than|older than|below|under|before|<",
    "小于|低于|少于|不到|早于|<"
  ],
  atMost: [
    "at most|no more than|not more than|up to|until|less than or equal to|<=|≤",
    "小于等于|小于或等于|不超过|不大于|不高于|不多于|不晚于|至多|最多为|<=|≤"
  ],
  level: ["above|over|below|under", ""],
  between: ["between", "介于|在"],
  endOfRange: ["", "之间"],
  before: ["", "之前|以前"],
  after: ["", "之后|以后"],
  contains: ["contains|contain|containing|includes|including", "包含|含有|含"],
  startsWith: ["starts with|start with|begins with|starting with|beginning with", "开头为|开头是|以"],
  start: ["", "开头"],
  missing: ["missing|empty|blank|null|has no value|have no value", "为空|是空的|缺失|没有值"],
  present: ["not missing|not empty|not blank|present|known|has a value|have a value", "不为空|不缺失|有值"]
} as const satisfies Words

/** Outputs. */
const OUTPUTS = {
  chart: [
    "chart|charts|plot|graph|draw|visualise|visualize|diagram|picture",
    "图表|的图|图|画一张|画一个|画一幅|画个|画张|画出|画|绘制|变化|趋势"
  ],
  barChart: ["bar chart|bar graph|bar plot|bars", "柱状图|条形图|柱形图"],
  lineChart: ["line chart|line graph|line plot|line", "折线图|线图|趋势图|变化图"],
  histogram: ["histogram|distribution", "直方图|分布图|分布"],
  scatter: ["scatter plot|scatter chart|scatterplot|scatter", "散点图|散点"],
  versus: ["vs|vs.|versus|against", ""],
  asTable: [
    "as a table|as table|in a table|as a markdown table|in a markdown table",
    "改成表格|做成表格|变成表格|换成表格|列成表格|用表格显示|用表格展示|用表格|以表格形式显示|以表格形式|的表格|表格"
  ]
} as const satisfies Words

/** Orders. */
const ORDERS = {
  top: ["top|highest|largest|biggest", "前面|前|最高|最大|最多|最新|最晚"],
  bottom: ["bottom|lowest|smallest", "倒数|后|最低|最小|最少|最早"],
  withHighest: ["with the highest|with the largest|with highest", ""],
  withLowest: ["with the lowest|with the smallest|with lowest", ""],
  first: ["first|the first", "前面|前"],
  sortBy: ["sort|sorted|order|ordered|rank|ranked|arrange|arranged", "排序|排列|排名|排行|排"],
  ascending: [
    "ascending|asc|in ascending order|from low to high|from small to large|from old to new|lowest first|smallest first|oldest first",
    "从低到高|从小到大|从少到多|从早到晚|从旧到新|升序"
  ],
  descending: [
    "descending|desc|in descending order|from high to low|from large to small|from new to old|highest first|largest first|newest first",
    "从高到低|从大到小|从多到少|从晚到早|从新到旧|降序|倒序"
  ]
} as const satisfies Words

/** Questions about the whole. */
const LOOKS = {
  profile: [
    "summarise|summarize|summary|overview|analyse|analyze|analysis|statistics|stats|profile|report|look|explore|inspect|explain|check|read",
    "总结|概括|概述|概览|摘要|分析|看一看|看一下|看看|介绍"
  ],
  profileKind: [
    "quick|short|brief|full|complete|detailed|closer|good|general|basic|simple|rough|some|statistical|have|take|do|make|about|into|at|on",
    "详细|简单|简要|快速|全面|大致|完整"
  ],
  whatIs: [
    "what is in|what's in|what is inside|what's inside|what is|what's|what does|tell me about|what is there in|what do you see in",
    ""
  ],
  thing: [
    "this|it|that|these|data|file|dataset|table|content|contents|attachment|csv|json|document|text|contain|contains|about",
    "这个|这份|这篇|它|文件|文档|文章|数据|内容|表格|表|里面|里|中|都|说了什么|讲了什么|有什么|有些什么|是什么"
  ],
  all: ["all|any|every|whole", "所有|全部"],
  whatIsIn: ["", "有什么|有些什么|是什么|讲了什么|说了什么"],
  columns: [
    "columns|column names|fields|headers|list columns|list the columns|which columns are there|what columns are there|which columns|what columns",
    "有哪些列|有什么列|有哪些字段|哪些列|列名|字段|所有列"
  ],
  outliers: ["outliers|any outliers|which outliers", "有哪些异常值|异常值|离群值|异常数据|离群点"],
  missingValues: ["missing values|missing|missing data|any missing values", "有哪些缺失值|缺失值|有缺失|空值|缺失"],
  duplicates: [
    "duplicates|duplicate rows|repeated rows|duplicated rows|any duplicates",
    "有重复的行|重复的行|重复行|重复值|有重复|重复"
  ],
  describe: [
    "describe|details of|summarise|summarize|summary of|statistics of|statistics for|stats of|which|what",
    "描述|有哪些|总结|分析"
  ],
  areThere: ["are there|exist|is there", ""],
  shape: ["shape|structure|paths|keys", "结构|路径"],
  help: [
    "help|commands|what can you do|what can i do|what can i ask|what else can you do|how does this work",
    "帮助|你能做什么|能做什么|会做什么|怎么用|可以做什么|可以问什么|有哪些功能|有什么功能"
  ]
} as const satisfies Words

/** Questions about a text. */
const TEXTS = {
  headings: ["headings|heading|outline|sections|table of contents|toc|chapters|structure", "标题|大纲|目录|章节"],
  links: ["links|link|urls", "链接|网址"],
  frequentWords: [
    "frequent words|most frequent words|common words|most common words|top words|keywords|word frequency|most used words",
    "高频词|词频|关键词"
  ],
  words: [
    "word count|how many words|number of words|words|length|how long is|how long|reading time|sentences|characters|lines|paragraphs|count words",
    "有多少字|有多少词|多少字|多少词|字数|词数|多长|段落"
  ],
  items: ["to-dos|todos|to-do|todo|checklist|checklists|tasks|items", "清单|任务|事项|待办"],
  open: [
    "open|unchecked|unfinished|outstanding|left|remaining|pending|to do|not done",
    "未完成|没完成|没有完成|没做|待办"
  ],
  done: ["done|checked|finished|completed|closed", "已完成|完成|做完"]
} as const satisfies Words

/** Between the parts. */
const JOINTS = {
  and: ["and|&|plus|as well as", "以及|还有|和|与|及|、|并且|且|而且"],
  or: ["or|/", "或者|或是|或|还是"],
  but: ["but|and|&", "并且|而且|同时|且|和"],
  to: ["and|to|-|–", "和|到|至|与"],
  next: ["and then|then|after that|next|afterwards|and also|also", "然后|接着|再|另外|此外"],
  rows: [
    "rows|row|records|record|entries|entry|ones|items|lines|data",
    "数据行|行数据|条数据|条记录|记录|数据|部分|行|条"
  ],
  counter: ["", "个|名|种|位"],
  rest: ["", "以外|之外"],
  different: ["different|distinct|unique", "不同的"]
} as const satisfies Words

const WORDS = { ...CALCULATIONS, ...GROUPS, ...CONDITIONS, ...OUTPUTS, ...ORDERS, ...LOOKS, ...TEXTS, ...JOINTS }

/** A meaning that words of a request can have. */
export type Meaning = keyof typeof WORDS

/** Words that ask for nothing of their own; they may stand anywhere. */
const FILLERS =
  "a|an|the|of|please|pls|me|my|our|your|us|value of|values of|value|values|column|field|there|then|all of|" +
  "now|again|instead|too|so|ok|okay|well|it|them|that|this|these|those|as|can you|could you|would you|will you|can i|may i|can we|" +
  "i want to|i want|i need|i would like to|i would like|i'd like to|i'd like|we want|we need|want to|let's|let us|let me|see|show|give|tell|list|print|" +
  "display|get|find|calculate|compute|make|create|what is|what's|what are|what was|what were|do we have|do i have|does it have|are there|is there|" +
  "for me|in total|in the file|in this file|in the data|in the table|in it|have|has|here is|here are|here's|attached is|same|still|figures|figure|results|result|numbers|also|first of all"
const CHINESE_FILLERS =
  "的|了|吧|呢|吗|啊|呀|一下|下|请问|请|麻烦|帮我|帮忙|帮|给我|给|我想知道|我想看看|我想看|我想要|我想|我要|能不能|能否|可以|可不可以|现在|那么|把|将|对|" +
  "进行|来|求|计算|算|统计|汇总|一共|总共|显示|列出|展示|查看|看|告诉我|找出|找|是多少|为多少|各自|分别|中|里|这些|其中|所有|全部|做|取|选|个|一张|一个|值|大小|高低|顺序|使用|用|列|面|先"

/** The end of a word in Latin letters or digits. */
const END = String.raw`(?![\p{Script=Latin}\p{N}_])`

const phrases = (list: string): ReadonlyArray<string> =>
  list === "" ? [] : list.split("|").toSorted((a, b) => b.length - a.length)

const escaped = (phrase: string): string => phrase.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/ /g, String.raw`\s+`)

/** The patterns of phrases by their first characters. */
type Phrases = ReadonlyMap<string, ReadonlyArray<RegExp>>

const phrasesOf = (english: string, chinese: string): Phrases => {
  const all = [
    ...phrases(english).map((phrase) => [phrase, escaped(phrase) + (/\w\.?$/.test(phrase) ? END : "")] as const),
    ...phrases(chinese).map((phrase) => [phrase, escaped(phrase)] as const)
  ]
  const byFirst = new Map<string, Array<RegExp>>()
  for (const [phrase, pattern] of all)
    byFirst.set(phrase.charAt(0), [...(byFirst.get(phrase.charAt(0)) ?? []), new RegExp(pattern, "uy")])
  return byFirst
}

const MEANINGS = new Map(
  Object.entries(WORDS).map(([meaning, [english, chinese]]) => [meaning, phrasesOf(english, chinese)])
)
const FILLER = phrasesOf(FILLERS, CHINESE_FILLERS)

const endsIn = (patterns: Phrases, text: string, at: number): ReadonlyArray<number> =>
  (patterns.get(text.charAt(at)) ?? NONE).flatMap((pattern) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    return found === null ? [] : [at + found[0].length]
  })

const NONE: ReadonlyArray<RegExp> = []

/** The ends of the phrases of a meaning that begin at a place, the longest first. */
export const phraseEnds = (meaning: Meaning, text: string, at: number): ReadonlyArray<number> =>
  endsIn(MEANINGS.get(meaning) ?? FILLER, text, at)

/** The ends of words that ask for nothing. */
export const fillerEnds = (text: string, at: number): ReadonlyArray<number> => endsIn(FILLER, text, at)

/** The end of the longest phrase of any meaning; undefined where none begins. */
export const knownEnd = (text: string, at: number): number | undefined => {
  const ends = [...MEANINGS.values(), FILLER].flatMap((patterns) => endsIn(patterns, text, at))
  return ends.length === 0 ? undefined : Math.max(...ends)
}
