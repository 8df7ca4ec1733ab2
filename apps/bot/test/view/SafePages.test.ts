import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/text/Pages"

const contents = (pages: ReadonlyArray<Pages.Page>) => pages.map(({ content }) => content)

const shown = (text: string) => contents(Pages.split(text))

describe("Pages of text that is not trusted", () => {
  it("escapes mentions, but not in code", () => {
    const [page] = Pages.split("Ask @everyone, <@1> and <#2>\n```\n@everyone <@1>\n```")
    assert.strictEqual(page?.content, "Ask @\u200beveryone, <\u200b@1> and <\u200b#2>\n```\n@everyone <@1>\n```")
  })

  it("keeps inline code and tags unless Discord reads a mention in them", () => {
    const same = "Use `<@123456>`, ``@everyone ` @here`` and `List<#1>`: </summary>, a</b>, Map<t:1, x>, `\\`<"
    assert.deepEqual(shown(same), [same])
    assert.deepEqual(shown("a ` b\n`<@1>` c"), ["a ` b\n`<\u200b@1>` c"])
    assert.deepEqual(shown("\\`<@1>` </task new:1>"), ["\\`<\u200b@1>` <\u200b/task new:1>"])
    // Whether code ends is known only at its end: a page that was full before has to stay so.
    for (let words = Pages.limit - 24; words < Pages.limit; words++) {
      const text = `${"x".repeat(words - 20)} \`${"<@1> ".repeat(5)}\` end`
      const grow = Pages.splitter()
      for (let end = text.length - 40; end <= text.length; end++) grow(text.slice(0, end), { hasEnded: false })
      assert.deepEqual(contents(grow(text, { hasEnded: true })), shown(text))
    }
  })

  it("shows where masked links lead, and leaves code as it is", () => {
    assert.deepEqual(shown("See [https://good.example](https://evil.example/a), ![x](https://evil.example)"), [
      "See [https://good.example]\u200b(https://evil.example/a), ![x]\u200b(https://evil.example)"
    ])
    assert.deepEqual(shown("[a](<https://evil.example> 'b')\n> - [c\\](https://evil.example)"), [
      "[a]\u200b(<https://evil.example> 'b')\n> - [c\\]\u200b(https://evil.example)"
    ])
    const same = "Call `f[0](x)` or\n```md\n[a](https://example.com)\n```"
    assert.deepEqual(shown(same), [same])
    // To Discord the code begins elsewhere, or inside of the link.
    for (const text of [
      "a `\nb ` [x](https://evil.example) ` c",
      "[a `b](https://evil.example) c`",
      "[`a`](https://b.example)"
    ])
      assert.notInclude(shown(text).join("\n"), "](", text)
    const [wide] = shown(`| a | b |\n|---|---|\n| [a](https://evil.example/${"x".repeat(40)}) | b |\n`)
    assert.include(wide, "[a]\u200b(https://evil.example/x")
  })

  it("writes out what reverses text, in code too, and leaves out direction marks", () => {
    const [page] = Pages.split(
      "a \u202etxt.exe\u202c \u2067b\u2069 c\u200f\u061c(d)\n\n```js\nif (\u202ea) b\u200e\n```"
    )
    assert.strictEqual(
      page?.content,
      "a ⟨U+202E⟩txt.exe⟨U+202C⟩ ⟨U+2067⟩b⟨U+2069⟩ c(d)\n\n```js\nif (⟨U+202E⟩a) b\n```"
    )
    const long = Pages.split("\u202e".repeat(1000))
    for (const { content } of long) assert.isAtMost(content.length, Pages.limit)
  })

  it("splits hostile texts in less than two seconds", () => {
    const size = 60_000
    const units = [
      ">",
      "> ",
      "- ",
      "1. ",
      "> - ",
      "|",
      "`",
      "```\n",
      "[",
      "[a](",
      "*a ",
      "<",
      "\n",
      "| \\`a` ",
      "||",
      " "
    ]
    const table = `${"|a".repeat(size / 2)}|\n${"|-".repeat(size / 2)}|\n`
    const indented = `x\na|b\n${" ".repeat(size)}`
    for (const text of [...units.map((unit) => unit.repeat(size / unit.length)), table, indented, `${indented}x`]) {
      const before = process.cpuUsage().user
      const pages = Pages.splitter(20)(text, { hasEnded: true })
      const took = (process.cpuUsage().user - before) / 1000
      assert.isBelow(took, 2000, `${took} ms for ${JSON.stringify(text.slice(0, 20))}`)
      for (const { content } of pages) assert.isAtMost(content.length, Pages.limit)
    }
  })
})
