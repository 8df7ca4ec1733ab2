import { assert, describe, it } from "@effect/vitest"
import { chinese, english } from "@heddle/bot/messages/Translations"
import type { ArtifactContent, ArtifactCard } from "@heddle/bot/model/ArtifactCard"
import { cardLabel, page } from "@heddle/bot/view/artifact/ArtifactList"
import { titleOf } from "@heddle/bot/view/artifact/CardTitle"
import * as ArtifactCards from "@heddle/bot/view/ArtifactCards"

const card = (body: ArtifactContent): ArtifactCard => ({
  uri: "plan.md",
  number: 1,
  createdAt: 1,
  madeIn: "1",
  changedIn: "1",
  deleted: false,
  body
})
const plan = card({ _tag: "Plan", title: "Plan", text: "# Plan\n- look" })
const tasks = card({ _tag: "Tasks", title: "Tasks", items: [], done: 0, total: 0, cancelled: 0 })
const summary = card({ _tag: "Overview", title: "Summary", text: "All is well." })
const report = card({ _tag: "Overview", title: "Sales in 2025", text: "All is well." })

describe("the title of a card", () => {
  it("is translated and not repeated when it only names the kind", () => {
    assert.deepEqual(
      [plan, tasks, summary, report].map((each) => titleOf(each, chinese, 100)),
      ["计划", "任务清单", "总结", "Sales in 2025"]
    )
    assert.strictEqual(titleOf(plan, english, 100), "Plan")
    assert.strictEqual(cardLabel(plan, chinese, 100), "计划")
    assert.strictEqual(cardLabel(report, chinese, 100), "Sales in 2025 · 总结")
    const [listed] = page([plan, report], 1, () => undefined, chinese).embeds ?? []
    assert.strictEqual(listed?.description, "1. 📋 **计划**\n2. 🏁 **Sales in 2025** · 总结")
    const context = {
      turnId: "1",
      words: undefined,
      prompt: "",
      uploadLimit: 1,
      messages: chinese,
      isPosted: () => false
    }
    assert.strictEqual(ArtifactCards.cardsAbove([plan], context)[0]?.embeds[0]?.title, "📋 计划")
    assert.strictEqual(ArtifactCards.cardsAbove([plan], context)[0]?.embeds[0]?.description, "- look")
  })
})
