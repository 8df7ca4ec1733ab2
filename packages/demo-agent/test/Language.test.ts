import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

const csv =
  "order,date,region,product,quantity,unit price\n" +
  "1001,2026-01-02,APAC,Desk,2,498\n1002,2026-01-05,APAC,Shelf,3,387\n" +
  "1003,2026-02-05,EU,Lamp,4,156\n1004,2026-03-08,EU,Rug,1,159\n1005,2026-03-09,US,Rug,,20\n"

describe("a request", () => {
  it.each<readonly [request: string, expected: RegExp]>([
    ["How many rows?", /There are 5 rows\./],
    ["count", /There are 5 rows\./],
    ["Can you please tell me how many rows there are?", /There are 5 rows\./],
    ["number of rows by region", /\| APAC \| 2 \|\n\| EU \| 2 \|\n\| US \| 1 \|/],
    ["average unit price", /The average \*\*unit price\*\* is \*\*244\*\* \(over 5 values\)/],
    ["What is the total of unit_price?", /\*\*1,220\*\*/],
    [
      "please show me the median quantity",
      /\*\*2.5\*\* \(over 4 values\)\. 1 row has no quantity and does not count\./
    ],
    ["can you calculate the lowest unit price and quantity please", /\*\*20\*\*[^]*\*\*1\*\*/],
    ["maximum quantity per product", /\| Lamp \| 4 \|/],
    ["sum of unit price and quantity by region as a table", /\| APAC \| 885 \| 5 \|/],
    ["total unit price by month", /\| 2026-01 \| 885 \|[^]*\| 2026-03 \| 179 \|/],
    ["total unit price by year", /\| 2026 \| 1,220 \|/],
    ["total unit price for each date", /\| 2026-01-02 \| 498 \|/],
    ["which region has the highest unit price?", /\*\*APAC\*\* has the highest total \*\*unit price\*\*: 885/],
    ["which region has the lowest average unit price?", /\*\*US\*\* has the lowest average \*\*unit price\*\*: 20/],
    ["which region has the most rows?", /\*\*APAC\*\* and \*\*EU\*\* have the highest number of rows: 2/],
    ["draw a chart", /\[picture: Average unit price by date\]/],
    ["chart unit price by month", /\[picture: Average unit price by month\]/],
    ["draw a bar chart of total quantity by region", /\[picture: Total quantity by region\]/],
    ["plot unit price over date", /\[picture: Average unit price by date\]/],
    [
      "chart unit price and quantity by month",
      /\[picture: Average unit price by month\][^]*\[picture: Total quantity by month\]/
    ],
    ["chart count by region", /\[picture: Number of rows by region\]/],
    ["line chart of unit price by region", /A line needs dates or numbers/],
    ["top 2 by unit price", /\| 1001 \|[^]*\| 1002 \|[^]*3 more rows/],
    ["sort by unit price descending", /1001[^]*1002[^]*1004[^]*1003[^]*1005/],
    ["sort by region", /APAC[^]*EU[^]*US/],
    ["first 2 rows", /\| 1002 \|[^]*3 more rows/],
    ["show the rows", /\| 1005 \|/],
    ["only rows where region is EU", /2 of 5 rows fit\.[^]*Based on 2 rows where region is EU, of 5/],
    ["how many rows where unit price is over 156", /3 of 5 rows fit/],
    ["how many rows where unit price at least 156", /4 of 5 rows fit/],
    ["how many rows where region is not EU", /3 of 5 rows fit/],
    ['how many rows where product contains "e"', /2 of 5 rows fit/],
    ["how many rows where date > 2026-02", /2 of 5 rows fit/],
    ["how many rows where date is March 2026", /2 of 5 rows fit/],
    ['total quantity where region is "Mars"', /No row fits the condition/],
    [
      "total unit price by region where product is Rug, then chart unit price by month; count",
      /\| EU \| 159 \|[^]*where product is Rug, of 5[^]*There are 5 rows\.[^]*all 5 rows/
    ],
    ["“total quantity”", /\*\*10\*\*/],
    ["<@123456> count. Then average quantity.", /5 rows[^]*\*\*2.5\*\*/]
  ])("%s", async (request, expected) => assert.match(await answerTo(csv, request), expected))

  it.each<readonly [request: string, named: string]>([
    ["total unit price by city", "“city”"],
    ["total unit price by region, then sing", "“sing”"],
    ["write me a poem", "“write me” and “poem”"],
    ["histogram of quantity", "“histogram”"],
    ["chart quantity by month in purple", "“purple”"],
    ["total quantity by region and product", "“and product”"],
    ["average quantity and total unit price", "“total unit price”"],
    ["only rows where region is Paris", "“Paris”. **region** has the values APAC, EU and US."],
    ["thanks, now how many rows", "“now”"],
    ["Hi heddle, total unit price by city, thanks", "“city”"],
    ["hello histogram of quantity", "“histogram”"],
    ["only rows where region is Paris, thanks", "“Paris”. **region** has the values APAC, EU and US."],
    ["now as a table", "“now”"],
    ["total where region is EU", "“where region is EU”"]
  ])("%s: names what it did not understand, and calculates nothing", async (request, named) => {
    const answer = await answerTo(csv, request)
    assert.ok(answer.includes(named), answer)
    assert.match(answer, /So I calculated nothing\.[^]*You can say for example “total unit price by region”/)
    assert.doesNotMatch(answer, /Based on|^\|/m)
  })

  it.each(["quantity", "average", "show the region", "按月统计 quantity"])(
    "%s: says that it is not complete",
    async (request) => {
      const answer = await answerTo(csv, request)
      assert.match(answer, /^“[^”]+” is no complete request\. The columns are|^“[^”]+”不是完整的请求。数据的列有/)
      assert.ok(answer.includes(`“${request}”`), answer)
      assert.match(answer, /calculated nothing|没有计算/)
    }
  )

  it.each<readonly [request: string, reason: RegExp]>([
    ["total region", /\*\*region\*\* is not read as numbers/],
    ["top 2 by product", /\*\*product\*\* is not read as numbers/],
    ["average date", /\*\*date\*\* is a column of dates, and not of numbers/],
    ["total quantity by month of region", /\*\*region\*\* is not read as dates/]
  ])("%s: says what the data does not allow", async (request, reason) => {
    assert.match(await answerTo(csv, request), reason)
  })

  it.each([
    "Hi! total unit price by region",
    "hello, total unit price by region",
    "hi total unit price by region",
    "Hi there, how are you? Total unit price by region!",
    "Hi heddle, total unit price by region, thanks!",
    "Hey Claude! Please show the total unit price by region. Thank you very much 🙏",
    "👋 good morning everyone! total unit price by region, thanks in advance",
    "Hello\ntotal unit price by region\nthanks",
    "great, thanks! total unit price by region, thanks",
    "你好，total unit price by region，谢谢！",
    "你好！按 region 统计总 unit price",
    "您好请按 region 统计总 unit price，谢谢",
    "好的，按 region 统计总 unit price，谢谢你！"
  ])("%s: the courtesies are no part of it", async (request) =>
    assert.match(await answerTo(csv, request), /\| APAC \| 885 \|/)
  )

  it("cuts no condition and drops no column that has the words of a courtesy", async () => {
    const notes = "no,fine,price,note\n1,2,3,many thanks\n4,5,6,many words\n7,8,9,great 👎\n"
    for (const request of [
      "no, fine, total price",
      "how many rows where note contains many thanks",
      "how many rows where note is great 👍",
      "total price thanks"
    ])
      assert.match(await answerTo(notes, request), /calculated nothing/, request)
  })

  it("takes no name or value of the data for a courtesy", async () => {
    const odd = 'hello,thanks,word,你好\n1,10,hi,1\n2,20,thanks,2\n3,30,"New, thanks",3\n'
    const cases: ReadonlyArray<readonly [request: string, expected: RegExp]> = [
      ["hello 的总和", /\*\*6\*\*/],
      ["hello, total hello, thanks", /calculated nothing/],
      ["total thanks, thanks", /calculated nothing/],
      ["你好的总和，谢谢", /\*\*6\*\*/],
      ["total hello where word is hi, thanks", /calculated nothing/],
      ["total hello where word is thanks", /\*\*2\*\*/],
      ["total hello where word is New, thanks", /\*\*3\*\*/],
      ["hello", /calculated nothing/],
      ["hey New, total hello", /\*\*6\*\*/]
    ]
    for (const [request, expected] of cases) assert.match(await answerTo(odd, request), expected, request)
    for (const request of ["hi EU, total unit price", "total unit price, thanks EU", "Thanks Rug! Total unit price"])
      assert.match(await answerTo(csv, request), /calculated nothing/, request)
  })

  it("takes no value or name of the data for a word of the language", async () => {
    const odd = "count,month,is it?,total\n5,OK,yes,10\n7,HI,no,20\n9,US,yes,30\n9,IT,no,40\n"
    assert.match(await answerTo(odd, "total total"), /\*\*100\*\*/)
    assert.match(await answerTo(odd, "sum of count by month"), /\| OK \| 5 \|/)
    for (const value of ["OK", "HI", "US", "IT"])
      assert.match(await answerTo(odd, `how many rows where month is ${value}`), /1 of 4 rows fits/)
    assert.match(await answerTo(odd, 'total count by "is it?"'), /\| yes \| 14 \|/)
    assert.match(await answerTo(odd, "total count by is it?"), /\| yes \| 14 \|/)
  })

  it("says which of several columns of dates it needs", async () => {
    const dates = "ordered,shipped,price\n2024-01-03,2024-02-05,5\n2024-01-04,2024-03-05,6\n"
    assert.match(
      await answerTo(dates, "total price by month"),
      /Several columns are dates\. Say “total price by month of ordered” or “total price by month of shipped”/
    )
    assert.match(await answerTo(dates, "total price by month of shipped"), /\| 2024-02 \| 5 \|/)
  })

  it("reads a column that is called like a step of time", async () => {
    const months = "month,sales\n2026-01,10\n2026-02,30\n2026-03,20\n"
    assert.match(await answerTo(months, "Chart sales by month."), /\[picture: Total sales by month\]/)
    assert.match(await answerTo(months, "total sales by month"), /\| 2026-02 \| 30 \|/)
  })
})

describe("a report", () => {
  it.each([
    "What is in this file?",
    "analyse this",
    "summarise",
    "report",
    "describe it",
    "",
    "what is in data.csv?",
    "Analyze the data please!",
    "Hi! What is in this file?",
    "Hello, can you please tell me what is in the file:"
  ])("%s: has the columns, the first rows and a chart", async (request) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, /\*\*data\.csv\*\* has 5 rows and 6 columns\./)
    assert.match(answer, /\| unit price \| number \| 0 \| 20 to 498 \|/)
    assert.match(answer, /\| region \| text \| 0 \| APAC \(2\), EU \(2\), US \(1\) \|/)
    assert.match(answer, /\| date \| date \| 0 \| 2026-01-02 to 2026-03-09 \|/)
    assert.match(answer, /\| 1003 \|[^]*\[picture: Average unit price by date\]/)
  })

  it("is all that there is of a text", async () => {
    const text = "# Plan\n\nCall Bob about the plan.\n"
    assert.match(await answerTo(text, "summarise", "a.md"), /6 words, 3 lines[^]*- Plan[^]*plan \(2\)/)
    assert.match(
      await answerTo(text, "list the headings", "a.md"),
      /Of a text I can only make the report[^]*“summarise”/
    )
  })
})
