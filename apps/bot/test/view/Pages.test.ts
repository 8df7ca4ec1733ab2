import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/view/Pages"
import * as FastCheck from "effect/FastCheck"
import { document, prose } from "./Documents.ts"

/** How many documents each property is shown; many more by hand. */
const numRuns = Number(process.env["HEDDLE_ROUNDS"] ?? 150)

/** Discord reads three backticks as the beginning or the end of a block wherever they are. */
const openBlock = (content: string): boolean => (content.match(/```/g)?.length ?? 0) % 2 === 1

const mention = /<@[!&]?\d|<#\d|@everyone|@here|<a?:\w+:\d|<t:-?\d|<\/[^\s<>]|<id:\w/
const outsideCode = (content: string): string => content.replace(/```[^]*?```/g, "")

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The words without what only separates or marks them. */
const words = (text: string): string =>
  text.replace(/LNG[A-Z]/g, "").replace(/[-\s`~>\u200b\ufeff\ufffd\ud800-\udfff]/gu, "")

const exact = (text: string, pages: ReadonlyArray<Pages.Page>) => {
  assert.strictEqual(Pages.joined(pages), text)
  let at = 0
  for (const [index, page] of pages.entries()) {
    const { content } = page
    assert.isAtMost(content.length, Pages.limit)
    assert.isAtMost(content.split("\n").length, Pages.lineLimit)
    assert.strictEqual(content, content.trim())
    assert.isFalse(openBlock(content), content)
    assert.notMatch(outsideCode(content), mention)
    assert.isFalse(/^```\w*\n\s*```/.test(content), "an empty block")
    assert.strictEqual(content.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "").match(/[\ud800-\udfff]/), null)
    at += Pages.joined([page]).length
    if (index === pages.length - 1 || at >= text.length) continue
    const around = text.slice(Math.max(0, text.lastIndexOf("\n", at - 1)), at + 20)
    const offset = at - Math.max(0, text.lastIndexOf("\n", at - 1))
    const within = segmenter.segment(around).containing(offset)
    if (within !== undefined && within.index < offset) assert.isAbove(offset - within.index, Pages.limit / 4)
  }
}

describe("Pages", () => {
  it("any document: the pages join to it, fit, leave no block open, name nobody and cut no sign", () => {
    FastCheck.assert(
      FastCheck.property(document, (text) => exact(text, Pages.split(text))),
      { numRuns }
    )
  }, 600_000)

  it("what is read on the pages is the text: nothing is missing, added or in another order", () => {
    FastCheck.assert(
      FastCheck.property(prose, (text) => {
        const pages = Pages.split(text)
        const read = pages.map(({ content }) => words(content)).join("")
        const meant = words(text.replace(/(LNGB) title/g, "$1"))
        assert.strictEqual(read.replaceAll("title", ""), meant.replaceAll("title", ""))
      }),
      { numRuns }
    )
  }, 600_000)

  it("full pages stay as they are while the text grows, and growing gives what splitting at once gives", () => {
    FastCheck.assert(
      FastCheck.property(document, FastCheck.infiniteStream(FastCheck.integer({ min: 1, max: 400 })), (text, steps) => {
        const grow = Pages.splitter()
        let before: ReadonlyArray<Pages.Page> = []
        for (let end = 0; end < text.length;) {
          end = Math.min(text.length, end + (steps.next().value ?? 1))
          const now = grow(text.slice(0, end))
          for (const [index, page] of before.slice(0, -1).entries()) {
            assert.strictEqual(now[index], page, `page ${index} at ${end}`)
          }
          before = now
        }
        assert.deepEqual(
          grow(text).map(({ content }) => content),
          Pages.split(text).map(({ content }) => content)
        )
      }),
      { numRuns }
    )
  }, 600_000)
})
