import { assert, describe, it } from "@effect/vitest"
import { chinese, english } from "@heddle/bot/messages/Translations"
import { inLanguage } from "@heddle/bot/view/TaskWords"

describe("the words of a task's card", () => {
  it("come in the language of the server, and what people wrote stays as it is", () => {
    const id = "1234567890123456789"
    for (const words of ["card", "openedCard"] as const) {
      const said = (messages: typeof english) => messages.shown[words](id, "a *b* $& `c`", "p\nq", ["f.csv"])
      assert.strictEqual(inLanguage(said(english), chinese), said(chinese))
      assert.strictEqual(inLanguage(said(chinese), english), said(english))
      assert.strictEqual(inLanguage(said(chinese), chinese), said(chinese))
    }
    assert.strictEqual(inLanguage("", chinese), "")
    assert.strictEqual(inLanguage("> something else", chinese), "> something else")
  })
})
