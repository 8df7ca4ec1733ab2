import assert from "node:assert"
import { describe, it } from "vitest"
import { parseDate, parsePeriod } from "@heddle/demo-agent/data/Dates"
import { isMissing, isMissingUnlessText } from "@heddle/demo-agent/data/MissingValues"
import { parseNumber, unitOf } from "@heddle/demo-agent/data/Numbers"

describe("numbers", () => {
  it.each([
    ["1,234.5", ".", 1234.5],
    ["1.234,5", ",", 1234.5],
    ["-7", ".", -7],
    ["($1,200.00)", ".", -1200],
    ["€ 12,50", ",", 12.5],
    ["12,50 €", ",", 12.5],
    ["45%", ".", 45],
    ["1 234 567", ".", 1234567],
    ["1'234.5", ".", 1234.5],
    ["1e3", ".", 1000],
    ["\u22125", ".", -5],
    ["USD 5", ".", 5],
    ["1.234", ",", 1234],
    [".5", ".", 0.5]
  ] as const)("%s with %s is %d", (text, mark, value) => assert.strictEqual(parseNumber(text, mark), value))

  it.each(["", "12a", "1,23", "1.2.3", "--5", "Infinity", "NaN", "0x10", "1,2345", "€", "2024-01-02"])(
    "%s is no number",
    (text) => assert.strictEqual(parseNumber(text, "."), undefined)
  )

  it("reads the unit", () => {
    assert.strictEqual(unitOf("$5"), "$")
    assert.strictEqual(unitOf("5 %"), "%")
    assert.strictEqual(unitOf("5"), undefined)
  })
})

describe("dates", () => {
  const day = Date.UTC(2024, 2, 9)
  it.each([
    ["2024-03-09", "iso"],
    ["2024/3/9", "iso"],
    ["2024-03-09T00:00:00Z", "iso"],
    ["2024-03-09 02:00:00+02:00", "iso"],
    ["9.3.2024", "day.month.year"],
    ["09.03.24", "day.month.year"],
    ["9/3/2024", "day/month/year"],
    ["3/9/2024", "month/day/year"],
    ["9 March 2024", "named"],
    ["Mar 9, 2024", "named"]
  ] as const)("%s as %s", (text, style) => assert.strictEqual(parseDate(text, style), day))

  it.each(["2024-02-30", "2024-13-01", "31.02.2024", "2024-03-09 25:61"])("%s is no date", (text) => {
    assert.strictEqual(parseDate(text, "iso") ?? parseDate(text, "day.month.year"), undefined)
  })

  it("reads periods", () => {
    assert.deepStrictEqual(parsePeriod("2024"), { from: Date.UTC(2024, 0), until: Date.UTC(2025, 0) })
    assert.deepStrictEqual(parsePeriod("2024-Q2"), { from: Date.UTC(2024, 3), until: Date.UTC(2024, 6) })
    assert.deepStrictEqual(parsePeriod("December 2024"), { from: Date.UTC(2024, 11), until: Date.UTC(2025, 0) })
    assert.strictEqual(parsePeriod("soon"), undefined)
  })
})

it("reads NA as text among words and as missing among numbers", () => {
  assert.strictEqual(isMissing("NA"), false)
  assert.strictEqual(isMissingUnlessText("NA"), true)
  assert.strictEqual(isMissing(" n/a "), true)
  assert.strictEqual(isMissing("   "), true)
  assert.strictEqual(isMissing(" null "), true)
  assert.strictEqual(isMissing("      null      "), true)
  assert.strictEqual(isMissing("nullable"), false)
  assert.strictEqual(isMissingUnlessText("     none     "), true)
  assert.strictEqual(isMissingUnlessText("none of these"), false)
})
