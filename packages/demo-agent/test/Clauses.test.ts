import assert from "node:assert"
import { beforeAll, describe, it } from "vitest"
import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { scopesOf, subjectOf } from "@heddle/demo-agent/answer/Analysis"
import { readData, type Data } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const signal = new AbortController().signal

interface Row {
  readonly city: string
  readonly kind: string
  readonly month: string
  readonly net: number | undefined
  readonly size: number
}

/** Random numbers that are the same in each run. */
const random = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 4294967296
  }
  return {
    next,
    pick: <A>(items: ReadonlyArray<A>): A => items[Math.floor(next() * items.length)] as A
  }
}

const cities = ["Bonn", "Ulm", "Kiel"]
const kinds = ["new", "old"]
const dice = random(7)
const rows: ReadonlyArray<Row> = Array.from({ length: 40 }, () => ({
  city: dice.pick(cities),
  kind: dice.pick(kinds),
  month: dice.pick(["2024-01", "2024-02", "2024-03"]),
  net: dice.next() < 0.1 ? undefined : Math.floor(dice.next() * 100),
  size: Math.floor(dice.next() * 10)
}))
const csv = `city,kind,day,net,size\n${rows.map(({ city, kind, month, net, size }) => `${city},${kind},${month}-05,${net ?? ""},${size}`).join("\n")}\n`
let data: Data
beforeAll(async () => {
  data = await readData(Buffer.from(csv), "a.csv", undefined, signal)
})

type Calculation = readonly [english: string, chinese: string, of: (values: ReadonlyArray<number>) => number]
type Group = readonly [english: string, chinese: string, of: (row: Row) => string]
type Condition = readonly [english: string, chinese: string, holds: (row: Row) => boolean]

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)
const calculations: ReadonlyArray<Calculation> = [
  ["total", "总", sum],
  ["average", "平均", (values) => sum(values) / values.length],
  ["highest", "最高", (values) => Math.max(...values)],
  ["lowest", "最低", (values) => Math.min(...values)]
]
const groups: ReadonlyArray<Group | undefined> = [
  undefined,
  ["by city", "按 city", ({ city }) => city],
  ["per kind", "每个 kind", ({ kind }) => kind],
  ["by month", "按月", ({ month }) => month]
]
const conditions: ReadonlyArray<Condition | undefined> = [
  undefined,
  ["where city is Bonn", "city 为 Bonn 的", ({ city }) => city === "Bonn"],
  ["for Ulm", "Ulm 的", ({ city }) => city === "Ulm"],
  ["where size > 4", "size 大于 4 的", ({ size }) => size > 4],
  ["excluding old", "排除 kind 为 old 的", ({ kind }) => kind !== "old"],
  [
    "where city is Kiel and size at most 6",
    "city 为 Kiel 且 size 不超过 6 的",
    ({ city, size }) => city === "Kiel" && size <= 6
  ]
]
const columnLists: ReadonlyArray<ReadonlyArray<"net" | "size">> = [["net"], ["size"], ["net", "size"], ["size", "net"]]

const shown = (value: number): string =>
  Number.isInteger(value)
    ? value.toLocaleString("en-US")
    : value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) >= 1 ? 2 : 4 })

/** What the answer must hold: each figure, calculated here from the rows alone. */
const expectedFigures = (
  columns: ReadonlyArray<"net" | "size">,
  [, , calculate]: Calculation,
  group: Group | undefined,
  condition: Condition | undefined
): ReadonlyArray<string> => {
  const kept = rows.filter((row) => condition === undefined || condition[2](row))
  return columns.flatMap((column) => {
    const valuesOf = (some: ReadonlyArray<Row>) => some.map((row) => row[column]).filter((value) => value !== undefined)
    if (group === undefined) return valuesOf(kept).length === 0 ? [] : [`**${shown(calculate(valuesOf(kept)))}**`]
    return [...new Set(kept.map(group[2]))].flatMap((label) => {
      const values = valuesOf(kept.filter((row) => group[2](row) === label))
      return values.length === 0 ? [] : [`| ${label} | ${shown(calculate(values))} | ${values.length} |`]
    })
  })
}

const answerTo = async (request: string, language: Language.Language) =>
  Language.run(language, async () => {
    const parsed = parseRequest(request, subjectOf(data))
    if (parsed.kind !== "parts")
      return { answer: parsed.kind === "cannot" ? parsed.reason : "help", isCalculated: false }
    const { messages, summary } = await analyse(data, parsed.parts, scopesOf([], parsed.parts).ofParts, signal)
    return { answer: [...messages, summary].join("\n\n"), isCalculated: true }
  })

const unknown = ["blorp", "quickly2", "purple", "moon", "discounted", "estimated", "weather", "Frankfurt", "sideways"]
const chineseUnknown = ["蓝鲸", "月亮", "估计", "打折"]

const cases = (() => {
  const { next, pick } = random(231_123)
  return Array.from({ length: 300 }, () => {
    const [columns, calculation, group, condition] = [
      pick(columnLists),
      pick(calculations),
      pick(groups),
      pick(conditions)
    ]
    const language = pick(["english", "chinese"] as const)
    const words =
      language === "english"
        ? [
            calculation[0],
            columns.join(" and "),
            ...(next() < 0.5 ? [group?.[0], condition?.[0]] : [condition?.[0], group?.[0]])
          ]
        : [condition?.[1], group?.[1], pick(["统计", ""]), calculation[1], columns.join(" 和 ")]
    const pieces = words.flatMap((each) => (each === undefined || each === "" ? [] : each.split(" ")))
    return {
      columns,
      calculation,
      group,
      condition,
      language,
      pieces,
      place: Math.floor(next() * (pieces.length + 1)),
      next
    }
  })
})()

describe("a random request", () => {
  it("is calculated as it is here, and says so", async () => {
    for (const { calculation, columns, condition, group, language, pieces } of cases) {
      const request = pieces.join(" ")
      const { answer, isCalculated } = await answerTo(request, language)
      assert.ok(isCalculated, `${request}: ${answer}`)
      const figures = expectedFigures(columns, calculation, group, condition)
      for (const figure of figures) assert.ok(answer.includes(figure), `${request}\n${figure}\n${answer}`)
      for (const column of columns) assert.ok(figures.length === 0 || answer.includes(`**${column}**`), request)
      const count = rows.filter((row) => condition === undefined || condition[2](row)).length
      assert.match(
        answer,
        condition === undefined
          ? /all 40 rows|全部 40 行/
          : new RegExp(`Based on ${count} rows? where|中符合“[^”]*”的 ${count} 行`),
        request
      )
    }
  })

  it("with an unknown word anywhere is not calculated, and the word is named", async () => {
    const { pick } = random(19)
    for (const { language, pieces, place } of cases) {
      const word = pick(language === "english" ? unknown : chineseUnknown)
      const request = [...pieces.slice(0, place), word, ...pieces.slice(place)].join(" ")
      const { answer, isCalculated } = await answerTo(request, language)
      assert.ok(!isCalculated, `${request}: ${answer}`)
      assert.match(answer, new RegExp(`“[^”]*${word}[^”]*”`), request)
      assert.match(answer, /calculated nothing|什么也没有计算/)
      assert.doesNotMatch(answer, /\d{2}|\|/, request)
    }
  })

  it("with a word of requests too many is calculated as a whole, or not at all", async () => {
    const { pick } = random(23)
    for (const { language, pieces, place } of cases.filter(({ language }) => language === "english")) {
      const word = pick([
        "not",
        "by",
        "and",
        "only",
        "total",
        "chart",
        "or",
        "without",
        "over",
        "Kiel",
        "net",
        "month",
        "2024",
        "7",
        "top 2"
      ])
      const request = [...pieces.slice(0, place), word, ...pieces.slice(place)].join(" ")
      const { answer, isCalculated } = await answerTo(request, language)
      if (!isCalculated) continue
      // Whatever was read, the word is in the answer: it had a part in it.
      const parsed = parseRequest(request, subjectOf(data))
      const said = `${answer} ${JSON.stringify(parsed)}`
      const trace: Readonly<Record<string, RegExp>> = {
        not: /is not|not /,
        chart: /chart/,
        Kiel: /Kiel/,
        net: /\bnet\b/,
        "2024": /2024/,
        "7": /\b7\b/,
        total: /[Tt]otal/,
        "top 2": /largest|"limit":2/,
        month: /month/
      }
      if (trace[word] !== undefined) assert.match(said, trace[word], `${request}: ${answer}`)
    }
  })
})
