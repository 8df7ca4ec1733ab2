import { assert, describe, it } from "@effect/vitest"
import * as RetryAfter from "@heddle/core/RetryAfter"

const date = "Mon, 23 Nov 2026 04:00:00 GMT"

describe("RetryAfter", () => {
  it.each([
    ["0", 0],
    [" 2 ", 2],
    ["1.5", 1.5],
    ["Mon, 23 Nov 2026 04:00:07 GMT", 7],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
    ["99999999999", 1e9],
    ["9".repeat(400), 1e9],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 1e9],
    ["-3", undefined],
    ["soon", undefined],
    ["3, 5", undefined],
    ["", undefined]
  ])("reads %j as %j seconds", (text, seconds) => {
    assert.strictEqual(RetryAfter.parseSeconds(text, date, 0), seconds)
  })
})
