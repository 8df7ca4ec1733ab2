import { assert, describe, it } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import * as ToolCallDetail from "@heddle/bot/turn/session/ToolCallDetail"

const of = (toolCall: Parameters<typeof ToolCallDetail.of>[0], title = "") =>
  ToolCallDetail.of(toolCall, title, english.turnPosts)

const detailOf = (toolCall: Parameters<typeof ToolCallDetail.of>[0]): string => {
  const { detail, wholeDetail } = of(toolCall)
  assert.isUndefined(wholeDetail, "the card has all of it")
  return detail
}

const text = (words: string) => ({ type: "content" as const, content: { type: "text" as const, text: words } })

describe("the detail of a tool call", () => {
  it("shows only the lines of a new file, however it ends and whatever stands for its missing old text", () => {
    for (const oldText of [null, ""]) {
      for (const newText of ["one\ntwo", "one\ntwo\n"]) {
        const shown = detailOf({ content: [{ type: "diff", path: "a.md", oldText, newText }] })
        assert.strictEqual(shown, "`a.md`\n```diff\n+one\n+two\n```")
      }
    }
  })

  it("shows a diff's changed lines, and raw input without a diff", () => {
    const diff = detailOf({
      locations: [{ path: "a.md" }],
      content: [{ type: "diff", path: "a.md", oldText: "same\nold\nend", newText: "same\nnew\n```\nend" }]
    })
    assert.strictEqual(diff, "`a.md`\n```diff\n-old\n+new\n+'''\n```")
    assert.strictEqual(
      detailOf({ locations: [{ path: "/srv/sandboxes/1/out/a.md" }] }),
      "- `/srv/sandboxes/1/out/a.md`"
    )
    assert.match(detailOf({ rawInput: { command: "ls" } }), /"command": "ls"/)
    assert.strictEqual(detailOf({}), "")
  })

  it("tells files with the same name apart by their paths", () => {
    const shown = (path: string) => of({ locations: [{ path }] }).detail
    assert.strictEqual(shown("packages/alpha/src/index.ts"), "- `packages/alpha/src/index.ts`")
    assert.strictEqual(shown("packages/beta/src/index.ts"), "- `packages/beta/src/index.ts`")
    const deep = (module: string) => `${module}/src/main/java/${"folder/".repeat(40)}Foo.java`
    const long = shown(deep("orders"))
    assert.match(long, /^- `orders\/src[^`]*…[^`]*folder\/Foo\.java`$/)
    assert.isAtMost(long.length, 204)
    assert.notStrictEqual(long, shown(deep("billing")))
    const { wholeDetail } = of({ content: [{ type: "diff", path: deep("orders"), oldText: "a", newText: "b" }] })
    assert.include(wholeDetail, `+++ ${deep("orders")}\n`)
  })

  it("is whole beside the card where the card has only a part, with hidden characters written out", () => {
    const plan = `${"Step. ".repeat(1000)}\u202eend`
    const long = of({ content: [text(plan)] })
    assert.isAtMost(long.detail.length, 3000)
    assert.strictEqual(long.wholeDetail, `${plan.replace("\u202e", "⟨U+202E⟩")}\n`)
    const command = `echo ${"x".repeat(2000)}`
    assert.include(of({ rawInput: { command } }).wholeDetail, command)
    const paths = Array.from({ length: 11 }, (_, index) => `file${index}`)
    assert.include(of({ locations: paths.map((path) => ({ path })) }).wholeDetail, "- file10")
  })

  it("is whole where its characters fit the card only before the hidden ones are written out", () => {
    const { detail, wholeDetail } = of({ content: [text("\u202e".repeat(1000))] })
    assert.isAtMost(detail.length, 3000)
    assert.lengthOf(wholeDetail ?? "", 8001)
  })

  it("is whole in the file where the title is cut, with the input that the card leaves out", () => {
    const command = `echo ${"a".repeat(300)} && rm -rf build`
    const content = [{ type: "content" as const, content: { type: "text" as const, text: "Runs the tests" } }]
    const long = of({ content, rawInput: { command } }, command)
    assert.strictEqual(long.detail, "Runs the tests")
    assert.strictEqual(long.wholeDetail?.split("rm -rf build").length, 3)
    assert.isUndefined(of({ content, rawInput: { command: "ls" } }, "ls").wholeDetail)
    const message = "Why? ".repeat(1000)
    assert.strictEqual(ToolCallDetail.ofMessage(message).wholeDetail, `${message}\n`)
    assert.isUndefined(ToolCallDetail.ofMessage("Why?").wholeDetail)
  })
})
