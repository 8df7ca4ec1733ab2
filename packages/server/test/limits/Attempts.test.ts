import { assert, describe, it } from "@effect/vitest"
import * as Attempts from "@heddle/server/limits/Attempts"

describe("Attempts", () => {
  it("remembers ten thousand keys, and forgets the least recently used one for another", () => {
    const attempts = Attempts.make({ limit: 1, windowMillis: 1000 })
    for (let key = 0; key < 10_000; key++) attempts.fail(`key ${key}`, 0)
    const isLimited = (key: number) => attempts.wait(`key ${key}`, 1) !== undefined
    assert.deepStrictEqual([isLimited(0), isLimited(1), isLimited(9999)], [true, true, true])
    attempts.fail("key 0", 1)
    attempts.fail("key 10000", 1)
    assert.deepStrictEqual(
      [isLimited(0), isLimited(1), isLimited(2), isLimited(10_000)],
      [true, false, true, true],
      "key 0 was used again"
    )
  })
})
