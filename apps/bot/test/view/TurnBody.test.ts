import { assert, describe, it } from "@effect/vitest"
import * as TurnBody from "@heddle/bot/view/TurnBody"

describe("TurnBody", () => {
  it("keeps the posts of a growing text beyond the limit, and makes new ones for another text", () => {
    const show = TurnBody.makeAnswerPosts()
    const said = (text: string, ended = false) => show({ id: "m", text }, ended)
    const sentence = "It is so because it is so. "
    const long = sentence.repeat(3000)
    const before = said(long)
    const after = said(long + long)
    assert.isTrue(after.posts.length > 0 && after.posts.every((post, index) => post === before.posts[index]))
    assert.strictEqual(after.hiddenChars, before.hiddenChars + long.length)
    assert.deepEqual(said(long + long, true), after)
    // Told again from its beginning.
    assert.deepEqual(
      said("Other words", true).posts.map(({ content }) => content),
      ["Other words"]
    )
    assert.match(said(`Other words. ${long}`).posts[0]?.content ?? "", /^Other words/)
  })
})
