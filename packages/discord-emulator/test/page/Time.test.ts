import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { fullDateTime, formatTimestamp } from "../../page/text/Time.ts"

describe("a timestamp in a message", () => {
  const at = new Date(2026, 0, 31, 14, 3)
  const later = new Date(at.getTime() + 3 * 60_000)

  it("uses the locale of the person's client", () => {
    assert.equal(formatTimestamp(at, "R", later, "zh-CN"), "3分钟前")
    assert.equal(formatTimestamp(at, "R", later, "en-US"), "3 minutes ago")
    assert.equal(formatTimestamp(at, "D", later, "zh-CN"), "2026年1月31日")
    assert.match(formatTimestamp(at, "t", later, "de"), /^14:03$/)
    assert.match(fullDateTime(at, "zh-CN"), /星期六/)
  })
})
