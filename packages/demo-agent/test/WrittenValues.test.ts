import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

const regions = "region,date,sales\nUS,2025-01-01,10\nEU,2025-01-02,20\nUS,2025-02-01,30\n"
const teams = "product,team,points\nLamp,IT,10\nDesk,HR,20\nChair,IT,30\n"
const classes = "class,points\nA,1\nB,2\nA,4\n"
const tiers = "tier,points\nbasic,10\nfull,20\nbasic,30\n"

describe("a value of the data that is also a word of requests", () => {
  it.each([
    [regions, "total sales for US", /\b40\b/],
    [regions, "total US sales", /\b40\b/],
    [regions, "US sales", /\b40\b/],
    [regions, "how many US rows", /\b2\b/],
    [regions, "US rows", /\b2\b/],
    [teams, "points of IT", /\b40\b/],
    [teams, "total points in IT", /\b40\b/],
    [classes, "points of A", /\b5\b/],
    [classes, "total points of A", /\b5\b/]
  ])("chooses rows in %j: %s", async (content, request, expected) => {
    const said = await answerTo(content, request)
    assert.match(said, expected)
    assert.doesNotMatch(said, /did not understand/)
  })

  it.each([
    [regions, "total sales US"],
    [regions, "chart sales by month US"],
    [regions, "summarise US"],
    [teams, "products in IT"],
    [teams, "summarise IT"],
    [teams, "what is in IT"],
    [classes, "how many A"],
    [classes, "summarise A"],
    [tiers, "summarise basic"],
    [tiers, "what is in full"]
  ])("is never dropped in %j: %s", async (content, request) => {
    assert.match(await answerTo(content, request), /calculated nothing/)
  })

  it.each([
    [regions, "can you show us a chart of sales by month", /month/],
    [teams, "make a chart of it: points by team", /team/]
  ])("may be a word of the request in another case: %s, %s", async (content, request, expected) =>
    assert.match(await answerTo(content, request), expected)
  )

  it("is never a word of the request in the case of the data", async () =>
    assert.match(await answerTo("region,sales\nus,10\neu,20\n", "show us sales"), /\b10\b|calculated nothing/))
})

describe("a number behind a column", () => {
  const orders =
    "order_id,date,revenue,books\n1001,2024-03-01,10,a\n1002,2025-01-02,20,b\n1003,2025-02-01,30,a\n1004,2025-02-03,5,b\n"
  it.each([
    ["revenue in 2025", /\b55\b/],
    ["revenue for 2025", /\b55\b/],
    ["total revenue in 2025", /\b55\b/],
    ["average revenue for 2024", /\b10\b/]
  ])("is the year of the dates in “%s”", async (request, expected) => {
    const said = await answerTo(orders, request)
    assert.match(said, expected)
    assert.doesNotMatch(said, /0 rows|revenue is 2/)
  })
  it.each(["orders in 2025", "orders over 100", "orders below 1003"])(
    "is no number of an order in “%s”",
    async (request) => {
      const said = await answerTo(orders, request)
      assert.match(said, /calculated nothing/)
      assert.doesNotMatch(said, /order_id\W+(?:is|[<>])\W*\d/)
    }
  )
  it("still compares an identifier that is compared in full", async () =>
    assert.match(await answerTo(orders, "only rows where order_id > 1002"), /\b2\b/))
  it("asks which of several dates a year is of", async () => {
    const said = await answerTo(
      "ordered,shipped,revenue\n2024-03-01,2025-01-01,10\n2025-03-01,2025-04-01,20\n",
      "revenue in 2025"
    )
    assert.match(said, /“2025” may be \*\*ordered\*\* or \*\*shipped\*\*/)
  })
  it("is not understood as a year without dates", async () =>
    assert.match(await answerTo("city,revenue\nBonn,10\nUlm,2025\n", "revenue in 2025"), /calculated nothing/))
})

describe("a column that is called 数量", () => {
  const csv = "类别,数量\n图书,10\n玩具,5\n图书,30\n"
  it.each(["图书数量", "图书的数量是多少", "图书的数量"])("is added up, not its rows counted: %s", async (request) =>
    assert.match(await answerTo(csv, request), /40/)
  )
})
