import type { Language } from "../format/Language.ts"
import { simplified } from "../format/Simplified.ts"
import { wordsOf } from "../format/Words.ts"

/**
 * The language of a request; undefined without words. Names and values of the data may be in another language, so the
 * words of requests decide: "only rows where city is 上海" is English, and "按 city 统计 price" is Chinese.
 */
export const languageOf = (request: string): Language | undefined => {
  const text = request.replace(NO_WORDS, " ")
  if (KANA.test(text)) return "english"
  const english = wordsOf(text.replace(/\p{Script=Han}/gu, " ")).filter((word) => ENGLISH_WORDS.has(word)).length
  if (!/\p{Script=Han}/u.test(text)) return /\p{L}/u.test(text) ? "english" : undefined
  const chinese = simplified(text).match(CHINESE_WORDS)?.length ?? 0
  return chinese >= english ? "chinese" : "english"
}

/** Mentions, quoted texts and names of files. */
const NO_WORDS = /<[@#][!&]?\d+>|"[^"]*"|“[^”]*”|「[^」]*」|《[^》]*》|`[^`]*`|[\p{L}\p{N}_.-]+\.[a-z]{2,8}\b/giu

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Words that requests are made of, and that are seldom names. */
const ENGLISH_WORDS = new Set(
  (
    "a an the is are was were be do does did has have can could will would should what which who how many much when where why " +
    "please show give list get find tell make only just by per for with without of and or to from not on in at as than now again " +
    "all any some me it this that there chart plot graph draw describe explain summarise summarize analyse analyze compare average " +
    "total top bottom histogram look exclude filter keep remove drop reset help rows columns hello hi thanks thank"
  ).split(" ")
)
const CHINESE_WORDS =
  /统计|分析|描述|说明|解释|比较|求|总结|概括|概述|介绍|看看|显示|列出|画|图|表格|平均|总和|合计|求和|中位数|最[高低大小多少新]|排序|筛选|过滤|排除|去掉|只[看要有]|多少|什么|哪些|哪个|怎么|如何|为什么|请|帮|谢|你好|您好|[按每各把给让的了吗呢吧是有在和与或个行列条前第]/gu
