import assert from "node:assert"
import { beforeAll, describe, it } from "vitest"
import { answerAboutTable } from "@heddle/demo-agent/answer/TableAnswer"
import { readCsv } from "@heddle/demo-agent/data/Csv"
import { applyFilters, describeFilters, mergeFilters, type Filter } from "@heddle/demo-agent/data/Filter"
import type { Table } from "@heddle/demo-agent/data/Table"
import type { Part } from "@heddle/demo-agent/question/Intent"
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
const parse = (text: string) => parseRequest(text, { kind: "table", name: "orders.csv", table, isFromJson: false })
const parts = (text: string): ReadonlyArray<Part> => {
  const parsed = parse(text)
  assert.ok(parsed.kind === "parts", `${text}: ${JSON.stringify(parsed)}`)
  return parsed.parts
}
const ask = (text: string): Part => {
  const [part, ...others] = parts(text)
  assert.ok(part !== undefined && others.length === 0, JSON.stringify([part, ...others]))
  return part
}
const reasonOf = (text: string): string => {
  const parsed = parse(text)
  assert.ok(parsed.kind === "cannot", `${text}: ${JSON.stringify(parsed)}`)
  return parsed.reason
}
const rowsOf = (filters: ReadonlyArray<Filter>): ReadonlyArray<number> =>
  [...applyFilters(table, filters)].map((row) => row + 1)

it("may begin with “and” where somebody goes on", () => {
  assert.deepStrictEqual(ask("and chart quantity by region"), ask("chart quantity by region"))
  assert.deepStrictEqual(ask("再按 region 画 quantity 的图"), ask("按 region 画 quantity 的图"))
})

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
  })

  it.each([
    ["only rows where colour is red", /“colour” and “red”/],
    ["only rows where unit_price > cheap", /“cheap”/],
    ["only rows where region > 5", /“> 5”|“only rows where region > 5”/],
    ["only rows where date is someday", /“someday”/],
    ["only Mars", /“Mars”/],
    ["only rows where region is Mars", /“Mars”[^]*\*\*region\*\* has the values EU, US and APAC/],
    ["average quantity where region is Mars", /“Mars”/],
    ["how many rows where product is Sofa", /“Sofa”/],
    ["only EU and unit_price > 100 or quantity is 2", /“or quantity is 2”/],
    ["only EU and Mars", /“Mars”/],
    ["exclude outliers", /“exclude outliers”/],
    ["only qantity is 1", /“qantity”/],
    ["only unit_price > $100", /unit_price/]
  ])("calculates nothing for %s, and says why", (text, reason) => {
    assert.match(reasonOf(text), reason)
    assert.match(reasonOf(text), /calculated nothing/)
  })

  it("replaces a filter on the same value and narrows otherwise", () => {
    const filters = (text: string): ReadonlyArray<Filter> => ask(text).filters
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
    ["chart by month", { mark: "line", by: 1, column: undefined, measure: "count", step: "month" }]
  ])("%s", (text, plan) => {
    const { intent } = ask(text)
    assert.ok(intent.kind === "chart", JSON.stringify(intent))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(intent.plan)), JSON.parse(JSON.stringify(plan)))
  })

  it("asks where a name may be several columns", () =>
    assert.match(reasonOf("histogram of price"), /“price” may be \*\*unit_price\*\* or \*\*Shipping Price\*\*/))

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
  const shown = (text: string) =>
    parts(text).map(({ filters, intent, reset }) => {
      const { kind, ...rest } = intent
      return [kind, JSON.stringify(rest), describeFilters(filters), ...(reset ? ["reset"] : [])].join(" ")
    })
  const measure = (measure: string, column: number, by: number) =>
    `measure {"measure":"${measure}","column":${column},"by":${by},"step":"month"} `

  it.each([
    ["sum of unit_price and quantity by region", [measure("sum", 4, 2), measure("sum", 5, 2)]],
    ["average unit_price and quantity by month", [measure("mean", 4, 1), measure("mean", 5, 1)]],
    ["average unit_price and total quantity by region", [measure("mean", 4, 2), measure("sum", 5, 2)]],
    ["average and total quantity by region", [measure("mean", 5, 2), measure("sum", 5, 2)]],
    ["total quantity by region and average unit_price by month", [measure("sum", 5, 2), measure("mean", 4, 1)]]
  ])("%s: what is said once holds for each", (text, expected) => assert.deepStrictEqual(shown(text), expected))

  it("share a condition, and a condition of one part is none of the next", () => {
    assert.deepStrictEqual(
      parts("total quantity and unit_price where region is EU").map(({ filters }) => describeFilters(filters)),
      ["region is EU", "region is EU"]
    )
    assert.deepStrictEqual(
      parts("total quantity where region is EU, then total quantity").map(({ filters }) => describeFilters(filters)),
      ["region is EU", ""]
    )
  })

  it.each([
    ["all rows again, chart average unit_price by region", ["rows", "chart"]],
    ["all rows: average unit_price by region", ["rows", "measure"]],
    ["all rows, then how many rows and outliers", ["rows", "measure", "outliers"]],
    ["chart quantity by region for all rows", ["chart"]],
    ["show all rows again", ["rows"]],
    ["summarise and chart quantity by region", ["profile", "chart"]],
    ["chart quantity by region and chart unit_price by month", ["chart", "chart"]],
    ["chart unit_price and quantity by month", ["chart", "chart"]],
    ["total quantity by region as a table, then chart quantity by month", ["measure", "chart"]],
    ["only EU and count rows", ["rows", "measure"]],
    ["Here is my file, how many rows?", ["measure"]]
  ])("%s", (text, kinds) =>
    assert.deepStrictEqual(
      parts(text).map(({ intent }) => intent.kind),
      kinds
    )
  )

  it.each([
    ["all rows, sing a song", /“sing” and “song”/],
    ["chart quantity by month and email it to Bob", /“email” and “Bob”/],
    ["summarise this and list the open items", /“and list the open items”/],
    ["how many rows, and histogram of colour", /“colour”/],
    ["total quantity by region and month", /“and month”/],
    ["total quantity by region and product", /“and product”/],
    ["total quantity by region, product", /“product”/],
    ["total quantity by region and total unit_price", /“and total unit_price”/],
    ["total quantity where region is EU and total unit_price", /“and total unit_price”/],
    ["unit_price and average quantity by region", /“and average quantity by region”/],
    ["average unit_price by region and EU", /“and EU”/],
    ["compare EU and US", /“compare”/],
    ["write me a poem and sing it", /“write”, “poem” and “sing”/]
  ])("%s: nothing is calculated, and the words are named", (text, reason) => {
    assert.match(reasonOf(text), reason)
    assert.match(reasonOf(text), /calculated nothing/)
  })

  it("have their conditions where they stand", () => {
    assert.deepStrictEqual(rowsOf(ask("chart quantity by month, EU").filters), [1, 3, 5])
    assert.deepStrictEqual(rowsOf(parts("all rows, only US")[1]!.filters), [2, 6])
  })
})

describe("a count", () => {
  it.each(["how many customers?", "how many unpaid orders are there?", "number of refunds", "count the returns"])(
    "%s: is no count of rows where it names something else",
    (text) => assert.match(reasonOf(text), /customers|unpaid|refunds|returns/)
  )

  it.each(["how many rows?", "how many entries are there?", "number of rows", "how many?", "count"])(
    "%s: is one of rows",
    (text) =>
      assert.deepStrictEqual(ask(text).intent, {
        kind: "measure",
        measure: "count",
        column: undefined,
        by: undefined,
        step: "month",
        order: undefined,
        limit: undefined
      })
  )

  it("of a column gives its rows and its different values", async () => {
    const { intent } = ask("how many products by region")
    const answer = (await answerAboutTable(intent, table, applyFilters(table, []), signal)).join("\n")
    assert.match(answer, /\| region \| Rows with product \| Different product \|[^]*\| US \| 2 \| 2 \|/)
  })

  it.each([
    ["how many are paid", "paid is yes", 2],
    ["how many paid rows", "paid is yes", 2],
    ["how many are not paid", "paid is not yes", 1],
    ["how many are open", "state is open", 1]
  ])("%s: counts the rows of a condition", async (text, condition, count) => {
    const source = await readCsv(
      Buffer.from("order,paid,state\na,yes,open\nb,no,closed\nc,yes,closed\n"),
      "a.csv",
      signal
    )
    const parsed = parseRequest(text, { kind: "table", name: "a.csv", table: source, isFromJson: false })
    assert.ok(parsed.kind === "parts")
    assert.strictEqual(describeFilters(parsed.parts[0]!.filters), condition)
    assert.strictEqual(applyFilters(source, parsed.parts[0]!.filters).length, count)
  })
})

describe("a condition on a column named like a measure", () => {
  it.each([
    ["Total > 15", 2],
    ["total over 15", 2],
    ["rows where total > 15", 2],
    ["total >= 20", 2],
    ["count < 3", 1],
    ["only rows where total > 15", 2]
  ])("%s", async (text, rows) => {
    const source = await readCsv(Buffer.from("order,Total,count\n1,10,2\n2,20,3\n3,40,4\n"), "a.csv", signal)
    const parsed = parseRequest(text, { kind: "table", name: "a.csv", table: source, isFromJson: false })
    assert.ok(parsed.kind === "parts" && parsed.parts[0]?.intent.kind === "rows", JSON.stringify(parsed))
    assert.strictEqual(applyFilters(source, parsed.parts[0].filters).length, rows)
  })
})

describe("questions", () => {
  it.each([
    ["What is in this file?", "profile"],
    ["summarise", "profile"],
    ["how many rows?", "measure"],
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
    ["", "profile"]
  ])("%s → %s", (text, intent) => assert.strictEqual(ask(text).intent.kind, intent))

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
    ["how many rows per region", "| EU | 3 |"],
    ["what is the median quantity?", "**2.5**"],
    ["sum of unit_price where region is EU", "**235**"],
    ["how many rows where region is EU", "3 of 6 rows fit (50%)"]
  ])("%s gives %s", async (text, expected) => {
    const { intent, filters } = ask(text)
    const answer = (await answerAboutTable(intent, table, applyFilters(table, filters), signal)).join("\n\n")
    assert.ok(answer.includes(expected), answer)
  })
})
