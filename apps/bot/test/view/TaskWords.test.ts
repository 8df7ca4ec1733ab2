import { assert, describe, it } from "@effect/vitest"
import { chinese, english } from "@heddle/bot/messages/Translations"
import { translateCard } from "@heddle/bot/view/TaskWords"

describe("the text of a task card", () => {
  it("uses the language of the server and keeps people's own text", () => {
    const id = "1234567890123456789"
    for (const words of ["startedCard", "openedCard"] as const) {
      const said = (messages: typeof english) => messages.turnPosts[words](id, "a *b* $& `c`", "p\nq", ["f.csv"])
      assert.strictEqual(translateCard(said(english), chinese), said(chinese))
      assert.strictEqual(translateCard(said(chinese), english), said(english))
      assert.strictEqual(translateCard(said(chinese), chinese), said(chinese))
    }
    assert.strictEqual(translateCard("", chinese), "")
    assert.strictEqual(translateCard("> something else", chinese), "> something else")
  })
})
