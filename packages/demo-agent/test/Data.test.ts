import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

describe("currencies and units", () => {
  const apart = "order,city,price,quantity,currency\nA,Bonn,5,1,EUR\nB,Ulm,6,2,USD\nC,Bonn,7,3,EUR\nD,Ulm,8,1,\n"
  const inCells = "item,price,weight\na,€5,3 kg\nb,$60,4 kg\nc,7 EUR,\nd,9,2 kg\n"

  it.each<readonly [request: string, advice: ReadonlyArray<string>]>([
    ["total price", ["total price by currency", "total price where currency is EUR"]],
    ["median price by city", ["median price by currency", "median price by city where currency is EUR"]],
    ["chart total price by city", ["chart total price by currency", "chart total price by city where currency is EUR"]],
    ["top 2 by price", ["top 2 by price where currency is EUR"]],
    ["sort by price descending", ["sort by price descending where currency is EUR"]],
    ["which city has the highest price?", ["which city has the highest total price where currency is EUR"]],
    ["which currency has the highest price?", ["which currency has the highest total price where currency is EUR"]],
    ["total price where city is Ulm", ["total price where currency is USD"]],
    ["按 city 统计总 price", ["按 currency 统计总 price", "按 city 统计总 price，其中 currency 为 EUR"]]
  ])("%s is refused, with requests that are answered", async (request, advice) => {
    const answer = await answerTo(apart, request)
    assert.match(
      answer,
      /\*\*currency\*\* (?:has several currencies \(|中有多种货币（)[^]*\*\*price\*\*[^]*(?:calculated nothing|没有计算)/
    )
    for (const each of advice) {
      assert.ok(answer.includes(`“${each}”`), answer)
      assert.match(await answerTo(apart, each), /Based on|以上基于/, each)
    }
  })

  it("keeps the figures of each apart, and compares none of them", async () => {
    assert.match(
      await answerTo(apart, "total price by currency"),
      /\| EUR \| 12 \|\n\| USD \| 6 \|[^]*1 row has no currency/
    )
    assert.match(await answerTo(apart, "total price where currency is €"), /\*\*12\*\*/)
    assert.match(await answerTo(apart, "total price where order is B"), /\*\*6\*\*/)
    assert.match(await answerTo(apart, "total quantity"), /\*\*7\*\*/)
    assert.match(await answerTo(apart, "count by city"), /\| Bonn \| 2 \|/)
    assert.match(
      await answerTo(apart, ""),
      /\| price \| number \| 0 \| see currency \|[^]*\[picture: Total quantity by city\]/
    )
  })

  it("takes consecutive amounts for no numbers of rows", async () => {
    const csv = "item,price,currency\na,100,EUR\nb,101,USD\nc,102,EUR\n"
    assert.match(await answerTo(csv, "total price"), /\*\*currency\*\* has several currencies/)
  })

  it("splits them off the cells, and shows the one that all have", async () => {
    const report = await answerTo(inCells, "")
    assert.match(
      report,
      /\| price currency \| text \| 0 \| EUR \(2\), \$ \(1\), none \(1\) \|[^]*\| weight \| number \| 1 \| 2 kg to 4 kg \|/
    )
    assert.match(
      await answerTo(inCells, "total price"),
      /“total price by price currency” or “total price where price currency is EUR”/
    )
    assert.match(await answerTo(inCells, "total price by price currency"), /\| EUR \| 12 \|/)
    assert.match(await answerTo(inCells, "total price where price currency is none"), /\*\*9\*\*/)
    assert.match(await answerTo(inCells, "total weight"), /\*\*9 kg\*\*/)
    assert.match(await answerTo("a\n€5\n€6.50\n", "total a"), /\*\*€11\.5\*\*/)
    assert.match(await answerTo("a\n5 EUR\n€6\n", "total a"), /\*\*11/)
    assert.match(await answerTo("a\n5%\n6%\n", "average a"), /\*\*5\.5%\*\*/)
    assert.match(await answerTo("a\n5%\n6\n", "average a"), /several units/)
  })

  it("invents none", async () => {
    assert.doesNotMatch(await answerTo("price,total\n5,6\n7,8\n", "total price and total"), /[€$£¥]|EUR|USD/)
    assert.match(await answerTo("size,price\nS,5\nM,6\nL,7\n", "total price by size"), /\| M \| 6 \|/)
    assert.match(
      await answerTo("item,weight,unit\na,12,kg\nb,5,lb\n", "total weight"),
      /\*\*unit\*\* has several units \(kg, lb\)/
    )
  })
})

describe("rows of totals", () => {
  it("are left out, and named", async () => {
    const csv = "region,amount\nEU,5\nUS,7\nAsia,8\nEU,1\nTotal EU,6\nGrand total,21\n"
    assert.match(
      await answerTo(csv, "total amount"),
      /\*\*21\*\*[^]*2 rows that look like totals are left out \(“Total EU”, “Grand total”\)/
    )
    assert.match(await answerTo(csv, "how many rows"), /There are 4 rows/)
  })

  it.each([
    "Total",
    "Totals:",
    "total sales",
    "Subtotal EU",
    "Sum",
    "Summe",
    "All",
    "Overall",
    "EU total",
    "合计",
    "总计",
    "北京小计"
  ])("%s is one", async (label) =>
    assert.match(await answerTo(`n,x\na,1\nb,2\nc,3\n${label},6\n`, "sum of x"), /\*\*6\*\*/)
  )

  it.each(["Totally", "Allround", "Summer", "Overalls", "totalitarian"])("%s is none", async (label) =>
    assert.match(await answerTo(`n,x\na,1\nb,2\nc,3\n${label},6\n`, "sum of x"), /\*\*12\*\*/)
  )

  it("count where they are more than a third", async () => {
    const answer = await answerTo("region,amount\nTotal,5\nSum,7\nAll,8\nEU,1\n", "total amount")
    assert.match(answer, /\*\*21\*\*[^]*3 rows of 4 look like totals|\*\*21\*\*[^]*3 rows of 4/)
  })
})

describe("JSON", () => {
  it("is read one level deep, and every answer says what is left out", async () => {
    const json =
      '{"meta":{"x":1},"orders":[{"id":1,"price":{"amount":5,"tax":{"rate":3}},"items":[1,2]},{"id":2,"price":{"amount":7},"items":[]}]}'
    for (const [request, expected] of [
      ["total price.amount", /\*\*12\*\*/],
      ["how many rows", /There are 2 rows/],
      ["", /\| price\.amount \| number \| 0 \| 5 to 7 \|/]
    ] as const) {
      const answer = await answerTo(json, request, "a.json")
      assert.match(answer, expected)
      assert.match(answer, /`meta` \(1 entry\), `price\.tax` \(1 entry\) and `items` \(2 entries\)/)
    }
    assert.match(await answerTo('{"shop":{"orders":[{"n":1},{"n":5}]}}', "total n", "a.json"), /\*\*6\*\*/)
    assert.match(await answerTo('[{"n":1},"x",{"n":5}]', "total n", "a.json"), /\*\*6\*\*[^]*`\[\]` \(1 entry\)/)
    assert.match(await answerTo("[1,2,3]", "total value", "a.json"), /\*\*6\*\*/)
    assert.match(await answerTo('{"n":1}\n{"n":5}\n', "total n", "a.jsonl"), /\*\*6\*\*/)
  })
})

describe("JSON of which nothing can be read", () => {
  it.each(['{"a":{"b":{"c":[1]}}}', "[[1,2],[3,4]]"])("%s: says so, and what is left out", async (json) => {
    assert.match(
      await answerTo(json, "", "a.json"),
      /^There is nothing in \*\*a\.json\*\* that I can show\.\n\nBased on [^|]* Left out of the JSON, which I read one level deep: `[^`]+` \(\d entr/
    )
  })
})

describe("a delimited file", () => {
  it.each<readonly [name: string, csv: string, request: string, expected: RegExp]>([
    ["semicolons and decimal commas", "a;b\n1,5;x\n2,25;y\n", "total a", /\*\*3\.75\*\*[^]*decimal comma/],
    ["tabs", "a\tb\n1\tx\n2\ty\n", "total a", /\*\*3\*\*/],
    ["quotes and a byte order mark", '\ufeff"a","b, c"\n"1","x ""y"""\n2,z\n', "count by b, c", /x "y"/],
    ["thousands", "a;b\n1,000;x\n2,500;y\n", "total a", /\*\*3,500\*\*[^]*thousands/],
    ["a decimal comma behind a zero", "a;b\n0,125;x\n1,250;y\n", "total a", /\*\*1\.38\*\*[^]*decimal comma/],
    ["points that may be decimal", "a;b\n1.250;x\n2.500;y\n", "total a", /\*\*3\.75\*\*[^]*decimal point/],
    ["few wrong values", `a\n${"1\n".repeat(40)}oops\n`, "total a", /\*\*40\*\*[^]*1 value is not a number[^]*“oops”/],
    ["no header", "1,2\n3,4\n", "total column 1", /\*\*4\*\*/],
    ["the same name twice", "a,a\n1,2\n3,4\n", "total a (2)", /\*\*6\*\*/],
    ["ambiguous dates", "d,n\n03/04/2024,1\n05/06/2024,2\n", "total n by month", /2024-03[^]*month\/day\/year/],
    [
      "times in several zones",
      "t,n\n2026-01-31T23:30:00-05:00,1\n2026-02-02T01:00:00-05:00,2\n",
      "total n by month",
      /\| 2026-02 \| 3 \|[^]*\*\*t\*\*: times with a time zone are read in UTC/
    ],
    ["Chinese dates", "日期,n\n2026年1月3日,1\n2026年2月5日,2\n", "按月统计总 n", /\| 2026-01 \| 1 \|/],
    ["a quote that never ends", 'a,b\n1,"x\n2,y\n', "total a", /\*\*3\*\*/],
    ["leading zeros", "zip,n\n01234,1\n04567,2\n", "total zip", /not read as numbers/],
    ["identifiers as they are", "order number,n\n1001,1\n1002,2\n1003,3\n", "show the rows", /\| 1001 \|/]
  ])("with %s", async (_, csv, request, expected) => assert.match(await answerTo(csv, request), expected))
})
