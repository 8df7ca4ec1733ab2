import assert from "node:assert"
import { writeFileSync } from "node:fs"
import { describe, it } from "vitest"
import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { scopesOf, subjectOf } from "@heddle/demo-agent/answer/Analysis"
import type { Chart } from "@heddle/demo-agent/chart/Chart"
import { renderChart } from "@heddle/demo-agent/chart/ChartImage"
import { readData } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const signal = new AbortController().signal

const chartFor = (request: string, text: string, name = "data.csv"): Promise<Chart> =>
  Language.run(languageOf(request) ?? "english", async () => {
    const data = await readData(Buffer.from(text), name, undefined, signal)
    const parsed = parseRequest(request, subjectOf(data))
    assert.ok(parsed.kind === "parts", request)
    const { charts } = await analyse(data, parsed.parts, scopesOf([], parsed.parts).ofParts, signal)
    assert.ok(charts[0], request)
    return charts[0].chart
  })

/** All words that a picture shows besides the values. */
const wordsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(wordsIn)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "string" ? (/^(?:title|text|subtitle|label)$/.test(key) ? [each] : []) : wordsIn(each)
  )
}

const csv = `city,day,price,size\n${Array.from({ length: 60 }, (_, i) => `${i % 7 === 0 ? "" : `c${i % 25}`},2024-0${1 + (i % 9)}-03,${i === 9 ? 9000 : i},${i * 3}`).join("\n")}\n`

describe("the words inside a chart", () => {
  it.each([
    ["按月画 price 的图", ["按月的平均 price", "平均 price", "day"]],
    ["按 city 画总 price 的图", ["按 city 的总 price", "总 price", "city", "25 组中最大的 20 组"]],
    ["price 的直方图", ["price 的分布", "行数", "图外有 1 个极端值"]],
    ["price 和 size 的散点图", ["price 与 size", "图外有 1 个极端点"]],
    ["只看 size 大于 9，然后画 city 的图", ["仅 size > 9", "行没有 city，未画出"]]
  ])("%s: are Chinese", async (request, expected) => {
    const words = wordsIn((await chartFor(request, csv)).spec).join("\n")
    for (const each of expected) assert.ok(words.includes(each), `${each} in ${words}`)
    assert.doesNotMatch(words, /\b(?:by|of|total|average|only|without|rows?|number|Distribution|missing|value)\b/i)
  })

  it("are Chinese about a text, too, and files keep their English names", async () => {
    const chart = await chartFor("画高频词的图", "alpha alpha alpha beta beta beta gamma gamma", "notes.md")
    assert.deepStrictEqual([chart.title, chart.slug], ["高频词", "most-frequent-words"])
    assert.ok(wordsIn(chart.spec).includes("次数"))
  })

  it("stand without a space before a Chinese name", async () => {
    const chart = await chartFor("按城市画总价格的图", "城市,价格\n北京,5\n上海,6\n")
    assert.strictEqual(chart.title, "按城市的总价格")
  })

  it("are English for an English request, whatever the names are", async () => {
    const chart = await chartFor("chart total 价格 by 城市", "城市,价格\n北京,5\n上海,6\n北京,7\n")
    assert.ok(wordsIn(chart.spec).includes("Total 价格 by 城市"), wordsIn(chart.spec).join("\n"))
  })

  it("are drawn with a font that has them", async () => {
    const draw = async (label: string) => {
      const chart = await chartFor("按城市画总价格的图", `城市,价格\n${label},5\n上海,6\n`)
      return (await renderChart(chart, signal)).png
    }
    // Without the font, each character would be the same empty box.
    const picture = await draw("北京")
    if (process.env["PICTURE"] !== undefined) writeFileSync(process.env["PICTURE"], picture)
    assert.notDeepStrictEqual(await draw("深圳"), picture)
  })
})
