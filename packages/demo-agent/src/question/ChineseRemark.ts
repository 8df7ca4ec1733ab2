/** What follows thanks, praise or a greeting in a Chinese clause; undefined where the clause is none of them. */
export const remarkInChinese = (clause: string): string | undefined => {
  const text = clause.replace(SIGNS, "")
  if (COURTESY.test(text) || PRAISE.test(text)) return ""
  const thanks = THANKS.exec(clause.trim())
  if (thanks === null) return undefined
  const tail = clause.trim().slice(thanks[0].length)
  const also = AND_THEN.exec(tail)
  // "谢谢你帮我统计" is for what was done, and "谢谢帮我统计" asks for it.
  if (ABOUT.test(tail) || (/[你您]$/.test(thanks[0]) && tail.startsWith("帮我")))
    return also === null ? "" : tail.slice(also.index).replace(AND_THEN, "")
  return NAME.test(tail.trim()) || new RegExp(`^(?:${WORKS})$`, "u").test(tail.trim()) ? "" : tail
}

const SIGNS = /[^\p{L}\p{N}]+/gu

const COURTESIES =
  "你好|您好|大家好|嗨|哈喽|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早|很高兴认识(?:你|您)|初次见面|请多关照|" +
  "(?:非常|十分|万分|太|真的?)?(?:谢谢|多谢|感谢|谢)(?:你们?|您|大家|了)?|" +
  "没事|不用|不必|(?:真|太)?(?:你们?|您)?辛苦|再见|拜拜|回头见|好的?|行|明白|知道|了解|收到|没问题|可以|嗯+|" +
  "是的|对|没有|算了|抱歉|对不起|不好意思|哈+|呵+|哦+|帮了我?大忙|帮到我?"
const COURTESY = new RegExp(`^(?:(?:${COURTESIES})(?:了|啦|啊|呀|哦|呢|吧|哈|的|你们?|您|机器人)*)+$`, "u")

const WORKS = "图表?|表格?|总结|分析|报告|回答|解答|结果|统计"
/** Praise, also with what it is about: "这个总结很不错", "我很喜欢这张图". */
const PRAISE = new RegExp(
  `^(?:${WORKS}|这|那|你们?|您|我|它|个|些|份|张|幅|次|的|画|做|写|说|讲|得|真|很|太|非常|挺|特别|更|是|都|也|还|了|觉得|确实)*` +
    "(?:(?:棒|厉害|不错|完美|赞|给力|优秀|漂亮|清楚|清晰|好看|好用|有用|有帮助|有意思|喜欢|牛|专业|到位|好)了?)+" +
    `(?:${WORKS}|极|了|啦|啊|呀|哦|哈|的|呢|吧|这|那|个|份|张|幅)*$`,
  "u"
)

const THANKS =
  /^(?:好的?|嗯+|哦|太|真的?|非常|十分|万分|很|那|\s)*(?:谢谢|多谢|感谢|谢|辛苦)(?:你们?|您|啦|了|大家|各位|哈|啊)*/u
/** What somebody is thanked for. */
const ABOUT = /^\s*(?:的|对|为|这|那|提供|分享|帮(?:了|到|忙|助))/u
const AND_THEN = /(?:但是?|不过|然后|接着|再|请)/u
/** Somebody: a name in Latin letters, or a form of address. */
const NAME =
  /^(?:@?\p{Lu}[\p{Script=Latin}'.-]*|(?:小|老|阿)\p{Script=Han}|\p{Script=Han}{0,2}(?:老师|先生|女士|同学|哥|姐))?$/u
