import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

describe("values that are hard to read", () => {
  const rows = Array.from({ length: 40 }, (_, i) => `i${i},${i}`)

  it("are named beside each figure that leaves them out", async () => {
    const csv = ["item,amount", ...rows, "x,about 7", "y,12 apples"].join("\n")
    for (const request of ["total amount", "top 3 by amount", "average amount by item", "chart amount by item"])
      assert.match(await answerTo(csv, request), /2 values are not a number[^]*“about 7”, “12 apples”/, request)
  })

  it("may have their sign behind them", async () => {
    assert.match(await answerTo("item,amount\na,100-\nb,50\nc,20-\n", "total amount"), /\*\*-70\*\*/)
  })

  it("may be thousands or decimals, which the answer says", async () => {
    const note = /a point is read as decimal mark/
    assert.match(await answerTo("id,price\na,1.234\nb,12.500\n", "total price"), note)
    assert.match(
      await answerTo("id;price\na;1,234\nb;2,500\n", "total price"),
      /a comma is read as thousands separator/
    )
    for (const sure of ["1.234\nb,2.5", "1.2345\nb,1.234", "0.123\nb,0.456"])
      assert.doesNotMatch(await answerTo(`id,price\na,${sure}\n`, "total price"), note)
    assert.doesNotMatch(await answerTo('[{"price":1.234},{"price":2.345}]', "total price", "a.json"), note)
  })

  it("are no percentages where they have no sign", async () => {
    const csv = "team,win\nA,50%\nB,75%\nC,0.25\n"
    assert.match(await answerTo(csv, "average win"), /\*\*62\.5%\*\* and \*\*0\.25\*\* \(no unit\): one for each unit/)
    assert.doesNotMatch(await answerTo(csv, "look"), /41\.75/)
  })
})

describe("nested lists", () => {
  const json = JSON.stringify([
    { no: "A", lines: [{ n: 1 }, { n: 2 }], items: [1] },
    { no: "B", lines: [{ n: 3 }], items: [] }
  ])

  it.each(["how many lines?", "lines", "describe lines", "how many items?", "total lines"])(
    "%s: says that their entries are not counted",
    async (request) => {
      const answer = await answerTo(json, request, "a.json")
      assert.match(answer, /nested[^]*JSON text/)
      assert.doesNotMatch(answer, /There are 2 rows/)
    }
  )
})

describe("a number behind a column of dates", () => {
  it("is no year where no date has such a year", async () => {
    const csv = "order date,total\n2024-01-03,5\n2024-02-03,5000\n"
    assert.match(await answerTo(csv, "only orders over 1000"), /holds dates, and “1000” is not a date/)
    assert.match(await answerTo(csv, "only order date before 2025"), /2 of 2 rows|There are 2 rows/)
  })
})

describe("a row that sums up the others", () => {
  const csv = "item,amount,qty\na,5,1\nb,7,2\nTotal,12,3\n"

  it.each([
    "total amount",
    "average qty",
    "how many rows?",
    "top 2 by amount",
    "describe amount",
    "chart amount by item",
    "histogram of amount",
    "what is in this file?",
    "only rows where amount > 1",
    "total amount by item"
  ])("%s: says that it counts as well", async (request) => {
    assert.match(await answerTo(csv, request), /“Total” in \*\*item\*\*[^]*“exclude rows where item is Total”/)
  })

  it("is told in Chinese, and no longer where it is left out", async () => {
    assert.match(await answerTo("项目,金额\na,5\nb,7\n合计,12\n", "总金额"), /“合计”[^]*“排除 项目 为 合计 的行”/)
    const rest = await answerTo(csv, "total amount where item is not Total")
    assert.match(rest, /\*\*12\*\*/)
    assert.doesNotMatch(rest, /exclude/)
    assert.match(await answerTo(csv, "exclude rows where item is Total"), /2 of 3 rows fit/)
    assert.match(await answerTo("项目,金额\na,5\nb,7\n合计,12\n", "排除 项目 为 合计 的行"), /3 行中有 2 行/)
  })
})

describe("another reading", () => {
  const csv = "day,price\n03/04/2024,5\n05/06/2024,7\n"

  it.each(["total price by month", "chart price by month", "only day after 2024-05-01", "top 1 by day", "latest day"])(
    "%s: names that of the dates",
    async (request) => assert.match(await answerTo(csv, request), /dates are read as month\/day\/year/)
  )

  it("of a repeated name is named", async () => {
    const repeated = "name,total,total\na,1,10\nb,2,20\n"
    for (const request of ["sum of total", "top 1 by total", "describe total", "chart total by name"])
      assert.match(
        await answerTo(repeated, request),
        /took \*\*total\*\*; \*\*total \(2\)\*\* would fit as well/,
        request
      )
    assert.match(await answerTo(repeated, "sum of total (2)"), /\*\*30\*\*/)
  })
})
