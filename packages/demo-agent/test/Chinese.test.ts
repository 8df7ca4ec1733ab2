import assert from "node:assert"
import { describe, it } from "vitest"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { answerTo } from "./support/Answer.ts"

const csv =
  "订单编号,下单日期,城市,单价,数量\nA-1,2024-01-03,北京,5,3\nA-2,2024-02-03,上海,6,2\nA-3,2024-02-04,北京,6,1\n合计,,,17,6\n"

describe("a request in Chinese", () => {
  it.each<readonly [request: string, expected: RegExp]>([
    ["有多少行？", /共 3 行。/],
    ["按城市统计行数", /\| 北京 \| 2 \|/],
    ["各城市的总单价", /\| 北京 \| 11 \|/],
    ["每个城市的平均单价是多少？", /\| 北京 \| 5\.5 \|/],
    ["请按城市统计单价和数量的总和", /\| 北京 \| 11 \| 4 \|/],
    ["单价的中位数", /\*\*6\*\*（共 3 个值）/],
    ["按月统计总数量", /\| 2024-02 \| 3 \|/],
    ["哪个城市的单价最高？", /\*\*城市\*\* 是\*\*北京\*\*：11/],
    ["哪个城市的行数最多", /\*\*北京\*\*：2/],
    ["画图", /\[picture: 按下单日期的平均单价\]/],
    ["按月畫單價的圖", /\[picture: 按月的平均单价\]/],
    ["画一张各城市的总数量的柱状图", /\[picture: 按城市的总数量\]/],
    ["单价最高的两行", /\| A-2 \|[^]*\| A-3 \|[^]*另外 1 行/],
    ["按单价排前2", /\| A-2 \|[^]*\| A-3 \|/],
    ["按单价从高到低排序", /A-2[^]*A-3[^]*A-1/],
    ["前 2 行", /\| A-2 \|/],
    ["只看城市为北京的行", /3 行中有 2 行符合[^]*符合“城市 为 北京”的 2 行/],
    ["总数量，其中单价大于 5", /\*\*3\*\*/],
    ["有多少行，其中下单日期是2024年2月", /3 行中有 2 行符合/],
    ["按城市统计行数，然后画图", /\| 北京 \| 2 \|[^]*\[picture/],
    ["这个文件里有什么？", /有 3 行 5 列[^]*\| 单价 \| 数字 \| 0 \| 5 到 6 \|/],
    ["帮我分析一下这份数据", /有 3 行 5 列/],
    ["请帮我看看数据里有什么", /有 3 行 5 列/],
    ["你好！请分析一下这份数据，谢谢", /有 3 行 5 列/],
    ["谢谢，有多少行？", /共 3 行。/]
  ])("%s", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
    assert.match(answer, /1 行像是合计（“合计”），没有计入/)
    assert.doesNotMatch(answer.replaceAll("data.csv", "").replaceAll("picture", "").replace(/A-\d/g, ""), /[A-Za-z]{2}/)
  })

  it.each(["今天天气怎么样", "各省份的总单价", "城市是广州的总单价", "单价翻译成英文"])(
    "%s: is refused in Chinese",
    async (request) => {
      const answer = await answerTo(csv, request)
      assert.match(answer, /没有看懂“[^]*什么也没有计算。[^]*例如可以说“按 城市 统计总 单价”/)
      assert.doesNotMatch(answer, /[A-Za-z]{2}/)
    }
  )

  it("is told by its words, not by names and values", () => {
    assert.strictEqual(languageOf("only rows where city is 上海"), "english")
    assert.strictEqual(languageOf("按 city 统计平均 price"), "chinese")
    assert.strictEqual(languageOf("統計行數"), "chinese")
    assert.strictEqual(languageOf("👍"), undefined)
  })
})
