import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import * as AssistantChat from "@heddle/bot/view/AssistantChat"
import * as AssistantMessage from "@heddle/core/domain/AssistantMessage"
import * as Schema from "effect/Schema"

const said = (text: string) =>
  Schema.decodeUnknownSync(AssistantMessage.AssistantMessage)({
    message_id: "1",
    role: "assistant",
    content: [text],
    msg_type: "text",
    created_at: "2026-01-01T00:00:00Z"
  })

const shown = (text: string) => AssistantChat.history([said(text)], 0, english).embeds?.[0]?.description ?? ""

describe("the history of the assistant", () => {
  it("renders Markdown as the conversation does, and keeps names with underscores", () => {
    assert.include(
      shown("**Two** files: `a_b.csv` and my_long_name.csv"),
      "\n**Two** files: `a_b.csv` and my_long_name.csv"
    )
    assert.include(shown("```js\ncode"), "```js\ncode\n```")
    assert.notMatch(shown("@everyone <@1> [link](https://example.com)"), /@everyone|<@1>|\]\(/)
  })
})
