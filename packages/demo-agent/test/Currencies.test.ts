import assert from "node:assert"
import { describe, it } from "vitest"
import { answerTo } from "./support/Answer.ts"

describe("amounts beside a column of currencies", () => {
  const csv =
    "order,amount,quantity,currency,city,day\nA1,5,1,EUR,Bonn,2024-01-03\nA2,60,2,USD,Ulm,2024-01-04\n" +
    "A3,700,3,JPY,Bonn,2024-02-03\nA4,40,4,USD,Ulm,2024-02-04\n"

  it.each([
    [
      "total amount",
      /total \*\*amount\*\* is \*\*5\*\* \(EUR\), \*\*100\*\* \(USD\) and \*\*700\*\* \(JPY\): one for each currency/
    ],
    ["average amount", /\*\*50\*\* \(USD\)/],
    ["总 amount", /每种货币分别计算/],
    ["total amount by city", /\| city \| EUR \| USD \| JPY \|[^]*\| Ulm \| – \| 100 \| – \|/],
    ["total amount by currency", /\| USD \| 100 \| 2 \|/],
    ["total amount where currency is USD", /^(?![^]*currencies)[^]*total \*\*amount\*\* is \*\*100/],
    ["total quantity", /^(?![^]*currenc)[^]*total \*\*quantity\*\* is \*\*10\*\*/],
    ["top 2 by amount", /several currencies \(EUR, USD and JPY\)[^|]*“only rows where currency is EUR”\.$/],
    ["top 2 cities by total amount", /^[^|]*several currencies[^|]*$/],
    ["describe amount", /several currencies[^]*\| Sum \| 5 \| 100 \| 700 \|/],
    ["what is in this file?", /\| amount \(USD\) \| 50 \| 50 \|[^]*\*\*amount\*\* is in several currencies/],
    ["only rows where quantity > 1", /\| amount \(USD\) \| 50 \| 50 \|/],
    ["chart amount by month", /^[^|]*several currencies[^|]*$/],
    ["chart amount vs quantity", /^[^|]*several currencies[^|]*$/],
    ["histogram of amount", /several currencies/]
  ])("%s: is one figure for each, or refused with the currencies", async (request, expected) => {
    const answer = await answerTo(csv, request)
    assert.match(answer, expected)
    assert.doesNotMatch(answer, /805|201\.25/)
  })

  it("are no mixture where they are grouped by that column", async () => {
    const answer = await answerTo(csv, "chart amount by currency")
    assert.match(answer, /The chart shows “Total amount by currency”/)
    assert.doesNotMatch(answer, /several|highest|lowest/)
  })

  it("are found by the codes, too, and other words are no currencies", async () => {
    assert.match(await answerTo(csv.replace("currency", "unit"), "total amount"), /one for each currency/)
    for (const labels of [
      ["big", "small"],
      ["Pen", "Cup"],
      ["PEN", "CUP"],
      ["all", "top"],
      ["S", "M"]
    ])
      assert.match(
        await answerTo(`size,amount\n${labels[0]},5\n${labels[1]},7\n${labels[0]},9\n`, "total amount"),
        /\*\*21\*\*/
      )
  })
})

describe("several columns of amounts beside a column of currencies", () => {
  const names = ["net", "gross", "VAT", "discount", "shipping", "unit price", "total", "takings", "clicks"]
  const csv = [
    ["order no", ...names, "quantity", "year", "discount_pct", "weight_kg", "net_eur", "currency"].join(","),
    ["A", ...names.map(() => 100), 1, 2020, 5, 7, 2, "EUR"].join(","),
    ["B", ...names.map(() => 200), 2, 2021, 6, 8, 3, "USD"].join(","),
    ["C", ...names.map(() => 3000), 4, 2023, 7, 9, 4, "JPY"].join(",")
  ].join("\n")

  it.each(names)("%s: is a figure for each currency, whatever the column is called", async (name) => {
    const total = await answerTo(csv, `sum of ${name}`)
    assert.match(total, /\*\*100\*\* \(EUR\), \*\*200\*\* \(USD\) and \*\*3,000\*\* \(JPY\): one for each currency/)
    assert.doesNotMatch(total, /3,300/)
    for (const request of [`top 2 by ${name}`, `chart ${name}`, `chart sum of ${name} by order no`])
      assert.match(await answerTo(csv, request), /^[^|]*in several currencies \(EUR, USD and JPY\)[^|]*$/, request)
  })

  it.each([
    ["quantity", "7"],
    ["weight_kg", "24"],
    ["discount_pct", "18"],
    ["net_eur", "9"]
  ])("%s: is no amount", async (name, total) => {
    const answer = await answerTo(csv, `sum of ${name}`)
    assert.match(answer, new RegExp(`\\*\\*${total}\\*\\*`))
    assert.doesNotMatch(answer, /currenc/)
  })

  it("are named once", async () => {
    const look = await answerTo(csv, "what is in this file?")
    assert.strictEqual(new Set(look.match(/.*several currencies.*/g)).size, 1, look)
    assert.doesNotMatch(look, /1,100|3,300/)
  })

  it("are compared as numbers in a condition, which the answer says", async () => {
    assert.match(await answerTo(csv, "only net > 150"), /\*\*net\*\* is in several currencies[^|]*compares the numbers/)
    assert.doesNotMatch(await answerTo(csv, "only net > 150 and currency is USD"), /several currencies/)
  })
})

describe("currencies that are written in several ways", () => {
  it.each([
    ["eur and EUR", "currency,net,vat\neur,5,1\nEUR,7,1\n EUR ,9,1\n", "**21**"],
    ["€ and EUR", "currency,net,vat\n€,5,1\nEUR,7,1\n", "**12**"],
    ["words and codes", "currency,net,vat\nEuro,5,1\nEUR,7,1\n欧元,9,1\n", "**21**"],
    ["€ and 978", "currency,net,vat\n€,5,1\n978,7,1\n", "**12**"],
    ["two of each", "currency,net,vat\n€,5,1\nEUR,7,1\nusd,9,1\nUSD,1,1\n", "**12** (EUR) and **10** (USD)"]
  ])("%s: are one currency", async (_, csv, total) => {
    const answer = await answerTo(csv, "total net")
    assert.ok(answer.includes(`is ${total}`), answer)
  })

  it("are one group and one value of a condition", async () => {
    const csv = "currency,net,vat\n€,5,1\nEUR,7,1\nusd,9,1\n"
    assert.match(await answerTo(csv, "total net by currency"), /\| EUR \| 12 \| 2 \|/)
    for (const request of ["only EUR", "only €", "only rows where currency is eur", "only rows where currency is 978"])
      assert.match(await answerTo(csv, request), /2 of 3 rows fit/, request)
    assert.match(await answerTo(csv, "what is in this file?"), /\*\*currency\*\*: “€” is read as EUR/)
  })
})

describe("currencies that are hard to see", () => {
  it("are numbers of ISO 4217", async () => {
    const csv = "id,net,gross,currency\n1,5,6,978\n2,60,70,840\n3,5,6,978\n4,7,8,036\n"
    for (const data of [csv, csv.replace(/^4.*\n/m, "")]) {
      assert.match(await answerTo(data, "total net"), /\*\*10\*\* \(EUR\)[^]*\*\*60\*\* \(USD\)/)
      assert.doesNotMatch(await answerTo(data, "what is in this file?"), /\| currency \| \d+ to/)
    }
  })

  it("are missing in some rows", async () => {
    for (const blank of ["", "-", "n/a"]) {
      const one = await answerTo(`id,net,gross,currency\nA,5,6,EUR\nB,60,70,${blank}\nC,5,6,EUR\n`, "total net")
      assert.match(one, /\*\*10\*\* \(EUR\) and \*\*60\*\* \(no currency\)/)
    }
    assert.match(
      await answerTo("id,net,gross,currency\nA,5,6,EUR\nB,60,70,\nC,5,6,USD\n", "总 net"),
      /\*\*60\*\*（无货币）/
    )
  })

  it("are more than forty", async () => {
    const codes = Intl.supportedValuesOf("currency").slice(0, 60)
    const csv = ["id,net,gross,currency", ...codes.map((code, i) => `A${i},${i * 3},1,${code}`)].join("\n")
    const total = await answerTo(csv, "total net")
    assert.match(total, /\| AED \| \d+ \| 1 \|/)
    assert.match(total, /35 more groups left out/)
    assert.doesNotMatch(total, /5,310/)
    assert.match(await answerTo(csv, "chart net by id"), /several currencies \([A-Z]{3}[^)]* and 5\d more\)/)
  })

  it("are named in other languages and beside each amount", async () => {
    assert.match(await answerTo("单号,净额,税额,币种\nA,5,1,欧元\nB,60,2,美元\n", "净额的总和"), /\*\*5\*\*（EUR）/)
    assert.match(
      await answerTo(
        "id,price,price_currency,shipping,shipping_currency\nA,5,EUR,1,USD\nB,60,USD,2,USD\nC,7,EUR,4,CHF\n",
        "total price"
      ),
      /\*\*12\*\* \(EUR\) and \*\*60\*\* \(USD\)/
    )
    const json = JSON.stringify([5, 60].map((net, i) => ({ price: { net, tax: 1, currency: ["EUR", "USD"][i] } })))
    assert.match(await answerTo(json, "total net", "a.json"), /\*\*5\*\* \(EUR\) and \*\*60\*\* \(USD\)/)
  })
})

describe("a sign of several currencies", () => {
  it("is told apart by the column of currencies", async () => {
    const dollars = "id,price,currency\nA,$5,CAD\nB,$6,USD\nC,$7,CAD\n"
    assert.match(await answerTo(dollars, "total price"), /\*\*\$12\*\* \(CAD\) and \*\*\$6\*\* \(USD\)/)
    const euros = await answerTo(`${dollars}D,€7,EUR\nE,€8,EUR\n`, "total price")
    assert.match(euros, /\*\*\$12\*\* \(CAD\), \*\*\$6\*\* \(USD\) and \*\*€15\*\*/)
    assert.match(
      await answerTo(`${dollars}D,€7,EUR\nE,€8,EUR\n`, "total price by id"),
      /\| id \| \$ CAD \| \$ USD \| € \|/
    )
  })

  it("in lower case or beside other words is found, too", async () => {
    for (const labels of [
      ["eur", "usd"],
      ["EUR", "usd"],
      ["€", "$"],
      ["eur", "cad"]
    ])
      assert.match(
        await answerTo(`id,kind,net,vat\nA,${labels[0]},5,1\nB,${labels[1]},60,2\nC,${labels[0]},5,1\n`, "total net"),
        /one for each currency/,
        labels.join()
      )
    for (const words of [
      ["try", "mad"],
      ["pen", "cop"],
      ["kr", "ron"]
    ])
      assert.doesNotMatch(
        await answerTo(`id,kind,net,vat\nA,${words[0]},5,1\nB,${words[1]},60,2\n`, "total net"),
        /currenc/,
        words.join()
      )
  })
})

describe("quantities beside a column of units", () => {
  const csv = "item,weight,unit,price\na,12,kg,5\nb,5,lb,7\nc,3.5,KG,9\n"

  it("are one figure for each unit, and prices are not", async () => {
    assert.match(await answerTo(csv, "total weight"), /\*\*15\.5\*\* \(kg\) and \*\*5\*\* \(lb\): one for each unit/)
    assert.match(await answerTo(csv, "top 2 by weight"), /several units \(kg and lb\)/)
    assert.match(await answerTo(csv, "total price"), /is \*\*21\*\*/)
  })

  it("are no matter of a column of other words", async () => {
    assert.match(await answerTo(csv.replaceAll(/kg|lb/gi, "Sales"), "total weight"), /is \*\*20\.5\*\*/)
  })
})

describe("amounts with other signs and codes", () => {
  it.each([
    [
      "CHF 12 and SEK 30",
      "item,price\na,CHF 12\nb,CHF 1'200.50\nc,SEK 30\n",
      /\*\*1,212\.5 CHF\*\* and \*\*30 SEK\*\*/
    ],
    ["full-width yen", 'item,price\na,￥1200\nb,"¥2,500"\n', /\*\*¥3,700\*\*/],
    ["元", "item,price\na,12元\nb,5 元\n", /\*\*17 CNY\*\*/],
    ["US$ and C$", "item,price\na,US$ 12\nb,C$5\n", /\*\*12 USD\*\* and \*\*5 CAD\*\*/],
    ["negative amounts", 'item,price\na,"$1,200.50"\nb,($300.25)\nc,-$1000\nd,$-10\n', /\*\*-\$109\.75\*\*/],
    ["a comma", "item;price\na;1.234,56 €\nb;-200,00 €\n", /\*\*€1,034\.56\*\*/]
  ])("%s: are read", async (_, csv, expected) => assert.match(await answerTo(csv, "total price"), expected))
})
