import { assert, describe, it } from "@effect/vitest"
import * as ServiceMessage from "@heddle/core/ServiceMessage"
import * as Redacted from "effect/Redacted"

describe("ServiceMessage", () => {
  for (const [body, words] of [
    ['{"code":1,"msg":"No such session"}', "No such session"],
    ['{"error":"invalid_token"}', "invalid_token"],
    ["not\n\nfor you", "not for you"],
    ['{"message":"s3cret-value at http://host/path?token=1, then over"}', "[redacted] at [link] then over"],
    ["Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6 ended", "Bearer [redacted] ended"],
    ["<p>not</p>", undefined],
    ['{"msg":"<script>1</script>"}', undefined],
    ["", undefined]
  ] as const) {
    it(`reads ${JSON.stringify(body)}`, () => {
      assert.strictEqual(ServiceMessage.read(body, 100, [Redacted.make("s3cret-value")]), words)
    })
  }

  it("gives at most as many characters as allowed", () => {
    assert.strictEqual(ServiceMessage.read("one two three", 8), "one two…")
  })
})
