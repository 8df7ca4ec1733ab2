import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/text/Pages"
import * as FastCheck from "effect/FastCheck"
import { brim, document, prose, report } from "./Documents.ts"
import { difference, read, readShown } from "./Reader.ts"

/** How many documents each property gets; HEDDLE_ROUNDS sets more. */
const rounds = process.env["HEDDLE_ROUNDS"]
const numRuns = Number(rounds ?? 60)
/** How many documents grow character by character. */
const slowRuns = Number(rounds ?? 15)

/** Discord reads three backticks as the beginning or the end of a block wherever they are. */
const openBlock = (content: string): boolean => (content.match(/```/g)?.length ?? 0) % 2 === 1

const mention = /<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|\/[^\s<>]+:\d+|id:\w+)>|@everyone|@here/

/** A message without its code, as Discord finds that once the blocks are known. */
const outsideCode = (content: string): string =>
  content.replace(/```[^]*?```/g, " ").replace(/\\[\\`]|https?:\/\/[^\s<]+|(`+)[^]*?[^`]\1(?!`)/g, " ")

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The words without what only separates or marks them. */
const words = (text: string): string =>
  text.replace(/LNG[A-Z]/g, "").replace(/[-#\s`~>\u200b\ufeff\ufffd\ud800-\udfff\p{Cc}]/gu, "")

const bare = (of: string) => of.replace(/[\s\u200b\ufeff]/g, "")

const opener = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(?:`{3,}(?<ticked>[^`]*)|~{3,}(?<waved>[^]*))$/

/** Whether each of the words is found in a text, after the one before it. */
const inOrder = (words: ReadonlyArray<string>, text: string): boolean => {
  let at = 0
  return words.every((word) => {
    const index = text.indexOf(word, at)
    at = index + word.length
    return index !== -1
  })
}

/**
 * Whether a piece shows its source character by character, apart from escapes for Discord. A table shows its words in
 * their order, and the words of a fence stand in the next piece.
 */
const pieceIsExact = ({ shown, source }: Pages.Page["pieces"][number], next: string): boolean => {
  if (source === "" || bare(shown) === bare(source)) return true
  if (/^\s*\|/.test(source) && /^(?:```|-# )/.test(shown)) return inOrder(source.match(/[\p{L}\p{N}]+/gu) ?? [], shown)
  if (shown !== "" || /^[\s>`~]*$/.test(source)) return shown === ""
  const { ticked, waved } = opener.exec(source)?.groups ?? {}
  const said = (ticked ?? waved)?.trim().split(/\s+/)
  return said?.every((word) => next.includes(bare(word))) ?? false
}

const exact = (text: string, pages: ReadonlyArray<Pages.Page>) => {
  assert.strictEqual(Pages.joined(pages), text)
  let next = ""
  for (const piece of pages.flatMap(({ pieces }) => pieces).toReversed()) {
    assert.isTrue(pieceIsExact(piece, next), JSON.stringify([piece, next]))
    if (bare(piece.shown) !== "") next = bare(piece.shown)
  }
  let at = 0
  for (const [index, page] of pages.entries()) {
    const { content } = page
    assert.isAtMost(content.length, Pages.limit)
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

const contents = (pages: ReadonlyArray<Pages.Page>): string => pages.map(({ content }) => content).join("\n====\n")

/** The pages at the end of a text; those that were full before stay as they were. */
const ended = (grow: ReturnType<typeof Pages.splitter>, text: string, before: ReadonlyArray<Pages.Page>) => {
  const pages = grow(text, { hasEnded: true })
  for (const [index, page] of before.slice(0, -1).entries()) assert.strictEqual(pages[index], page, `page ${index}`)
  return pages
}

/** Where a text is cut. */
const anywhere = FastCheck.nat()

/** Checks a text of random blocks, cut at any of them. */
const wherever = (blocks: FastCheck.Arbitrary<ReadonlyArray<string> | string>, check: (text: string) => void) =>
  FastCheck.assert(
    FastCheck.property(blocks, anywhere, (parts, end) => check(parts.slice(0, end % (parts.length + 1)) as string)),
    { numRuns }
  )

describe("Pages", () => {
  it("splits any document into valid pages that join to it and contain no mentions", () => {
    FastCheck.assert(
      FastCheck.property(document, (text) => exact(text, Pages.split(text))),
      { numRuns }
    )
  }, 600_000)

  it("shows every word of any prose once and in order, wherever it ends", () => {
    wherever(prose, (text) => {
      const read = Pages.split(text).map(({ content }) => words(content))
      assert.strictEqual(read.join(""), words(text))
    })
  }, 600_000)

  it("shows every word that a CommonMark reader finds, also in tables, wherever the text ends", () => {
    wherever(report, (text) => {
      const contents = Pages.split(text).map(({ content }) => content)
      const differs = difference(read(text), readShown(contents))
      assert.isUndefined(differs, `${differs}\n${text}\n\nshown as\n\n${contents.join("\n====\n")}`)
    })
  }, 600_000)

  it("moves a grapheme without room to the next page", () => {
    const family = "👩‍👩‍👧‍👦"
    for (let spaces = Pages.limit - 20; spaces <= Pages.limit; spaces++) {
      const text = `a\n${" ".repeat(spaces - 2)}\n${family} goes on`
      const shown = Pages.split(text).map(({ content }) => content)
      assert.strictEqual(shown.filter((content) => content.includes(family)).length, 1, `${spaces}`)
      assert.strictEqual(Pages.joined(Pages.split(text)), text)
    }
  })

  it("keeps full pages while the text grows, and ends with the same pages as splitting at once", () => {
    FastCheck.assert(
      FastCheck.property(document, FastCheck.infiniteStream(FastCheck.integer({ min: 1, max: 400 })), (text, steps) => {
        const grow = Pages.splitter()
        let before: ReadonlyArray<Pages.Page> = []
        for (let end = 0; end < text.length;) {
          end = Math.min(text.length, end + (steps.next().value ?? 1))
          const now = grow(text.slice(0, end), { hasEnded: false })
          for (const [index, page] of before.slice(0, -1).entries()) {
            assert.strictEqual(now[index], page, `page ${index} at ${end}`)
          }
          before = now
        }
        assert.strictEqual(contents(ended(grow, text, before)), contents(Pages.split(text)))
      }),
      { numRuns: slowRuns }
    )
  }, 600_000)

  it("keeps full pages while nearly full pages grow character by character", () => {
    FastCheck.assert(
      FastCheck.property(brim, (text) => {
        const grow = Pages.splitter()
        let before: ReadonlyArray<Pages.Page> = []
        for (let end = 1; end <= text.length; end += end < text.length - 300 ? 300 : 1) {
          const now = grow(text.slice(0, end), { hasEnded: false })
          for (const [index, page] of before.slice(0, -1).entries()) {
            assert.strictEqual(now[index], page, `page ${index} at ${end}`)
          }
          const fresh = Pages.splitter()(text.slice(0, end), { hasEnded: false })
          assert.strictEqual(fresh.length, now.length, `at ${end}`)
          before = now
        }
        exact(text, ended(grow, text, before))
      }),
      { numRuns: slowRuns }
    )
  }, 600_000)

  it("gives the same pages for every mark that may begin or end a block at the end of a page", () => {
    const openers = ["", "```ts\n", "~~~~\n", "> ```\n", "| a | b |\n|---|---|\n"]
    const marks = [
      "```",
      "~~~~",
      "> ```",
      "```x",
      "``x",
      "- ```js\na",
      "> ~~~\n> a",
      "| a | b |\n|---|---|\n",
      "| **b** | c |"
    ]
    for (const opener of openers) {
      const filler = "z".repeat(18)
      const line = opener.startsWith(">")
        ? `> ${filler}\n`
        : opener.startsWith("|")
          ? `| 1 | ${filler} |\n`
          : `${filler}\n`
      for (let count = 14; count <= 16; count++) {
        for (const mark of marks) {
          const before = `${"w".repeat(1700)}\n\n${opener}${line.repeat(count)}`
          const text = `${before}${mark}\nafter\n`
          const grow = Pages.splitter()
          for (let end = before.length; end <= text.length; end++) {
            const now = grow(text.slice(0, end), { hasEnded: false })
            assert.strictEqual(
              contents(now),
              contents(Pages.splitter()(text.slice(0, end), { hasEnded: false })),
              text.slice(0, end)
            )
          }
        }
      }
    }
  }, 120_000)

  it("stays cheap while a long text grows in small steps", () => {
    const line =
      "Some **words** of a long answer with `code`, a [link](https://example.com) and <@123456789012345678>.\n"
    const text = `${line.repeat(12)}\n\`\`\`ts\n${"const a = 1\n".repeat(30)}\`\`\`\n\n| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(20)}\n`
    const long = text.repeat(Math.ceil(200_000 / text.length)).slice(0, 200_000)
    // CPU time, since other tests may use the machine meanwhile.
    const cost = (work: () => void): number => {
      const before = process.cpuUsage()
      work()
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1000
    }
    const once = cost(() => void Pages.split(long))
    const grow = Pages.splitter()
    const inSteps = cost(() => {
      for (let end = 100; end <= long.length; end += 100) grow(long.slice(0, end), { hasEnded: false })
    })
    assert.isBelow(inSteps, 100 * once + 2000, `at once ${once} ms, in 2,000 steps ${inSteps} ms`)
    if (rounds !== undefined) console.log({ once, inSteps, perStep: inSteps / 2000 })
  }, 60_000)

  it("shows the caption of a code block whose first character is longer than a page", () => {
    const [page] = Pages.split(`~~~ts caption\na${"\u0301".repeat(3000)}`)
    assert.match(page?.content ?? "", /^-# caption\n```ts\na/)
    const quoted = Pages.split(`words\n\n> ~~~ts caption\n>   \n> ${"code(); ".repeat(400)}\n`)
    assert.match(quoted.map(({ content }) => content).join("\n"), /> -# caption\n> ```ts\n> code/)
  })

  it("continues a code block in its language and its quote", () => {
    const code = "const a = 1\n".repeat(190)
    const [first, second] = Pages.split(`\`\`\`ts\n${code}\`\`\`\n`)
    assert.match(first?.content ?? "", /^```ts\nconst[^]*1\n```$/)
    assert.match(second?.content ?? "", /^```ts\nconst[^]*1\n```$/)
    const [, quoted] = Pages.split(`> ~~~py\n${"> answer = 1 + 2 + 3\n".repeat(120)}> ~~~\nafter`)
    assert.match(quoted?.content ?? "", /^> ```py\n(> answer = 1 \+ 2 \+ 3\n)+> ```\nafter$/)
  })

  it("continues a quote, and escapes a block mark at the beginning of a page", () => {
    const [, quote] = Pages.split(`>${"word ".repeat(600)}`)
    assert.match(quote?.content ?? "", /^> word/)
    const [, rest] = Pages.split(`${"word ".repeat(397)}word. # ${"no heading ".repeat(20)}`)
    assert.match(rest?.content ?? "", /^\u200b# no heading/)
  })

  it("shows every kind of fence as a Discord code block", () => {
    const [page] = Pages.split(
      "````md\n```js\ncode\n```\n````\n\nText with ``` in it\n\n- item\n\n  ~~~sh\n  ls\n  ~~~\n"
    )
    assert.strictEqual(
      page?.content,
      "```md\n``\u200b`js\ncode\n``\u200b`\n```\n\nText with ``\u200b` in it\n\n- item\n\n```sh\nls\n```"
    )
  })

  it("removes bold from whole cells only", () => {
    const row = "| **b c** | 2**8 | f(**kw) | src/**/*.ts | **/x/** | a **b** | **x |"
    const [narrow] = Pages.split("| a | b |\n|---|---|\n| **b c** | 2**8 |\n| f(**kw) | a/**/*.ts |\n| **/x/** | **x |")
    assert.deepEqual(narrow?.content.split("\n").slice(3, 6), ["b c      2**8", "f(**kw)  a/**/*.ts", "**/x/**  **x"])
    const [wide] = Pages.split(`${"| h ".repeat(8)}|\n${"|---".repeat(8)}|\n${row} ${"w".repeat(60)} |`)
    const entries = (wide?.content ?? "").split("\n").map((line) => line.replace(/^ *- (?:h: )?/, ""))
    for (const each of ["**b c**", "2**8", "f(**kw)", "src/**/*.ts", "**/x/**", "a **b**", "**x"]) {
      assert.include(entries, each)
    }
    const [code] = Pages.split(`| h | wide |\n|---|---|\n| \`a\\|b\` | ${"words ".repeat(8)}|`)
    assert.match(code?.content ?? "", /^- `a\|b`$/m)
  })

  it("shows a last line that could have become a mark once the text has ended", () => {
    const shown = (text: string) => Pages.split(text).map(({ content }) => content)
    const growing = (text: string) => Pages.splitter()(text, { hasEnded: false }).map(({ content }) => content)
    assert.deepEqual(growing("Run this:\n```npm install foo --save"), ["Run this:"])
    assert.deepEqual(shown("Run this:\n```npm install foo --save"), ["Run this:\n```\nnpm install foo --save\n```"])
    assert.deepEqual(shown("~~~gone~~~"), ["```\ngone~~~\n```"])
    assert.deepEqual(shown("The price is\n~~~ about five euros\n\n"), ["The price is\n```\nabout five euros\n```"])
    assert.deepEqual(shown("Steps\n1. ```npm i"), ["Steps\n1. ```\nnpm i\n```"])
    assert.deepEqual(shown("> ```npm i"), ["> ```\n> npm i\n> ```"])
    assert.deepEqual(shown("```npm i\n```\nnext"), ["```\nnpm i\n```\nnext"])
    assert.deepEqual(shown("```\na\n``"), ["```\na\n``\n```"])
    assert.deepEqual(shown("| a |\n|---|\n| 5 * 3 *"), ["```\na\n───────\n5 * 3 *\n```"])
    assert.deepEqual(shown("| a |\n|---|\n| C:\\dir\\"), ["```\na\n───────\nC:\\dir\\\n```"])
    const page = `${"w".repeat(99)}\n`.repeat(20)
    assert.deepEqual(shown(`${page}\`\`\`npm i`), [page.trim(), "```\nnpm i\n```"])
    assert.deepEqual(shown("half \ud83d"), ["half \ufffd"])
  })

  it("begins and ends code blocks at the fences of CommonMark", () => {
    const shown = (text: string) => Pages.split(text).map(({ content }) => content.replaceAll("\u200b", ""))
    for (const inner of ["    ```", "\t```", "~~~", "``` x"]) {
      assert.deepEqual(shown(`\`\`\`py\na\n${inner}\nb\n   \`\`\`\nend`), [`\`\`\`py\na\n${inner}\nb\n\`\`\`\nend`])
    }
    assert.deepEqual(shown("~~~~\n~~~\n~~~~\nend"), ["```\n~~~\n```\nend"])
    assert.deepEqual(shown("So:\n\n    ```\n    x\n    ```\nend"), ["So:\n\n    ```\n    x\n    ```\nend"])
    assert.deepEqual(shown("1. So:\n\n      ```sh\n      ls\n      ```\n2. b"), ["1. So:\n\n```sh\nls\n```\n2. b"])
    assert.deepEqual(shown("- a\n  - b\ngoes on\n       ```\n       x\n    ```\nend"), [
      "- a\n  - b\ngoes on\n```\nx\n```\nend"
    ])
    assert.deepEqual(shown("- a\n  ```\n      ```\n  ```\nend"), ["- a\n```\n    ```\n```\nend"])
    assert.deepEqual(shown("> ~~~\n> a\nend"), ["> ```\n> a\n> ```\nend"])
    assert.deepEqual(shown("- - ```js\n    x\n    ```\nend"), ["- - ```js\nx\n```\nend"])
  })

  it("keeps the indentation of the first line of a page", () => {
    const [first] = Pages.split("    first\n        second")
    assert.strictEqual(first?.content, "\u200b    first\n        second")
    const pages = Pages.split(`# Code\n\n${"    line\n        deeper\n".repeat(120)}`)
    assert.isAbove(pages.length, 1)
    for (const { content } of pages.slice(1)) assert.match(content, /^\u200b {4,8}\w/)
    assert.strictEqual(Pages.split("    - an entry")[0]?.content, "- an entry")
  })

  it("repeats the header of a table on every page, and shows a wide table as a list", () => {
    const narrow = Pages.split(
      `| n | square |\n|--:|--:|\n${Array.from({ length: 600 }, (_, n) => `| ${n} | ${n * n} |\n`).join("")}`
    )
    assert.isAbove(narrow.length, 2)
    for (const { content } of narrow) assert.match(content, /^```\n *n {2}square\n/)
    const [wide] = Pages.split(`| name | what it is good for |\n|---|---|\n| a | ${"words ".repeat(10)}|\n| b | |\n`)
    assert.strictEqual(
      wide?.content,
      `-# name · what it is good for\n- a\n  - what it is good for: ${"words ".repeat(10).trim()}\n- b`
    )
  })

  it("shows many columns as a table up to a screen's width, also on several pages", () => {
    const cells = (text: string) => `| ${Array.from({ length: 8 }, () => text).join(" | ")} |\n`
    const text = `${cells("header")}${cells("---")}${cells("12345678").repeat(30)}`
    const pages = Pages.split(text)
    assert.isAtMost(pages.length, 3)
    for (const { content } of pages) assert.match(content, /^```\nheader {4}header[^]*```$/)
    const [list] = Pages.split(text.replaceAll("12345678", "12345678901"))
    assert.match(list?.content ?? "", /^-# header · header/)
  })

  it("ends pages at paragraphs before lines, sentences and words, and not inside links or emphasis", () => {
    const [paragraph] = Pages.split(`${"a".repeat(1500)}\n\n${"b".repeat(300)}\n${"c".repeat(500)}`)
    assert.strictEqual(paragraph?.content, "a".repeat(1500))
    const [sentence] = Pages.split(`${"One word more. ".repeat(130)}and **${"bold ".repeat(60)}**`)
    assert.match(sentence?.content ?? "", /more\.$/)
    const [link] = Pages.split(`${"word ".repeat(380)}[a link](https://example.com/${"x".repeat(300)})`)
    assert.match(link?.content ?? "", /word$/)
  })

  it("keeps a heading with the text below it", () => {
    const pages = Pages.split(`${`line${"e".repeat(95)}\n`.repeat(19)}## Next\n${"words ".repeat(30)}`)
    assert.deepEqual(
      pages.map(({ content }) => content.split("\n").at(0)?.replace(/e+$/, "e")),
      ["line", "## Next"]
    )
  })

  it("begins no page with an inner entry of a list", () => {
    const pages = Pages.split("- outer\n  - inner one\n  - inner two\n".repeat(200))
    assert.isAbove(pages.length, 3)
    for (const { content } of pages) assert.match(content, /^- outer/)
  })
})
