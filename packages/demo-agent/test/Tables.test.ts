import assert from "node:assert"
import { describe, it } from "vitest"
import { eastAsianWidth } from "get-east-asian-width"
import { answerTo } from "./support/Answer.ts"

/** The cells of each line of each table of an answer, without the lines below the headers. */
const tablesOf = (answer: string): ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> =>
  [...answer.matchAll(/(?:^\|.*\n?)+/gm)].map(([table]) =>
    table
      .trim()
      .split("\n")
      .filter((_, line) => line !== 1)
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll("\\", ""))
      )
  )

const tableOf = (answer: string) => tablesOf(answer)[0] ?? []

const widthOf = (rows: ReadonlyArray<ReadonlyArray<string>>): number =>
  (rows[0] ?? []).reduce((sum, _, column) => sum + Math.max(...rows.map((row) => cellWidth(row[column]))) + 2, -2)

const cellWidth = (cell = ""): number =>
  [...cell].reduce((sum, character) => sum + eastAsianWidth(character.codePointAt(0)!), 0)

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
      assert.match(answer, /“…” stands for the rest of a text\._$/m)
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

describe("columns that a screen does not show side by side", () => {
  const chinese = [
    "订单编号,下单日期,客户姓名,城市,国家地区,产品名称,产品类别,数量,单价,订单状态",
    ...Array.from(
      { length: 12 },
      (_, n) =>
        `A-${1000 + n},2024-03-${n + 10},客户姓名第${n}号,北京市,中华人民共和国,橡木餐桌配椅子,家具用品类,${n * 2},${n * 375}.5,已经送达客户`
    )
  ].join("\n")
  const names = [
    "customer_identification_number",
    "order_creation_timestamp",
    "delivery_address_city",
    "delivery_address_country",
    "product_description_long",
    "product_category_name",
    "warehouse_location_code",
    "quantity_ordered_units",
    "unit_price_excluding_tax",
    "discount_percentage_applied",
    "payment_method_description",
    "current_order_status"
  ]
  const cells = "CUST1,2024-03-01T10:00,Bonn am Rhein,Germany,Oak table,Furniture,WH-01,3,12.5,5,credit card,delivered"
  const long = `${names.join(",")}\n${cells}\n${cells.replace("CUST1", "CUST2")}\n`

  it.each([
    "改成表格",
    "前 5 行",
    "单价最高的 5 行",
    "按单价排前5",
    "单价最高的5行",
    "按单价从高到低排序",
    "只看北京市"
  ])("%s: ten Chinese columns are one table", async (request) => {
    const answer = await answerTo(chinese, request)
    const rows = tableOf(answer)
    assert.strictEqual(rows[0]!.length, 10, answer)
    assert.strictEqual(new Set(rows[0]).size, 10, answer)
    assert.ok(widthOf(rows) <= 78, answer)
    for (const row of rows.slice(1)) {
      assert.match(row[1]!, /^2024-03-\d\d$/)
      assert.match(row[8]!, /^[\d,]+\.5$/)
    }
  })

  it.each(["as a table", "top 2 by unit_price_excluding_tax"])(
    "%s: twelve long names are two tables",
    async (request) => {
      const answer = await answerTo(long, request)
      const tables = tablesOf(answer)
      assert.strictEqual(tables.length, 2, answer)
      for (const rows of tables) assert.ok(widthOf(rows) <= 78, answer)
      // The first column stands in both, and all names differ.
      assert.deepStrictEqual(
        tables.map((rows) => rows[1]![0]),
        ["CUST1", "CUST1"]
      )
      for (const [header = []] of tables) assert.strictEqual(new Set(header).size, header.length, answer)
      assert.strictEqual(tables.flatMap(([header = []]) => header).length, 13, answer)
      assert.doesNotMatch(answer, /Left out/)
    }
  )

  it("are named where two tables do not show them", async () => {
    const many = Array.from({ length: 60 }, (_, n) => `a_rather_long_name_${n}`)
    const answer = await answerTo(`${many.join(",")}\n${many.map(() => "some words").join(",")}\n`, "as a table")
    const shown = tablesOf(answer).flatMap((rows) => rows[0]!)
    const named = /Left out: (\d+) columns \(([^)]*)\)/.exec(answer)!
    assert.strictEqual(new Set(shown).size + Number(named[1]), 60, answer)
    assert.ok(named[2]!.split(", ").length >= 20, answer)
  })

  it("have names that differ in a list of columns", async () => {
    for (const request of ["list columns", "what is in this?"]) {
      const [rows = []] = tablesOf(await answerTo(long, request))
      assert.strictEqual(new Set(rows.map(([name]) => name)).size, 13, request)
    }
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
