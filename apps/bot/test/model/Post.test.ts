import { assert, describe, it } from "@effect/vitest"
import * as Post from "@heddle/bot/model/Post"

describe("the key of a post", () => {
  it("tells what the agent said in the turn from what it still said to the turn before", () => {
    const own = ["text:@0:0", "text:later:0", "more:@0", "tools:tool:late", "remark:n1", "file:@0:1"]
    const others = ["text:late:0", "text:late:19", "remark:late", "more:late", "end", "answer:late"]
    assert.deepEqual([...own, ...others].filter(Post.isOwnOutput), own)
  })
})
