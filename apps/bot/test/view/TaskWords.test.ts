import { assert, describe, it } from "@effect/vitest"
import { chinese, english } from "@heddle/bot/messages/Translations"
import { translateHeader } from "@heddle/bot/view/TaskWords"

describe("the text of a task card", () => {
  it("uses the language of the server and keeps people's own text", () => {
    const id = "1234567890123456789"
    for (const words of ["startedHeader", "openedHeader"] as const) {
      const said = (messages: typeof english) => messages.turnPosts[words](id, "a *b* $& `c`", "p\nq", ["f.csv"])
      assert.strictEqual(translateHeader(said(english), chinese), said(chinese))
      assert.strictEqual(translateHeader(said(chinese), english), said(english))
      assert.strictEqual(translateHeader(said(chinese), chinese), said(chinese))
    }
    assert.strictEqual(translateHeader("", chinese), "")
    assert.strictEqual(translateHeader("> something else", chinese), "> something else")
  })
})
