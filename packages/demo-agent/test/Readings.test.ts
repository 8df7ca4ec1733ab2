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

  it.each(["how many lines?", "describe lines", "total lines"])(
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
    assert.match(await answerTo(csv, "only order date over 1000"), /calculated nothing/)
    assert.match(await answerTo(csv, "only order date before 2025"), /2 of 2 rows|There are 2 rows/)
  })
})

describe("a row that sums up the others", () => {
  const csv = "item,amount,qty\na,5,1\nb,7,2\nTotal,12,3\n"
  const note = /1 row that looks like a total is left out \(“Total”\)/

  it.each([
    ["total amount", /\*\*12\*\*/],
    ["average qty", /\*\*1\.5\*\*/],
    ["how many rows?", /There are 2 rows/],
    ["top 3 by amount", /The 2 rows/],
    ["describe amount", /\| Sum \| 12 \|/],
    ["chart amount by item", /“Total amount by item”/],
    ["histogram of amount", /“Distribution of amount”/],
    ["what is in this file?", /2 rows and 3 columns/],
    ["only rows where amount > 1", /There are 2 rows|2 of 2 rows/],
    ["total amount by item", /\| b \| 7 \| 1 \|/]
  ])("%s: leaves it out, and says so", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
    assert.match(answer, note)
  })

  it("may be a subtotal, among dates, or Chinese", async () => {
    const days = "日期,城市,金额\n2024-01-03,北京,5\n2024-01-04,上海,7\n小计,,12\n2024-02-03,北京,1\n合计,,13\n"
    const answer = await answerTo(days, "按月统计总金额")
    assert.match(answer, /\| 2024-01 \| 12 \| 2 \|[^]*\| 2024-02 \| 1 \| 1 \|/)
    assert.match(answer, /另有 2 行像是合计（“小计”），没有计入/)
    const pivot = "region,amount\nEU,5\nEU,7\nEU Total,12\nUS,3\nUS total:,3\nGrand Total,15\n"
    assert.match(await answerTo(pivot, "total amount"), /\*\*15\*\*[^]*3 rows that look like totals are left out/)
  })

  it("is none where most rows are called so", async () => {
    const answer = await answerTo("kind,amount\ntotal,5\ntotal,7\npart,1\n", "total amount by kind")
    assert.match(answer, /\| total \| 12 \| 2 \|/)
    assert.doesNotMatch(answer, /left out/)
  })
})

describe("a column whose cells are no plain numbers", () => {
  const of = (...cells: ReadonlyArray<string>): string =>
    `item,price\n${cells.map((cell, i) => `i${i},"${cell}"`).join("\n")}\n`

  it.each([
    [["¥5", "6元", "7RMB"], /is \*\*18 CNY\*\*[^]*“¥” is read as CNY/],
    [["kr 100", "200 kr", "3 kr."], /is \*\*303 kr\*\*/],
    [["1.2万", "3万", "8000"], /is \*\*50,000\*\*/],
    [["1.2万元", "3000元"], /is \*\*15,000 CNY\*\*/],
    [["$1.2M", "$300k", "$5"], /is \*\*\$1,500,005\*\*/],
    [["1.5M USD", "3 USD"], /is \*\*1,500,003 USD\*\*/],
    [["5 美元", "6美元"], /is \*\*11 USD\*\*/],
    [["¥5", "$6"], /is \*\*¥5\*\* and \*\*\$6\*\*/],
    [["5 kg", "6 kg"], /\*\*price\*\* is not read as numbers: a cell is for example “5 kg”[^]*calculated nothing/],
    [["1.2M", "5K"], /not read as numbers: a cell is for example “1\.2M”/]
  ])("%j: is read with its unit, or named as not read", async (cells, expected) => {
    assert.match(await answerTo(of(...cells), "total price"), expected)
  })
})

describe("another reading", () => {
  const csv = "day,price\n03/04/2024,5\n05/06/2024,7\n"

  it.each(["total price by month", "chart price by month", "only day after 2024-05-01", "top 1 by day", "highest day"])(
    "%s: names that of the dates",
    async (request) => assert.match(await answerTo(csv, request), /dates are read as month\/day\/year/)
  )

  it("of a repeated name has a number for each", async () => {
    const repeated = "name,total,total\na,1,10\nb,2,20\n"
    for (const request of ["sum of total", "top 1 by total", "describe total", "chart total by name"])
      assert.match(
        await answerTo(repeated, request),
        /calculated nothing\. The columns are name, total \(1\) and total \(2\)/,
        request
      )
    assert.match(await answerTo(repeated, "sum of total (2)"), /\*\*30\*\*/)
  })
})
