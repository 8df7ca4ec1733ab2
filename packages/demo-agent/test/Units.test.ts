import assert from "node:assert"
import { describe, it } from "vitest"
import { languageOf } from "@heddle/demo-agent/question/RequestLanguage"
import { answerTo } from "./support/Answer.ts"

const rows = (header: string, ...cells: ReadonlyArray<string>): string => [header, ...cells, ""].join("\n")
const REFUSED =
  /(?:\*\* has several (?:currencies|units) \(|中有多种(?:货币|单位)（)[^]*(?:calculated nothing|没有计算)/

describe("a column of currencies or units", () => {
  it.each<readonly [header: string, request: string]>([
    ["invoice number,city,amount,invoice currency", "total amount"],
    ["order id,city,amount,order currency", "total amount"],
    ["payment id,city,amount,payment currency", "total amount"],
    ["transaction id,city,amount,transaction_currency", "total amount"],
    ["price,city,total price,price currency", "total total price"],
    ["item,item count,amount,item currency", "total amount"],
    ["price,city,discount,currency", "total discount"],
    ["price,city,hourly rate,currency", "average hourly rate"],
    ["price,city,amount per year,currency", "total amount per year"],
    ["price,city,price/qty,currency", "total price/qty"],
    ["订单编号,城市,金额,订单货币", "金额的总和"]
  ])("named by “%s” protects the amounts", async (header, request) => {
    const csv = rows(header, "1,3,100,EUR", "2,4,200,USD", "3,5,3000,JPY")
    assert.match(await answerTo(csv, request), REFUSED)
  })

  it.each([
    ["currency", "EUR", "USD", "XAF"],
    ["currency", "EUR", "unknown", "EUR"],
    ["currency", "EUR", "EUR", "-"],
    ["currency", "EUR", "BTC", "EUR"],
    ["Ccy Code", "GHS", "UGX", "GHS"],
    ["币种", "人民币", "美元", "澳元"],
    ["unit", "kg", "box", "kg"],
    ["paid in", "EUR", "USD", "XAF"]
  ])("called %s with %s, %s and %s protects them, whichever of these are known", async (name, ...cells) => {
    const csv = rows(`city,net,${name}`, ...cells.map((each, n) => `A,${n + 1}00,${each}`))
    for (const request of ["total net", "chart total net by city", "top 1 by net", "count where net over 100"])
      assert.match(await answerTo(csv, request), REFUSED, request)
    assert.match(await answerTo(csv, `total net by ${name}`), /Based on/)
  })

  it.each(["quantity", "quantity sold", "item_count", "Qty", "number of orders", "数量"])(
    "leaves a column called %s alone",
    async (name) => {
      const csv = rows(`net,${name},currency`, "5,1,EUR", "6,2,USD")
      assert.match(await answerTo(csv, `total ${name}`), /\*\*3\*\*/)
    }
  )

  it("leaves shares alone, and of cells with their unit all columns but their own", async () => {
    assert.match(await answerTo("net,tax,currency\n5,19%,EUR\n6,7%,USD\n", "average tax"), /\*\*13%\*\*/)
    assert.match(await answerTo("price,fee\n€5,1\n$6,2\n", "total fee"), /\*\*3\*\*/)
    assert.match(await answerTo("item,quantity,unit\na,12,kg\nb,5,box\n", "total quantity"), REFUSED)
  })

  it("is not said to be the currency of what stands beside it", async () => {
    const csv = rows("name,age,price,currency", "Ann,34,10,EUR", "Bob,45,20,USD")
    assert.match(
      await answerTo(csv, ""),
      /\| age \| number \| 0 \| see currency \|\n\| price \| number \| 0 \| see currency \|/
    )
    assert.match(
      await answerTo(csv, "average age"),
      /^\*\*currency\*\* has several currencies \(EUR, USD\), so \*\*age\*\* is neither added up nor compared across them\./
    )
    assert.match(await answerTo(csv, "平均 age"), /^\*\*currency\*\* 中有多种货币（EUR、USD），所以不能把 \*\*age\*\* /)
  })

  it("has one group for each currency, however it is written", async () => {
    const csv = rows("city,net,currency", "A,100,EUR", "B,200,eur", "C,300,€", "D,500,USD")
    assert.match(await answerTo(csv, "total net by currency"), /\| EUR \| 600 \|\n\| USD \| 500 \|/)
    const one = rows("city,net,currency", "A,100,EUR", "B,200,eur", "C,300,€")
    assert.match(await answerTo(one, "which currency has the highest net?"), /\*\*EUR\*\*[^]*600/)
  })

  it("refuses to compare them, with a request that works", async () => {
    const csv = "city,price\nBonn,€5\nUlm,$60\nOsaka,¥700\n"
    for (const request of ["only rows where price over 10", "count where price is 5", "有多少行，其中 price 大于 10"])
      assert.match(await answerTo(csv, request), REFUSED, request)
    assert.match(await answerTo(csv, "only rows where price over 10"), /“only rows where price currency is EUR”/)
  })

  it("is looked at with all others, and only requests that work are suggested", async () => {
    const two = "city,price,fee,price currency,fee currency\nA,5,1,EUR,USD\nB,6,2,USD,GBP\nC,7,3,EUR,GBP\n"
    const refusal = await answerTo(two, "total price by fee currency")
    assert.match(refusal, REFUSED)
    for (const [, each = ""] of refusal
      .split("Say for example")[1]
      ?.split("\n")[0]
      ?.matchAll(/“([^”]+)”/g) ?? [])
      assert.match(await answerTo(two, each), /Based on/, each)
    const signs = "price,currency,currency sign\n5,EUR,€\n6,USD,$\n"
    assert.match(await answerTo(signs, "total price by currency"), /\| EUR \| 5 \|/)
  })
})

describe("rows", () => {
  it("have their numbers as they are written", async () => {
    const answer = await answerTo('pair,rate\na,1.0834\nb,0.00045\nc,"1,234.567"\nd,1e3\n', "show the rows")
    for (const each of ["1.0834", "0.00045", "1,234.567", "1e3"]) assert.ok(answer.includes(`| ${each} |`), answer)
  })

  it.each(["Jan 5, 2026", "5 March 2026", "2026年1月5日", "2026-01-05"])(
    "of a total behind %s are left out",
    async (date) => {
      const csv = rows("date,region,sales", '"Jan 3, 2026",EU,10', '"Jan 4, 2026",US,20', '"Jan 5, 2026",AF,5')
      assert.match(await answerTo(`${csv}"${date}",Total,35\n`, "total sales"), /\*\*35\*\*[^]*“Total”/)
    }
  )
})

describe("a suggestion in its quotes", () => {
  it.each([
    ["“按 city 统计 price”", "chinese"],
    ["“total price by city”", "english"],
    ["「按月画 price 的图」", "chinese"],
    ['<@123> “前 5 行，其中 "city" 为 Bonn”', "chinese"]
  ])("%s is %s", (request, language) => assert.strictEqual(languageOf(request), language))
})
