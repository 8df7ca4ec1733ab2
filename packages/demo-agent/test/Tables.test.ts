import assert from "node:assert"
import { describe, it } from "vitest"
import { analyse } from "@heddle/demo-agent/answer/Analyse"
import { subjectOf } from "@heddle/demo-agent/answer/Analysis"
import { readData } from "@heddle/demo-agent/data/DataFile"
import * as Language from "@heddle/demo-agent/format/Language"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const signal = new AbortController().signal

const answerTo = (source: string, request: string, name = "data.csv"): Promise<string> =>
  Language.run(languageOf(request) ?? "english", async () => {
    const data = await readData(Buffer.from(source), name, undefined, signal)
    const parsed = parseRequest(request, subjectOf(data), false)
    const { messages } = await analyse(data, parsed, parsed.filters, signal)
    return messages.join("\n\n")
  })

/** The cells of each line of the first table of an answer, without the line below the header. */
const tableOf = (answer: string): ReadonlyArray<ReadonlyArray<string>> =>
  (/(?:^\|.*\n?)+/m.exec(answer)?.[0] ?? "")
    .trim()
    .split("\n")
    .filter((_, line) => line !== 1)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("\\", ""))
    )

const widthOf = (rows: ReadonlyArray<ReadonlyArray<string>>): number =>
  (rows[0] ?? []).reduce((sum, _, column) => sum + Math.max(...rows.map((row) => row[column]?.length ?? 0)) + 2, -2)

const countries = ["Germany", "France", "United Kingdom of Great Britain"]
const wide = [
  "order_id,order_date,customer_name,city,country,product,category,quantity,unit_price,status",
  ...Array.from({ length: 30 }, (_, n) =>
    [
      `A-${1000 + n}`,
      `2024-03-${String((n % 28) + 1).padStart(2, "0")}`,
      `Customer number ${n}`,
      ["Bonn", "Paris", "London"][n % 3],
      countries[n % 3],
      "Oak table with six chairs",
      "Furniture",
      n + 1,
      (n * 37.5).toFixed(2),
      "delivered"
    ].join(",")
  )
].join("\n")

describe("ten columns", () => {
  it.each(["show as a table", "top 10 by unit_price", "first 5 rows", "now as a table"])(
    "%s: are one table that a screen shows, and say once what is left out",
    async (request) => {
      const answer = await answerTo(wide, request)
      const rows = tableOf(answer)
      assert.ok(rows[0]!.length >= 8, answer)
      assert.ok(widthOf(rows) <= 78, answer)
      assert.match(answer, /“…” stands for the rest of a text\._$/)
      assert.ok((answer.match(/left out/gi) ?? []).length <= 1, answer)
      // Figures and dates are whole.
      const price = rows[0]!.findIndex((name) => name.startsWith("unit"))
      if (price >= 0) for (const row of rows.slice(1)) assert.match(row[price]!, /^[\d,.]+$/)
      for (const row of rows.slice(1)) assert.match(row[1]!, /^2024-03-\d\d$/)
    }
  )

  it("keep the column that they are ranked by", async () => {
    const many = wide.replaceAll(/^(.*)$/gm, (line, _, at) => `${"x,".repeat(20)}${at === 0 ? line : line}`)
    assert.ok(tableOf(await answerTo(many, "top 10 by unit_price"))[0]!.some((name) => name.startsWith("unit")))
  })
})

describe("a few columns", () => {
  it("are as narrow as a phone, also with long and with Chinese texts", async () => {
    const note = "a longer note that says what the order is about"
    const rows = tableOf(await answerTo(`city,note,price\nBonn,${note},5\nUlm,${note},7\n`, "as a table"))
    assert.ok(widthOf(rows) <= 40, JSON.stringify(rows))
    assert.strictEqual(rows[0]!.length, 3)
    const chinese = "这是一个很长的关于订单内容的说明文字还有更多"
    const answer = await answerTo(`城市,说明,价格\n波恩,${chinese},5\n乌尔姆,${chinese},7\n`, "改成表格")
    const cut = tableOf(answer)[1]![1]!
    assert.match(cut, /^这是一个.*…$/)
    assert.ok(cut.length <= 13, cut)
  })
})

describe("the paths of a JSON document", () => {
  it("are a table as narrow as a phone", async () => {
    const deep = {
      customer: { address: { city: { name: "Bonn", code: "53111" }, location: { latitude: 5, longitude: null } } }
    }
    const answer = await answerTo(
      JSON.stringify({ version: 1, settings: deep, title: "Orders" }),
      "what is in this?",
      "a.json"
    )
    const rows = tableOf(answer)
    assert.ok(rows.length > 3 && rows[0]![0] === "Path", answer)
    assert.ok(widthOf(rows) <= 40, answer)
    assert.ok(
      rows.some(([path]) => /^….*city\.name$/.test(path!)),
      answer
    )
  })
})
