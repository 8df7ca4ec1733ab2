import { assert, describe, it } from "@effect/vitest"
import * as Timestamps from "@heddle/bot/local/Timestamps"

describe("timestamps in the terminal", () => {
  const now = new Date(2026, 10, 28, 20, 15).getTime()
  const shown = (text: string) => Timestamps.readable(text, now)
  const seconds = now / 1000

  it("read as at Discord, in the time zone of the machine", () => {
    assert.strictEqual(shown(`until <t:${seconds}:t>`), "until 20:15")
    assert.match(
      shown(`<t:${seconds}:f> and <t:${seconds}>`),
      /^28 November 2026.* 20:15 and 28 November 2026.* 20:15$/
    )
    assert.strictEqual(shown(`<t:${seconds + 300}:R>, <t:${seconds - 7200}:R>`), "in 5 minutes, 2 hours ago")
    assert.strictEqual(shown(`<t:${seconds + 20}:R>`), "in 20 seconds")
  })

  it("leaves every other text as it is", () => {
    for (const text of ["<t:>", "<t:12:x>", "<@123>", "a < t:1 >"]) assert.strictEqual(shown(text), text)
  })
})
