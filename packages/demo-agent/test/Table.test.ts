import assert from "node:assert"
import { describe, it } from "vitest"
import { detectDialect, looksDelimited, readCsv } from "@heddle/demo-agent/data/Csv"
import { summariseLabels, summariseNumbers } from "@heddle/demo-agent/data/Statistics"
import { allRows, isLabel, type Column, type Table } from "@heddle/demo-agent/data/Table"
import { columnTable, listFindings, profileColumns } from "@heddle/demo-agent/answer/TableProfile"
import { ordersCsv } from "./support/Orders.ts"

const signal = new AbortController().signal
const read = (text: string | Uint8Array, delimiter?: "\t"): Promise<Table> =>
  readCsv(typeof text === "string" ? Buffer.from(text) : text, "data.csv", signal, delimiter)
const column = (table: Table, name: string): Column => table.columns.find((candidate) => candidate.name === name)!
const kinds = (table: Table): Record<string, string> =>
  Object.fromEntries(table.columns.map(({ name, kind }) => [name, kind]))
const numbers = (found: Column): ReadonlyArray<number> => (isLabel(found) ? [] : [...found.values])

describe("reading", () => {
  it("detects the kind of each column", async () => {
    const table = await read(
      "id,price,on,paid,who,zip,none\n1,2.5,2024-01-02,yes,Ann,01234,\n2,3,2024-01-03,no,Bob,99999,\n"
    )
    assert.deepStrictEqual(kinds(table), {
      id: "integer",
      price: "number",
      on: "date",
      paid: "boolean",
      who: "text",
      zip: "text",
      none: "empty"
    })
  })

  it("survives a byte order mark, CRLF, quoted newlines and blank lines", async () => {
    const table = await read('\ufeffname;note\r\n"A; B";"two\r\nlines"\r\n\r\nC;""\r\n')
    assert.deepStrictEqual(
      table.columns.map(({ name }) => name),
      ["name", "note"]
    )
    assert.strictEqual(table.rowCount, 2)
    const note = column(table, "note")
    assert.deepStrictEqual(isLabel(note) ? note.labels : [], ["two\r\nlines"])
  })

  it("counts and reports ragged rows", async () => {
    const table = await read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert.strictEqual(table.rowCount, 3)
    assert.match(
      table.notes.join(" "),
      /2 rows have a different number of cells than the header's 3 \(1 shorter, 1 longer; the first is data row 2\)/
    )
    assert.deepStrictEqual(numbers(column(table, "c")), [3, Number.NaN, 8])
  })

  it("counts repeated rows", async () => assert.strictEqual((await read("a,b\n1,2\n1,2\n2,1\n1,2\n")).duplicateRows, 2))

  it("reads decimal commas and reports it", async () => {
    const price = column(await read("what;price\na;1.234,50\nb;12,5\n"), "price")
    assert.deepStrictEqual(numbers(price), [1234.5, 12.5])
    assert.match(price.notes.join(), /decimal comma/)
  })

  it("reports the assumed date notation", async () => {
    const ambiguous = column(await read("d\n01/02/2024\n03/04/2024\n"), "d")
    assert.match(ambiguous.notes.join(), /month\/day\/year; every one of them would also fit/)
    const decided = column(await read("d\n13/02/2024\n03/04/2024\n"), "d")
    assert.strictEqual(numbers(decided)[1], Date.UTC(2024, 3, 3))
  })

  it("counts invalid values as missing and shows them", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => String(i)).join("\n")
    const found = column(await read(`n\n${rows}\noops\n`), "n")
    assert.strictEqual(found.kind, "integer")
    assert.match(found.notes.join(), /1 value is not a number .*“oops”/)
  })

  it("numbers the columns when there is no header", async () => {
    const table = await read("2024-01-01,EU,5\n2024-01-02,US,6\n")
    assert.deepStrictEqual(
      table.columns.map(({ name }) => name),
      ["column 1", "column 2", "column 3"]
    )
    assert.strictEqual(table.rowCount, 2)
    assert.strictEqual((await read("country,2019,2020\nDE,1.5,2.5\n")).rowCount, 1)
  })

  it("makes names unique and fills blank ones", async () => {
    assert.deepStrictEqual(
      (await read("a,a,\nx,y,z\n")).columns.map(({ name }) => name),
      ["a (1)", "a (2)", "column 3"]
    )
  })

  it("reads an unclosed quote as a character", async () => {
    const table = await read('a,b\n1,"x\n2,y\n3,z\n')
    assert.strictEqual(table.rowCount, 3)
    assert.match(table.notes.join(), /never closed/)
  })

  it.each([
    ["header only", "a,b,c\n", 0, 3],
    ["one column", "price\n1\n2\n", 2, 1],
    ["one huge line", `a\n${"x".repeat(3_000_000)}\n`, 1, 1],
    ["sep line", "sep=;\na;b\n1;2\n", 1, 2],
    ["tabs", "a\tb\n1\t2\n", 1, 2]
  ])("reads %s", async (_, text, rows, columns) => {
    const table = await read(text)
    assert.deepStrictEqual([table.rowCount, table.columns.length], [rows, columns])
  })

  it("stops when it is cancelled", async () => {
    const controller = new AbortController()
    const reading = readCsv(Buffer.from(ordersCsv(100_000)), "big.csv", controller.signal)
    setTimeout(() => controller.abort(), 20)
    await assert.rejects(reading, { name: "AbortError" })
  })
})

describe("detection", () => {
  it("finds the delimiter", () => {
    assert.strictEqual(detectDialect('a;b;c\n1,5;2,5;"x;y"\n').delimiter, ";")
    assert.strictEqual(detectDialect('"a,b",c\n"d,e",f\n').delimiter, ",")
  })
  it("distinguishes prose from a table", () => {
    assert.strictEqual(looksDelimited("Well, this is prose.\nAnd, again, more of it.\n"), false)
    assert.strictEqual(looksDelimited("a,b\n1,2\n"), true)
    assert.strictEqual(looksDelimited("just one line, really"), false)
  })
})

describe("statistics", () => {
  it("measures numbers", async () => {
    const values = column(await read("n,x\n1,a\n2,a\n3,a\n4,a\n5,a\n6,a\n7,a\n100,a\n,a\n"), "n")
    assert.ok(!isLabel(values))
    const s = summariseNumbers(
      values,
      Uint32Array.from({ length: 9 }, (_, i) => i)
    )
    assert.deepStrictEqual(
      [s.present, s.missing, s.min, s.max, s.median, s.mean, s.sum, s.distinct],
      [8, 1, 1, 100, 4.5, 16, 128, 8]
    )
    assert.deepStrictEqual([s.firstQuartile, s.thirdQuartile], [2.75, 6.25])
    assert.deepStrictEqual([s.outliers.count, s.outliers.examples], [1, [100]])
    assert.ok(Math.abs(s.standardDeviation - 34) < 0.001)
  })

  it("computes no statistics without values", async () => {
    const table = await read("n\n")
    const found = table.columns[0]!
    assert.ok(isLabel(found))
    assert.deepStrictEqual(summariseLabels(found, allRows(table)), {
      present: 0,
      missing: 0,
      distinct: 0,
      topLabels: []
    })
  })

  it("reports findings and keeps tables narrow", async () => {
    const table = await read(ordersCsv(2000, { columns: 100 }))
    const profiles = await profileColumns(table, allRows(table), signal)
    const shown = columnTable(profiles)
    assert.match(shown, /80 more columns/)
    for (const line of shown.split("\n")) assert.ok(line.split("|").length <= 8, line)
    const found = listFindings(table, profiles).join("\n")
    assert.match(found, /\*\*unit_price\*\* has \d+ outliers? /)
    assert.match(found, /\*\*date\*\* is missing in \d+ rows/)
    assert.doesNotMatch(found, /order_id/)
  })

  it("never lets data become markup", async () => {
    const table = await read('name,n\n"a|b`c` <@1> [x](http://y) **z** @everyone",1\nplain,2\n')
    const shown = columnTable(await profileColumns(table, allRows(table), signal))
    assert.ok(
      !shown.includes("@everyone") && !shown.includes(" <@1>") && !shown.includes("[x](http") && !shown.includes("a|b"),
      shown
    )
    assert.ok(shown.split("\n").every((line) => line.replace(/\\\|/g, "").split("|").length === 4))
  })
})
