import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import * as AuditLog from "@heddle/bot/view/AuditLog"
import { plain } from "@heddle/bot/text/Escape"
import { plainName } from "@heddle/bot/text/PlainName"
import { oneLine } from "@heddle/bot/text/Truncate"
import * as TaskList from "@heddle/bot/view/TaskList"

const names = {
  "\u202egnp.exe\u202c": "gnp.exe",
  "a\u2066b\u2069\u200f c\u061c": "ab c",
  "zero\u200bwidth \u2060join\u00ader": "zerowidth joiner",
  "two\nlines\u0007": "two lines",
  // What families and flags are made of stays.
  "👩‍👩‍👧 می‌خواهم": "👩‍👩‍👧 می‌خواهم",
  "https://evil.example/login": "https:\u200b//evil.example/login",
  "[a](https://evil.example)": "\\[a\\](https:\u200b//evil.example)",
  "<https://evil.example> <@1> <t:1:R>": "\\<https:\u200b//evil.example\\> \\<@1\\> \\<t:1:R\\>",
  "||x|| ` ***": "\\|\\|x\\|\\| \\` \\*\\*\\*"
}

describe("names by people and agents", () => {
  it("do not reverse or hide text and are not clickable, on cards, in lists and in the audit log", () => {
    for (const [name, shown] of Object.entries(names)) {
      assert.strictEqual(plain(oneLine(name, 90)), shown)
      const at = { page: 1, size: 10, total: 1 }
      const entry = { eventId: "1", guildId: "2", at: 0, actorId: "3", threadId: undefined }
      const audit = AuditLog.page([{ ...entry, action: { _tag: "Started", task: name } }], at, english)
      assert.include(audit.embeds?.[0]?.description, `started **${shown}**`)
      const listed = { name, status: "idle", createdAt: undefined, threadId: undefined }
      assert.include(TaskList.page([listed], at, english).embeds?.[0]?.description, `**${shown}**`)
      assert.include(english.turnPosts.startedHeader("1", oneLine(name, 90), "", []), `**${shown}**`)
    }
  })

  it("lose their Markdown, and keep similar characters", () => {
    const bare = {
      "Look at the **CSV**, *please*": "Look at the CSV, please",
      "# Report\n\n- of `orders.csv`": "Report - of orders.csv",
      "> **__both__** ~~not~~": "both not",
      "2 * 3 * 4, a*b*c, snake_case_name, __init__.py": "2 * 3 * 4, a*b*c, snake_case_name, __init__.py",
      "**": "**",
      "[a](https://evil.example)": "[a](https://evil.example)"
    }
    for (const [name, shown] of Object.entries(bare)) assert.strictEqual(plainName(name, 90), shown)
    const task = { name: "the **CSV**", status: "idle", createdAt: 60_000, threadId: undefined }
    const list = TaskList.page([task], { page: 1, size: 10, total: 1 }, english)
    assert.strictEqual(list.embeds?.[0]?.description, "- **the CSV** · idle · started <t:60:R>")
  })
})
