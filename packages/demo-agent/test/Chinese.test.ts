import assert from "node:assert"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, it } from "vitest"
import { readCsv } from "@heddle/demo-agent/data/Csv"
import type { Table } from "@heddle/demo-agent/data/Table"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"
import { file, useAgents, type Harness } from "./support/Harness.ts"
import { ordersCsv } from "./support/Orders.ts"

const csv = `order_id,date,region,product,unit_price,quantity,城市
1,2024-01-05,EU,Chair,10,2,上海
2,2024-01-20,US,Desk,200,1,北京
3,2024-02-03,EU,Desk,190,3,上海
4,2024-02-14,APAC,Lamp,30,5,上海
5,2024-03-09,EU,Lamp,35,4,北京
6,2024-03-30,US,Chair,,1,北京
`
let table: Table
beforeAll(async () => {
  table = await readCsv(Buffer.from(csv), "orders.csv", new AbortController().signal)
})
const parse = (text: string) => parseRequest(text, { kind: "table", name: "orders.csv", table, isFromJson: false })
/** What a request asks for, without the sentences in its language. */
const ask = (text: string) => {
  const parsed = parse(text)
  assert.ok(parsed.kind !== "cannot", `${text}: ${JSON.stringify(parsed)}`)
  return parsed.kind === "help" ? "help" : parsed.parts.map((part) => ({ ...part, notes: [] }))
}

describe("a Chinese request", () => {
  it.each([
    ["总结一下", "summarise"],
    ["这个文件里有什么？", "what is in this file?"],
    ["请帮我分析这个数据", "analyse"],
    ["有多少行？", "how many rows"],
    ["有哪些列", "list columns"],
    ["缺失值", "missing values"],
    ["有哪些异常值？", "outliers"],
    ["有重复的行吗", "duplicates"],
    ["前 3 行", "first 3 rows"],
    ["显示前五行", "first 5 rows"],
    ["全部行", "all rows"],
    ["取消筛选", "all rows"],
    ["改成表格", "now as a table"],
    ["帮助", "help"],
    ["你能做什么？", "help"],
    ["只看 region 为 EU 的行", "only rows where region is EU"],
    ["只看上海的数据", "only 上海"],
    ["只看 unit_price 大于 100 的行", "only rows where unit_price > 100"],
    ["筛选 quantity 不少于 3 的记录", "only rows where quantity >= 3"],
    ["只看 quantity 在 2 和 4 之间的行", "only rows where quantity between 2 and 4"],
    ["只看 region 是 EU 或 APAC", "only rows where region is EU or APAC"],
    ["只看 region 为 EU 且 quantity 大于 2 的行", "only rows where region is EU and quantity > 2"],
    ["排除 region 为 EU 的行", "exclude rows where region is EU"],
    ["只看 unit_price 为空的行", "only rows where unit_price is missing"],
    ["只看 date 在 2024-02-14 之后的行", "only rows where date after 2024-02-14"],
    ["按月画 unit_price 的图", "chart unit_price by month"],
    ["画一张按 region 的 quantity 柱状图", "chart quantity by region"],
    ["画 region 的图", "chart region"],
    ["unit_price 的直方图", "histogram of unit_price"],
    ["quantity 的分布", "histogram of quantity"],
    ["unit_price 和 quantity 的散点图", "scatter unit_price vs quantity"],
    ["按月统计数量", "count by month"],
    ["按 region 统计 unit_price 和 quantity 的总和", "total unit_price and quantity by region"],
    ["按 region 统计平均 unit_price", "average unit_price by region"],
    ["每个城市的总 quantity 是多少？", "total quantity by 城市"],
    ["各 region 有多少行", "count by region"],
    ["quantity 最高的 2 行", "top 2 by quantity"],
    ["unit_price 最低的三行", "bottom 3 by unit_price"],
    ["quantity 最高的 2 个 region", "top 2 region by quantity"],
    ["描述 unit_price", "describe unit_price"],
    ["unit_price 的平均值是多少", "average unit_price"],
    ["quantity 的中位数", "median quantity"],
    ["只看 EU，然后画 quantity 的图", "only EU, then chart quantity"],
    ["按月画 price 的图", "chart price by month"],
    ["quantity 最低的一行", "bottom 1 by quantity"],
    ["按 region 统计平均 price，然后画 quantity 的分布图", "average price by region, then histogram of quantity"],
    ["按 unit_price 排前 5", "top 5 by unit_price"],
    ["按 unit_price 排名前五", "top 5 by unit_price"],
    ["unit_price 前 5", "top 5 by unit_price"],
    ["unit_price 排名前 3 的行", "top 3 by unit_price"],
    ["unit_price 最高的5行", "top 5 by unit_price"],
    ["quantity 最多的前三行", "top 3 by quantity"],
    ["quantity 后 3 名", "bottom 3 by quantity"],
    ["quantity 倒数 3 名", "bottom 3 by quantity"],
    ["按 quantity 从高到低排序", "sort by quantity descending"],
    ["按 quantity 降序排列", "sort by quantity descending"],
    ["按 quantity 从小到大排", "sort by quantity ascending"],
    ["按 quantity 升序", "sort by quantity ascending"],
    ["按 quantity 排序", "sort by quantity"],
    ["按 quantity 排序，取前 3 行", "top 3 by quantity"],
    ["按 quantity 从低到高排序，只要前 3 条", "bottom 3 by quantity"],
    ["按 quantity 从低到高取前 3", "bottom 3 by quantity"],
    ["把数据按 date 倒序排列", "sort by date descending"],
    ["date 最新的 2 行", "top 2 by date"],
    ["列出 quantity 最高的 2 个 region", "top 2 region by quantity"],
    ["给我看 quantity 前 2 的 region", "top 2 region by quantity"],
    ["显示 5 行", "first 5 rows"],
    ["只显示前 3 行", "first 3 rows"],
    ["unit_price 大于 100 的有几行", "how many rows where unit_price > 100"],
    ["region 为 EU 的有多少条记录？", "how many rows where region is EU"],
    ["按 region 统计 quantity", "quantity by region"],
    ["每个 region 的 quantity 统计", "quantity by region"],
    ["unit_price 为空的行", "only rows where unit_price is missing"],
    ["date 在 2024-02-14 之后的行", "only rows where date after 2024-02-14"],
    ["quantity 的平均值和中位数", "average and median quantity"],
    ["按 region 统计 quantity 的总和和平均值", "total and average quantity by region"],
    ["上海的总 quantity", "total quantity for 上海"],
    ["EU 的平均 unit_price 是多少", "average unit_price for EU"],
    ["region 为 EU 的总 quantity", "total quantity where region is EU"],
    ["上海每个 product 的总 quantity", "total quantity by product for 上海"],
    ["只看 2024-02 的数据", "only 2024-02"],
    ["總結一下", "summarise"],
    ["按月畫 quantity 的圖", "chart quantity by month"]
  ])("%s", (chinese, english) => {
    const expected = ask(english)
    assert.deepStrictEqual(
      Language.run("chinese", () => ask(chinese)),
      expected
    )
  })

  it.each([
    ["每个地区的总 quantity 是多少？", "地区"],
    ["weight 的平均值", "weight"],
    ["按月画 price 的图，然後統計 weight 的平均值", "weight"],
    ["总 quantity，按地区统计总 price", "地区"],
    ["只看 weight 为 5 的行，然后画 quantity 的图", "weight"],
    ["总 quantity，哪个仓库的总 price 最高", "仓库"],
    ["画 price 的图，明天天气怎么样？", "明天天气怎么样"],
    ["按 region 和城市统计总 quantity", "城市"]
  ])("%s: names in Chinese what it did not understand, and calculates nothing", (request, word) => {
    const parsed = Language.run("chinese", () => parse(request))
    assert.ok(parsed.kind === "cannot", JSON.stringify(parsed))
    assert.match(parsed.reason, new RegExp(`我没有看懂[^。]*${word}[^。]*所以什么也没有计算`))
    assert.deepStrictEqual(englishIn(parsed.reason), [])
  })

  it.each([
    ["只看 region 为 EU 的行", "chinese"],
    ["按 city 统计 count", "chinese"],
    ["only rows where city is 上海", "english"],
    ["chart 销售额 by 月份", "english"],
    ["what is in 订单.csv?", "english"],
    ["看看 orders.csv", "chinese"],
    ["把 price 按 region 求平均", "chinese"],
    ["上海", "chinese"],
    ["東京の売上は?", "english"],
    ["price", "english"],
    ["👍", undefined],
    ["", undefined]
  ])("%s is in the language %s", (request, language) => {
    assert.strictEqual(languageOf(request), language)
  })
})

const start = useAgents()

/** English sentences: three English words after each other, outside of code. */
const englishIn = (text: string): ReadonlyArray<string> =>
  text.replace(/`[^`]*`/g, " ").match(/[A-Za-z']{2,} [a-z']{2,} [a-z']{2,}/g) ?? []

/** All words that the agent has for people: messages, plans, steps, thoughts, permission requests, artifacts. */
const allWords = ({ artifacts, permissions, seen }: Harness): string =>
  [
    ...seen.flatMap(({ update }) => {
      if (update.sessionUpdate === "plan") return update.entries.map(({ content }) => content)
      if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
        return [update.title ?? "", ...(update.content ?? []).map((part) => JSON.stringify(part))]
      return "content" in update &&
        update.content !== null &&
        !Array.isArray(update.content) &&
        "text" in update.content
        ? [update.content.text]
        : []
    }),
    ...permissions.flatMap(({ options }) => options.map(({ name }) => name)),
    ...artifacts.map(({ artifact }) => `${String(artifact["title"])} ${String(artifact["text"])}`)
  ].join("\n")

const quoted = (answer: string): ReadonlyArray<string> =>
  [...answer.matchAll(/“([^”]*\p{Script=Han}[^”]*)”/gu)].map((match) => match[1] ?? "")

describe("an answer to a Chinese request", () => {
  it("is Chinese throughout: report, steps, captions, suggestions, and what is not understood", async () => {
    const agent = await start()
    const session = await agent.newSession()
    await agent.prompt(session, "这个文件里有什么？", file("orders.csv", ordersCsv(200)))
    const look = agent.heard()
    const suggestions = quoted(look).filter((each) => /只看|图|统计|表格/.test(each))
    assert.ok(suggestions.length >= 3, look)
    for (const suggestion of suggestions) {
      await agent.prompt(session, suggestion)
      const answer = agent.heard()
      assert.match(answer, /以上基于|行中有/, suggestion)
      assert.doesNotMatch(answer, /没有看懂/, suggestion)
    }
    for (const request of [
      "有哪些异常值？",
      "缺失值",
      "有重复的行吗",
      "有哪些列",
      "总 price",
      "描述 region",
      "描述 date",
      "price 最高的 3 行",
      "前 3 行",
      "明天天气怎么样？",
      "只看 nothing 大于 5 的行",
      "全部行",
      "帮助",
      "看看 missing.csv"
    ])
      await agent.prompt(session, request)
    assert.match(agent.heard(), /我没有看懂/)
    const report = readFileSync(join(agent.cwd, "artifacts/report.md"), "utf8")
    assert.deepStrictEqual(englishIn(`${allWords(agent)}\n${report}`), [])
    assert.ok(readdirSync(join(agent.cwd, "artifacts")).some((name) => name.endsWith(".png")))
  })

  it("is Chinese also about texts, JSON, and what cannot be read", async () => {
    const agent = await start()
    const files = [
      file(
        "notes.md",
        "# 计划\n\n- [ ] 写\n- [x] 读\n\n见 [链接](https://example.com) 计划 计划 读 读\n\n## 其他\n\n文字 文字"
      ),
      file("a.json", '{"a":{"b":1}}'),
      file("broken.json", '{"a":'),
      file("picture.png", Buffer.from("89504e470d0a1a0a00", "hex")),
      file("empty.csv", "")
    ]
    for (const each of files) {
      const session = await agent.newSession()
      await agent.prompt(session, "总结", each)
      for (const request of ["标题", "列出未完成的事项", "字数", "结构", "画高频词的图"])
        await agent.prompt(session, request)
    }
    assert.deepStrictEqual(englishIn(allWords(agent)), [])
  })

  it("follows the language of each request, also for data that was read before", async () => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    await agent.prompt(session, "look", file("a.csv", "day,price\n13.01.2024,5\n14.02.2024,6\n"))
    assert.match(agent.heard(), /dates are read as day\.month\.year/)
    await agent.prompt(session, "描述 day")
    const chinese = agent.heard()
    assert.match(chinese, /日期按日\.月\.年读取/)
    assert.deepStrictEqual(englishIn(chinese), [])
    await agent.prompt(session, "only rows where price is 5")
    assert.match(agent.heard(), /1 of 2 rows fits/)
    await agent.prompt(session, "👍")
    assert.match(agent.heard(), /You are welcome/)
  })

  it.each([
    ["你好", /^你好！/],
    ["谢谢！", /^不客气！/],
    ["hello", /^Hello!/],
    ["thanks a lot", /^You are welcome/]
  ])("%s is a sentence, without a report, and free", async (words, answer) => {
    const agent = await start()
    const session = await agent.newSession()
    const first = await agent.prompt(session, words)
    assert.match(agent.heard(), answer)
    assert.deepStrictEqual(first._meta, { "heddle/free": true })
    await agent.prompt(session, "look", file("a.csv", "a,b\n1,x\n2,y\n"))
    agent.heard()
    const { _meta: later } = await agent.prompt(session, words)
    assert.match(agent.heard(), answer)
    assert.deepStrictEqual(later, { "heddle/free": true })
    assert.strictEqual((await agent.prompt(session, "how many rows?"))._meta, undefined)
  })
})
