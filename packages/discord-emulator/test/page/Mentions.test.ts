import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { mentionBefore, mentionSuggestions, encodeMentions, decodeMentions } from "../../page/model/Mentions.ts"
import { reduce } from "../../page/model/Reduce.ts"
import { initialState } from "../../page/model/State.ts"
import type { Snapshot } from "../../page/model/Types.ts"

const role = (id: string, name: string, mentionable: boolean) =>
  ({ id, name, mentionable }) as Snapshot["roles"][number]

const state = reduce(initialState, {
  type: "snapshot",
  snapshot: {
    me: "1",
    locale: "en-US",
    locales: ["en-US"],
    botId: "2",
    guild: { id: "9", name: "Local server", ownerId: "1", locale: "en-US", canManage: true },
    users: [
      { id: "1", username: "Sam", nick: "Chief" },
      { id: "2", username: "Sam Two", bot: true },
      { id: "3", username: "gone", member: false }
    ],
    roles: [role("9", "@everyone", true), role("20", "Weavers", true), role("21", "Secret", false)],
    channels: [
      { id: "100", name: "general", type: 0 },
      { id: "200", name: "general talk", type: 11, parentId: "100" },
      { id: "300", name: "Work", type: 4 }
    ],
    commands: []
  }
})

describe("mentions", () => {
  it("replaces whole names, the longest first", () => {
    assert.equal(
      encodeMentions(state, "@Sam, @Sam Two and @Weavers in #general talk"),
      "<@1>, <@2> and <@&20> in <#200>"
    )
    assert.equal(encodeMentions(state, "(@Sam) **@Sam** @Sam's"), "(<@1>) **<@1>** <@1>'s")
  })

  it("does not replace text that only looks like a mention", () => {
    for (const text of ["a@Sam", "@Samuel", "@gone", "@Secret", "@everyone", "#generally", "<@1>", "@Chief", "#Work"])
      assert.equal(encodeMentions(state, text), text)
    const code = "`@Sam` ```\n#general\n```"
    assert.equal(encodeMentions(state, code), code)
  })

  it("decodes to names for an edit and encodes to the same mentions", () => {
    const sent = "<@1> and <@&20> in <#100>, not <@777>, `<@1>`"
    assert.equal(decodeMentions(state, sent), "@Sam and @Weavers in #general, not <@777>, `<@1>`")
    assert.equal(encodeMentions(state, decodeMentions(state, sent)), sent)
  })

  it("suggests mentions for the word before the caret, by nickname and by name", () => {
    assert.equal(mentionBefore("mail a@b"), undefined)
    assert.equal(mentionBefore("ask @Sam then"), undefined)
    assert.deepEqual(mentionBefore("ask @ch"), { at: 4, typed: "@ch" })
    const labels = (typed: string) => mentionSuggestions(state, { at: 0, typed }).map(({ label }) => label)
    assert.deepEqual(labels("@ch"), ["@Chief"])
    assert.deepEqual(labels("@sam"), ["@Chief", "@Sam Two"])
    assert.deepEqual(labels("#talk"), ["#general talk"])
    assert.deepEqual(labels("@"), ["@Chief", "@Sam Two", "@Weavers"])
  })
})
