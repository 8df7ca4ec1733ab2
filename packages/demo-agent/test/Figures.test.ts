import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

describe("a ranking by amounts of several currencies", () => {
  const english = "city,month,price\nBonn,2024-01,5 €\nUlm,2024-01,$60\nBonn,2024-02,¥700\n"
  const chinese = "城市,月份,销售额\n波恩,2024-01,5 €\n乌尔姆,2024-01,$60\n波恩,2024-02,¥700\n"

  it.each([
    "top 2 cities by total price",
    "top city by price",
    "top 3 by price",
    "bottom 2 by price",
    "highest price",
    "top prices",
    "which city has the highest price?"
  ])("%s: is refused with its currencies", async (request) => {
    const answer = await answerTo(english, request)
    assert.match(answer, /\*\*price\*\* does not hold numbers[^|]*€, \$ and ¥/)
    assert.doesNotMatch(answer, /[Tt]otal \**price|[Aa]verage \**price|\|/)
  })

  it.each(["销售额最高的城市", "销售额最高的 2 个城市", "哪个城市的总销售额最高？", "销售额最高的 3 行"])(
    "%s: is refused with its currencies",
    async (request) => {
      const answer = await answerTo(chinese, request)
      assert.match(answer, /\*\*销售额\*\* 不是数字[^|]*€、\$和¥/)
      assert.doesNotMatch(answer, /\|/)
    }
  )

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
    assert.doesNotMatch(answer, /805|does not hold|不是数字|left out|略去/)
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
  assert.match(await answerTo(csv, "top 2 by city"), /\*\*city\*\* does not hold numbers/)
  assert.match(await answerTo(csv, "city 最高的 2 行"), /\*\*city\*\* 不是数字/)
  assert.match(await answerTo(csv, "top 2 cities by day"), /\*\*day\*\* does not hold numbers/)
})

describe("a superlative over a column of words", () => {
  const csv = "order,city,day,price\n1,Bonn,2024-01-03,5\n2,Ulm,2024-02-03,60\n3,Bonn,2024-03-03,7\n"
  const two = csv.replace("price", "price,size").replace(/,(\d+)$/gm, ",$1,$1")
  const took = /You named no column to rank by, so I took the average \*\*price\*\*\./

  it.each([
    ["cheapest city", csv, took, /Average price[\s\S]*\| Bonn \| 6 \|[\s\S]*\| Ulm \| 60 \|/],
    ["which city is the cheapest?", csv, took, /\| Bonn \| 6 \|(?![\s\S]*\| Ulm)/],
    ["most expensive cities", csv, took, /\| Ulm \| 60 \|[\s\S]*\| Bonn \| 6 \|/],
    ["top city", csv, took, /\| Ulm \| 60 \|[\s\S]*\| Bonn \| 6 \|/],
    ["top 1 cities", csv, took, /\| Ulm \| 60 \|(?![\s\S]*\| Bonn)/],
    ["worst city", csv, took, /\| Bonn \| 6 \|[\s\S]*\| Ulm/],
    ["latest city", csv, /the highest \*\*day\*\*/, /\| Bonn \| 2024-03-03 \|/],
    ["top 2", csv, /so I took \*\*price\*\*/, /from 60 down to 7/],
    ["cheapest city", two, took, /\| Bonn \| 6 \|/],
    ["top city", two, /By which column shall I rank \*\*city\*\*: \*\*price\*\* or \*\*size\*\*\?/, /^[^|]*$/],
    ["top city", "city,note\nBonn,a\nUlm,b\nBonn,c\n", /number of rows by \*\*city\*\*/, /\| Bonn \| 2 \|/],
    ["cheapest city", "city,note\nBonn,a\nUlm,b\n", /No column holds values by which \*\*city\*\*/, /^[^|]*$/],
    ["cheapest city", "city,price\nBonn,5 €\nUlm,$60\n", /\*\*price\*\* does not hold numbers[^|]*€ and \$/, /^[^|]*$/],
    ["最便宜的 city", csv, /您没有说按哪一列排名，所以我用了平均 \*\*price\*\*。/, /\| Bonn \| 6 \|/],
    ["哪个 city 最贵？", csv, /所以我用了平均 \*\*price\*\*/, /\| Ulm \| 60 \|/],
    ["最高的 city", two, /请问按哪一列给 \*\*city\*\* 排名：\*\*price\*\*或\*\*size\*\*？/, /^[^|]*$/]
  ])("%s (%#)", async (request, data, words, figures) => {
    const answer = await answerTo(data, request)
    assert.match(answer, words)
    assert.match(answer, figures)
    assert.doesNotMatch(answer, /left out|略去/)
  })
})

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
    assert.doesNotMatch(answer, /left out|略去/)
  })
})

describe("a request of two parts of which one is refused", () => {
  const csv = "city,month,price,size\nBonn,2024-01-03,€5,2\nUlm,2024-02-03,$60,3\nBonn,2024-03-03,¥7,5\n"

  it.each([
    [
      "total price by city as a table, then chart size by month",
      /total \*\*price\*\* by \*\*city\*\*[\s\S]*size by month/
    ],
    [
      "total size by city as a table, then chart price by month",
      /“chart price by month”[\s\S]*€, \$ and ¥[\s\S]*\| Bonn \| 7 \|/
    ],
    ["total size by city as a table and chart price by month", /“chart price by month”[\s\S]*\| Bonn \| 7 \|/],
    ["chart price by month, then total size by city as a table", /“chart price by month”[\s\S]*\| Bonn \| 7 \|/],
    ["total size by city, then top 2 by price", /“top 2 by price”[\s\S]*\| Bonn \| 7 \|/],
    ["按 city 统计总 size，用表格显示，然后按月画 price 的图", /price[\s\S]*€、\$和¥[\s\S]*\| Bonn \| 7 \|/],
    ["按 city 统计总 size 的表格，然后按月画 price 的图", /price[\s\S]*€、\$和¥[\s\S]*\| Bonn \| 7 \|/],
    ["按 city 统计总 price，然后按月画 size 的图", /总 \*\*price\*\*[\s\S]*图中是/],
    [
      "total price by city as a table, then chart price by month",
      /“chart price by month”[\s\S]*€, \$ and ¥[\s\S]*\| Bonn \| €5 \|/
    ],
    [
      "按 price 排序的前 2 行，然后按月画 price 的图",
      /略去了“按 price 排序的前 2 行”[\s\S]*€、\$和¥[\s\S]*略去了“按月画 price 的图”/
    ]
  ])("%s: does the other, and says which was not done", async (request, expected) => {
    assert.match(await answerTo(csv, request), expected)
  })
})

describe("a figure whose measure or column is not named", () => {
  const csv = "order,城市,单价,数量\nA1,北京,5,1\nA2,上海,6,2\nA3,北京,9,3\n"

  it.each([
    ["单价 by 城市", /\*\*单价\*\* is averaged[^]*\| 北京 \| 7 \| 2 \|/],
    ["数量 by 城市", /\*\*数量\*\* is added up[^]*\| 北京 \| 4 \| 2 \|/],
    ["按城市统计单价", /平均 \*\*单价\*\*[^]*\| 北京 \| 7 \| 2 \|/],
    ["哪个城市的单价最高", /平均 \*\*单价\*\*[^]*\| 北京 \| 7 \|/],
    ["按城市画单价的图", /“按城市的平均单价”/],
    ["每个城市有多少订单", /“订单”我没有看懂[^]*\| 北京 \| 2 \|/],
    ["which 城市 has the highest 单价?", /The row with the highest \*\*单价\*\* has 9/],
    ["单价 top 2", /from 9 down to 6/]
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
    ["sort by city", /\*\*city\*\* does not hold numbers/],
    ["sort by size", /no column “size”/],
    ["按 price 从高到低排序", /从 60 到 5/]
  ])("%s: is that of the column", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
    assert.doesNotMatch(answer, /left out|略去/)
  })
})
