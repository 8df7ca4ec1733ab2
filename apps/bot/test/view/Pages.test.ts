import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/view/Pages"
import * as FastCheck from "effect/FastCheck"

const piece = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme", maxLength: 400 }),
  FastCheck.constantFrom(
    "\n",
    "\n\n",
    "```\n",
    "```ts\n",
    "````md\n",
    "~~~\n",
    "\n```\n",
    "`",
    "👩‍👩‍👧‍👦",
    "é",
    "🇩🇪",
    ". ",
    " "
  ),
  FastCheck.integer({ min: 1, max: 900 }).map((length) => "x".repeat(length)),
  FastCheck.integer({ min: 1, max: 60 }).map((lines) => "const a = 1\n".repeat(lines))
)
const document = FastCheck.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""))

/** Whether a page, read by itself, leaves no code block open. */
const closed = (text: string): boolean => {
  let open: string | undefined
  for (const line of text.split("\n")) {
    const [, marker, info] = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/.exec(line) ?? []
    if (marker === undefined || info === undefined) continue
    if (open === undefined) {
      if (marker.startsWith("~") || !info.includes("`")) open = marker
    } else if (marker[0] === open[0] && marker.length >= open.length && info.trim() === "") open = undefined
  }
  return open === undefined
}

describe("Pages", () => {
  it("any text: the bodies are the text, no page is too long, none leaves a code block open", () => {
    FastCheck.assert(
      FastCheck.property(document, (text) => {
        const pages = Pages.split(text)
        assert.strictEqual(pages.map((page) => page.body).join(""), text)
        for (const page of pages) {
          assert.isAtMost(Pages.shown(page).length, Pages.limit)
          assert.isTrue(closed(Pages.shown(page)), JSON.stringify(page))
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("full pages stay as they are while the text grows", () => {
    FastCheck.assert(
      FastCheck.property(document, FastCheck.nat(), (text, at) => {
        const before = Pages.split(text.slice(0, at % (text.length + 1)))
        const after = Pages.split(text)
        for (const [index, page] of before.slice(0, -1).entries()) assert.deepEqual(after[index], page)
      }),
      { numRuns: 300 }
    )
  })

  it("never cuts a grapheme", () => {
    const family = "👩‍👩‍👧‍👦"
    for (const page of Pages.split(family.repeat(600))) assert.strictEqual(page.body.replaceAll(family, ""), "")
  })

  it("goes on with a code block in its language", () => {
    const [first, second] = Pages.split(`\`\`\`ts\n${"const a = 1\n".repeat(300)}\`\`\`\n`)
    assert.strictEqual(first?.close, "```")
    assert.strictEqual(second?.open, "```ts\n")
  })

  it("cuts at paragraphs before lines", () => {
    const [first] = Pages.split(`${"a".repeat(1500)}\n\n${"b".repeat(300)}\n${"c".repeat(500)}`)
    assert.strictEqual(first?.body, `${"a".repeat(1500)}\n\n`)
  })
})
