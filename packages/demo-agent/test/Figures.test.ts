import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

describe("a ranking by amounts of several currencies", () => {
  const english = "city,month,price\nBonn,2024-01,5 €\nUlm,2024-01,$60\nBonn,2024-02,¥700\n"
  const chinese = "城市,月份,销售额\n波恩,2024-01,5 €\n乌尔姆,2024-01,$60\n波恩,2024-02,¥700\n"

  it.each(["top 2 cities by total price", "top 3 by price", "bottom 2 by price", "sort by price"])(
    "%s: is refused with its currencies",
    async (request) => {
      const answer = await answerTo(english, request)
      assert.match(answer, /\*\*price\*\* is in several currencies[^|]*€, \$ and ¥/)
      assert.doesNotMatch(answer, /[Tt]otal \**price|[Aa]verage \**price|\|/)
    }
  )

  it.each(["销售额最高的 2 个城市", "销售额最高的 3 行"])("%s: is refused with its currencies", async (request) => {
    const answer = await answerTo(chinese, request)
    assert.match(answer, /\*\*销售额\*\* 含多种货币[^|]*€、\$和¥/)
    assert.doesNotMatch(answer, /\|/)
  })

  it("charts name the currencies, too", async () => {
    for (const request of ["chart price by city", "chart total price by month"])
      assert.match(await answerTo(english, request), /\*\*price\*\*[\s\S]*€, \$ and ¥/, request)
  })
})

describe("a suggestion that is pasted with its quotes", () => {
  const csv = "city,month,value\nBonn,2024-01-03,5\nUlm,2024-02-03,7\n"

  it.each([
    "“average value by city”",
    '"average value by city"',
    "“average value by city”.",
    "'average value by city'"
  ])("%s: is understood", async (request) => {
    assert.match(await answerTo(csv, request), /average \*\*value\*\* by \*\*city\*\*/)
  })

  it("is no matter of a value in quotes", async () => {
    assert.match(await answerTo(csv, 'how many rows where city is "Bonn"'), /1 of 2 rows fits/)
  })
})

describe("figures of amounts in several currencies", () => {
  const csv =
    "city,day,price\nBonn,2024-01-03,5 €\nUlm,2024-01-04,$60\nBonn,2024-02-03,¥700\nUlm,2024-02-04,$40\nUlm,2024-02-05,\n"
  const apart = /one for each currency, because they cannot be added up/

  it.each([
    [
      "total price",
      apart,
      /total \*\*price\*\* is \*\*€5\*\*, \*\*\$100\*\* and \*\*¥700\*\*[^]*over 4 values; 1 row has none/
    ],
    ["average price", apart, /average \*\*price\*\* is \*\*€5\*\*, \*\*\$50\*\* and \*\*¥700\*\*/],
    [
      "total price by city",
      apart,
      /\| city \| € \| \$ \| ¥ \|[^]*\| Bonn \| €5 \| – \| ¥700 \|\n\| Ulm \| – \| \$100 \| – \|/
    ],
    ["total price by city as a table", apart, /_1 row has no price and does not count\._/],
    ["total price by month", apart, /\| 2024-01 \| €5 \| \$60 \| – \|\n\| 2024-02 \| – \| \$40 \| ¥700 \|/],
    ["total price where city is Ulm", /^(?![^]*currency)/, /total \*\*price\*\* is \*\*\$100\*\*/],
    ["总 price", /每种货币分别计算，因为它们不能相加/, /\*\*€5\*\*、\*\*\$100\*\*和\*\*¥700\*\*/],
    ["每个 city 的总 price", /每种货币分别计算，因为它们不能相加/, /\| Ulm \| – \| \$100 \| – \|/]
  ])("%s: are one for each", async (request, words, figures) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, words)
    assert.match(answer, figures)
    assert.doesNotMatch(answer, /805|calculated nothing/)
  })

  it("keep amounts without a currency apart", async () => {
    const mixed = "city,price\nBonn,€5\nUlm,$60\nBonn,700\n"
    assert.match(
      await answerTo(mixed, "total price by city"),
      /\| city \| € \| \$ \| no currency \|[^]*\| €5 \| – \| 700 \|/
    )
  })
})

it("ranks amounts of one currency as numbers", async () => {
  const csv = "city,price\nBonn,5 €\nUlm,60 €\nKiel,700 €\n"
  assert.match(await answerTo(csv, "top 2 by price"), /from €700 down to €60/)
  assert.match(await answerTo(csv, "top 1 city by total price"), /\| Kiel \| €700/)
})

it.each([
  ["highest price by city", /highest \*\*price\*\* by \*\*city\*\*[\s\S]*\| Bonn \| 9 \|/],
  ["lowest price by month", /lowest \*\*price\*\* by \*\*month\*\*[\s\S]*\| 2024-02 \| 7 \|/],
  ["每个 city 最高的 price", /最高 \*\*price\*\*[\s\S]*\| Bonn \| 9 \|/]
])("%s: is a figure for each of them", async (request, expected) =>
  assert.match(
    await answerTo("city,day,price\nBonn,2024-01-03,5\nUlm,2024-02-03,7\nBonn,2024-03-03,9\n", request),
    expected
  )
)

it("ranks no words, and groups by no date that it would add up", async () => {
  const csv = "city,day,price\nBonn,2024-01-03,5\nUlm,2024-02-03,60\n"
  assert.match(
    await answerTo(csv, "top 2 by city"),
    /\*\*city\*\* is not read as numbers: a cell is for example “Bonn”/
  )
  assert.match(await answerTo(csv, "city 最高的 2 行"), /\*\*city\*\* 没有按数字读取/)
  assert.match(await answerTo(csv, "top 2 cities by day"), /\*\*day\*\* holds dates/)
})

it.each([
  "cheapest city",
  "which city is the cheapest?",
  "most expensive cities",
  "top city",
  "worst city",
  "latest city",
  "top 2",
  "最便宜的 city"
])("%s: names no column to rank by, and is not answered", async (request) =>
  assert.match(
    await answerTo("city,day,price\nBonn,2024-01-03,5\nUlm,2024-02-03,60\n", request),
    /calculated nothing|什么也没有计算/
  )
)

describe("a currency in some cells only", () => {
  const csv = "city,price\nBonn,€10\nUlm,20\nKiel,30\n"

  it.each([
    ["total price", /60[\s\S]*only some values have “€”/],
    ["average price by city", /Bonn[\s\S]*only some values have “€”/],
    ["top 2 by price", /30[\s\S]*only some values have “€”/],
    ["chart total price by city", /only some values have “€”/],
    ["histogram of price", /only some values have “€”/],
    ["总 price", /60[\s\S]*只有部分值带“€”/],
    ["price 最高的 2 行", /30[\s\S]*只有部分值带“€”/]
  ])("%s: says so", async (request, note) => assert.match(await answerTo(csv, request), note))
})

describe("a column named like a measure", () => {
  const csv = "order,region,total,count,average\n1,EU,10,2,7\n2,US,20,3,8\n3,EU,40,4,9\n"

  it.each([
    ["average total by region", /\| region \| Average total \| Values \|[\s\S]*\| EU \| 25 \|/],
    ["total by region", /\| EU \| 50 \|/],
    ["count by region", /Total count[\s\S]*\| EU \| 6 \|/],
    ["average count by region", /\| EU \| 3 \|/],
    ["total average by region", /Total average[\s\S]*\| EU \| 16 \|/],
    ["what is the total?", /\*\*total\*\* holds[\s\S]*\| Sum \| 70 \|/],
    ["median average", /median \*\*average\*\* is \*\*8\*\*/],
    ["top 2 by total", /highest \*\*total\*\* go from 40 down to 20/],
    ["top 1 by average", /highest \*\*average\*\* has 9/],
    ["top 1 region by total", /\| EU \| 50 \|/],
    ["top 1 region by count", /Total count[\s\S]*\| EU \| 6 \|/],
    ["histogram of total", /\*\*total\*\* holds/],
    ["histogram of count", /\*\*count\*\* holds/],
    ["chart total by region", /“Total total by region”[\s\S]*EU \(50\)/],
    ["chart average total by region", /“Average total by region”[\s\S]*EU \(25\)/],
    ["chart count by region", /“Total count by region”[\s\S]*EU \(6\)/],
    ["chart total vs count", /“total (?:by|vs\.?|and|against) count/],
    ["how many rows by region", /\| EU \| 2 \|/],
    ["chart the number of rows by region", /“Number of rows by region”/],
    ["按 region 统计平均 total", /平均 total[\s\S]*\| EU \| 25 \|/],
    ["total 最高的 2 行", /从 40 到 20/],
    ["total 的直方图", /\*\*total\*\* 的值/],
    ["按 region 画 total 的图", /总 total[\s\S]*EU（50）/],
    ["按 region 画 count 的图", /总 count[\s\S]*EU（6）/]
  ])("%s: is that column", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
  })
})

describe("a request of two parts", () => {
  const csv = "city,month,price,size\nBonn,2024-01-03,€5,2\nUlm,2024-02-03,$60,3\nBonn,2024-03-03,¥7,5\n"

  it.each([
    [
      "total price by city as a table, then chart size by month",
      /total \*\*price\*\* by \*\*city\*\*[^]*“Total size by month”/
    ],
    ["total size by city as a table, then chart price by month", /^[^|]*€, \$ and ¥[^|]*calculated nothing/],
    ["按 city 统计总 size，用表格显示，然后按月画 price 的图", /^[^|]*€、\$和¥[^|]*什么也没有计算/],
    ["按 city 统计总 price，然后按月画 size 的图", /总 \*\*price\*\*[^]*图中是/]
  ])("%s: is done as a whole, or not at all", async (request, expected) => {
    assert.match(await answerTo(csv, request), expected)
  })
})

describe("a figure whose measure or column is not named", () => {
  const csv = "order,城市,单价,数量\nA1,北京,5,1\nA2,上海,6,2\nA3,北京,9,3\n"

  it.each([
    ["单价 by 城市", /\*\*单价\*\* is averaged[^]*\| 北京 \| 7 \| 2 \|/],
    ["数量 by 城市", /\*\*数量\*\* is added up[^]*\| 北京 \| 4 \| 2 \|/],
    ["按城市统计单价", /平均 \*\*单价\*\*[^]*\| 北京 \| 7 \| 2 \|/],
    ["按城市画单价的图", /“按城市的平均单价”/],
    ["每个城市有多少行", /\| 北京 \| 2 \|/],
    ["单价前 2 行", /从 9 到 6/]
  ])("%s: is the usual one", async (request, expected) => assert.match(await answerTo(csv, request), expected))
})

describe("an order", () => {
  const csv = "city,day,price\nBonn,2024-01-03,5\nUlm,2024-02-03,60\nKiel,2024-03-03,7\n"

  it.each([
    ["sort by price", /lowest \*\*price\*\* go from 5 up to 60/],
    ["sort the rows by price descending", /highest \*\*price\*\* go from 60 down to 5/],
    ["order by day from new to old", /from 2024-03-03 down to 2024-01-03/],
    ["show 2 rows sorted by price highest first", /2 rows with the highest \*\*price\*\* go from 60 down to 7/],
    ["list all rows ordered by price in ascending order", /from 5 up to 60/],
    ["sort by city", /\*\*city\*\* is not read as numbers/],
    ["sort by size", /I did not understand “size”/],
    ["按 price 从高到低排序", /从 60 到 5/]
  ])("%s: is that of the column", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
  })
})
