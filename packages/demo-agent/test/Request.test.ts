import assert from "node:assert"
import { beforeAll, describe, it } from "vitest"
import { answerAboutTable } from "@heddle/demo-agent/answer/TableAnswer"
import { readCsv } from "@heddle/demo-agent/data/Csv"
import { applyFilters, describeFilters, mergeFilters, type Filter } from "@heddle/demo-agent/data/Filter"
import type { Table } from "@heddle/demo-agent/data/Table"
import { parseFilter } from "@heddle/demo-agent/question/FilterParser"
import type { ParsedRequest } from "@heddle/demo-agent/question/Intent"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"

const csv = `order_id,date,region,product,unit_price,quantity,Shipping Price
1,2024-01-05,EU,Chair,10,2,1
2,2024-01-20,US,Desk,200,1,2
3,2024-02-03,EU,Desk,190,3,3
4,2024-02-14,APAC,Lamp,30,5,
5,2024-03-09,EU,Lamp,35,4,5
6,2024-03-30,US,Chair,,1,6
`
const signal = new AbortController().signal
let table: Table
beforeAll(async () => {
  table = await readCsv(Buffer.from(csv), "orders.csv", signal)
})
const ask = (text: string, fresh = false): ParsedRequest =>
  parseRequest(text, { kind: "table", table, isFromJson: false }, fresh)
const rowsOf = (filters: ReadonlyArray<Filter>): ReadonlyArray<number> =>
  [...applyFilters(table, filters)].map((row) => row + 1)

describe("filters", () => {
  it.each([
    ["only rows where region is EU", [1, 3, 5]],
    ["region = eu", [1, 3, 5]],
    ["only EU", [1, 3, 5]],
    ["just the EU rows", [1, 3, 5]],
    ["rows where unit_price > 100", [2, 3]],
    ["only unit price at least 190", [2, 3]],
    ["keep rows with quantity between 2 and 4", [1, 3, 5]],
    ["only where product contains am", [4, 5]],
    ["filter by region is EU and quantity > 2", [3, 5]],
    ["only EU or APAC", [1, 3, 4, 5]],
    ["only region is EU, APAC", [1, 3, 4, 5]],
    ["rows where date is 2024-02", [3, 4]],
    ["only date after 2024-02-14", [5, 6]],
    ["only date before February 2024", [1, 2]],
    ["exclude region EU", [2, 4, 6]],
    ["only rows where unit_price is missing", [6]],
    ["only rows where product is not Chair", [2, 3, 4, 5]],
    ['only rows where product starts with "De"', [2, 3]],
    ["only qantity is 1", [2, 6]],
    ["region: EU", [1, 3, 5]],
    ["only 2024-02", [3, 4]],
    ["only February 2024", [3, 4]],
    ["only 2024", [1, 2, 3, 4, 5, 6]],
    ["only rows where date is after 2024-01-20 and before 2024-03-30", [3, 4, 5]],
    ["only rows where region is EU or APAC, and quantity > 2", [3, 4, 5]]
  ])("%s", (text, rows) => {
    const parsed = ask(text)
    assert.strictEqual(parsed.intent.kind, "rows", JSON.stringify(parsed))
    assert.deepStrictEqual(rowsOf(parsed.filters), rows)
  })

  it.each([
    ["only EU and APAC", [1, 3, 4, 5]],
    ["only Chair and Desk", [1, 2, 3, 6]],
    ["total quantity for EU and US", [1, 2, 3, 5, 6]],
    ["exclude EU and US", [4]],
    ["only EU and Chair", [1]],
    ["only region is EU and region is US", []]
  ])("%s: values of one column are alternatives", (text, rows) => {
    const parsed = ask(text)
    assert.deepStrictEqual(rowsOf(parsed.filters), rows, JSON.stringify(parsed))
    if (!/Chair$|is US$|exclude/.test(text)) assert.match(parsed.notes.join(), /either|any of them/)
  })

  it("explains how it read a mixed condition", () => {
    const parsed = ask("only EU and unit_price > 100 or quantity is 2")
    assert.match(parsed.notes.join(), /region is EU and \(unit_price > 100 or quantity is 2\)/)
  })

  it.each([
    ["only rows where colour is red", /no column “colour”|neither a column nor a value/],
    ["only rows where unit_price > cheap", /“cheap” is not a number/],
    ["only rows where region > 5", /holds words/],
    ["only rows where date is someday", /“someday” is not a date/],
    ["only Mars", /neither a column nor a value/],
    ["only rows where region is Mars", /\*\*region\*\* has no value “Mars”[^]*EU, US and APAC/],
    ["average quantity where region is Mars", /no value “Mars”/],
    ["how many rows where product is Sofa", /no value “Sofa”/]
  ])("explains why %s is impossible", (text, reason) => {
    const { intent } = ask(text)
    assert.ok(intent.kind === "cannot")
    assert.match(intent.reason, reason)
  })

  it("replaces a filter on the same value and narrows otherwise", () => {
    const filters = (text: string): ReadonlyArray<Filter> => {
      const parsed = parseFilter(text, table)
      assert.ok(parsed.ok)
      return parsed.filters
    }
    const eu = filters("region is EU")
    assert.strictEqual(
      describeFilters(mergeFilters(eu, filters("quantity > 2")).filters),
      "region is EU and quantity > 2"
    )
    const moved = mergeFilters(eu, filters("region is US"))
    assert.strictEqual(describeFilters(moved.filters), "region is US")
    assert.strictEqual(moved.replaced.length, 1)
  })

  it("drops the filters on request", () => {
    for (const text of ["all rows", "reset", "show all rows again", "remove the filters", "no filter"])
      assert.strictEqual(ask(text).reset, true, text)
  })
})

describe("charts", () => {
  it.each([
    ["chart unit price by month", { mark: "line", by: 1, column: 4, measure: "mean", step: "month" }],
    ["plot total quantity per week", { mark: "line", by: 1, column: 5, measure: "sum", step: "week" }],
    ["chart quantity by region", { mark: "bar", by: 2, step: "month", column: 5, measure: "sum" }],
    [
      "Can you please draw a bar chart of product?",
      { mark: "bar", by: 3, step: "month", column: undefined, measure: "count" }
    ],
    ["histogram of unit_price", { mark: "histogram", column: 4 }],
    ["chart unit_price vs quantity", { mark: "scatter", x: 5, y: 4 }],
    ["chart the number of rows per region", { mark: "bar", by: 2, step: "month", column: undefined, measure: "count" }],
    ["chart orders by month", { mark: "line", by: 1, column: undefined, measure: "count", step: "month" }]
  ])("%s", (text, plan) => {
    const { intent } = ask(text)
    assert.ok(intent.kind === "chart", JSON.stringify(intent))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(intent.plan)), JSON.parse(JSON.stringify(plan)))
  })

  it("names the largest column and its rule", () => {
    const { intent, notes } = ask("chart the largest column")
    assert.deepStrictEqual(intent, { kind: "chart", plan: { mark: "histogram", column: 4 } })
    assert.match(notes.join(), /unit_price.*largest sum \(465\).*order_id.*identifier/)
  })

  it("reports a name that matches several columns", () => {
    const { intent, notes } = ask("histogram of price")
    assert.deepStrictEqual(intent, { kind: "chart", plan: { mark: "histogram", column: 4 } })
    assert.match(notes.join(), /Shipping Price.* would fit as well/)
  })

  it("filters and draws in one request", () => {
    for (const text of [
      "chart quantity by month for EU",
      "chart quantity by month where region is EU",
      "chart quantity by month, only EU"
    ]) {
      const { intent, filters } = ask(text)
      assert.strictEqual(intent.kind, "chart", text)
      assert.deepStrictEqual(rowsOf(filters), [1, 3, 5], text)
    }
  })
})

describe("requests of several parts", () => {
  it.each([
    ["all rows again, chart average price by region", "chart", []],
    ["all rows: average price by region", "measure", []],
    ["all rows, then how many rows and outliers", "count", ["outliers"]],
    ["chart quantity by region for all rows", "chart", []],
    ["show all rows again", "rows", []]
  ])("%s removes the filter and does the rest", (text, intent, also) => {
    const parsed = ask(text)
    assert.strictEqual(parsed.reset, true)
    assert.strictEqual(parsed.intent.kind, intent)
    assert.deepStrictEqual(
      (parsed.otherIntents ?? []).map((other) => other.kind),
      also
    )
    assert.doesNotMatch(parsed.notes.join(), /left out/)
  })

  it.each([
    ["all rows, sing a song", "rows", /left out “sing a song”: I did not understand it/],
    ["chart quantity by month and email it to Bob", "chart", /left out “email it to Bob”/],
    ["summarise this and list the open items", "profile", /left out “list the open items”/],
    ["how many rows, and histogram of colour", "count", /left out “histogram of colour”: I found no column “colour”/],
    ["chart quantity by region and chart unit_price by month", "chart", /one chart at a time/]
  ])("%s names the omitted parts", (text, intent, note) => {
    const parsed = ask(text)
    assert.strictEqual(parsed.intent.kind, intent)
    assert.match(parsed.notes.join("\n"), note)
  })

  it("reads two measures of one column as two figures", () => {
    const parsed = ask("average and median of quantity")
    assert.deepStrictEqual(
      [parsed.intent, ...(parsed.otherIntents ?? [])].map((intent) => intent.kind === "measure" && intent.measure),
      ["mean", "median"]
    )
    assert.doesNotMatch(parsed.notes.join(), /left out/)
  })

  it("splits a request only between its parts", () => {
    assert.deepStrictEqual(rowsOf(ask("only EU and count rows").filters), [1, 3, 5])
    assert.deepStrictEqual(rowsOf(ask("chart quantity by month, EU").filters), [1, 3, 5])
    assert.deepStrictEqual(rowsOf(ask("all rows, only US").filters), [2, 6])
    assert.strictEqual(ask("only EU and Mars").intent.kind, "cannot")
    assert.strictEqual(ask("compare EU and US").intent.kind, "cannot")
    assert.strictEqual(ask("write me a poem and sing it").intent.kind, "cannot")
    assert.deepStrictEqual(ask("Here is my file, how many rows?").notes, [])
    assert.deepStrictEqual(ask("summarise and chart quantity by region").intent, {
      kind: "profile",
      plan: { mark: "bar", by: 2, step: "month", column: 5, measure: "sum" }
    })
  })
})

describe("what a request says beside its figure", () => {
  it.each([
    ["how many products by region", /counted rows; \*\*product\*\* may be in several/],
    ["purchases where quantity > 2", /left out “purchases”/],
    ["customers with quantity > 2", /left out “customers”/]
  ])("%s: is told", (text, note) => assert.match(ask(text).notes.join("\n"), note))

  it("is nothing where each row has its own value", () =>
    assert.deepStrictEqual(ask("how many orders per region").notes, []))
})

describe("a count", () => {
  it.each(["how many customers?", "how many paid orders are there?", "number of refunds", "count the returns"])(
    "%s: is no count of rows where it names something else",
    (text) => {
      const { intent } = ask(text)
      assert.ok(intent.kind === "cannot", JSON.stringify(intent))
      assert.match(intent.reason, /customers|paid orders|refunds|returns/)
    }
  )

  it.each(["how many rows?", "how many entries are there?", "number of rows", "how many?", "count"])(
    "%s: is one of rows",
    (text) => assert.strictEqual(ask(text).intent.kind, "count")
  )
})

describe("a condition on a column named like a measure", () => {
  it.each([
    ["Total > 15", 2],
    ["total over 15", 2],
    ["orders where total > 15", 2],
    ["total >= 20", 2],
    ["count < 3", 1],
    ["only rows where total > 15", 2]
  ])("%s", async (text, rows) => {
    const source = await readCsv(Buffer.from("order,Total,count\n1,10,2\n2,20,3\n3,40,4\n"), "a.csv", signal)
    const { filters, intent } = parseRequest(text, { kind: "table", table: source, isFromJson: false }, false)
    assert.strictEqual(intent.kind, "rows")
    assert.strictEqual(applyFilters(source, filters).length, rows)
  })
})

describe("questions", () => {
  it.each([
    ["What is in this file?", "profile"],
    ["summarise", "profile"],
    ["", "profile"],
    ["how many rows?", "count"],
    ["list columns", "columns"],
    ["which columns are there?", "columns"],
    ["now as a table", "table"],
    ["show the first 5 rows", "table"],
    ["top 3 by quantity", "top"],
    ["describe unit_price", "describe"],
    ["which regions are there?", "describe"],
    ["average unit_price by region", "measure"],
    ["what is the median quantity?", "measure"],
    ["outliers", "outliers"],
    ["missing values", "missing"],
    ["help", "help"],
    ["write me a poem", "cannot"],
    ["x", "cannot"]
  ])("%s → %s", (text, intent) => assert.strictEqual(ask(text).intent.kind, intent))

  it("describes the data when it cannot parse a first question, and says so", () => {
    const parsed = ask("which customers should I call", true)
    assert.strictEqual(parsed.intent.kind, "profile")
    assert.match(parsed.notes.join(), /full look/)
  })

  it.each([
    ["average unit_price by region", "| EU | 78.33 | 3 |"],
    ["average unit_price by region", "| region | Average unit_price | Values |"],
    ["average unit_price by region", "| US | 200 | 1 |"],
    ["average unit_price by region", "_1 row has no unit_price and does not count._"],
    ["total quantity by month", "| month | Total quantity | Values |"],
    ["total quantity by month", "| 2024-02 | 8 | 2 |"],
    ["average quantity by weekday", "| weekday | Average quantity | Values |"],
    ["top 1 by unit_price", "| 2 | 2024-01-20 | US |"],
    ["top 1 products by quantity", "| Lamp | 9 | 2 |"],
    ["how many orders per region", "| EU | 3 |"],
    ["what is the median quantity?", "**2.5**"],
    ["sum of unit_price where region is EU", "**235**"],
    ["how many rows where region is EU", "3 of 6 rows fit (50%)"]
  ])("%s gives %s", async (text, expected) => {
    const { intent, filters } = ask(text)
    const answer = (await answerAboutTable(intent, table, applyFilters(table, filters), signal)).join("\n\n")
    assert.ok(answer.includes(expected), answer)
  })
})
