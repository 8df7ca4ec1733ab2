import { assert, describe, it } from "@effect/vitest"
import type { ArtifactCard } from "@heddle/bot/model/ArtifactCard"
import type { Conversation, End, Item } from "@heddle/bot/model/Conversation"
import { english } from "@heddle/bot/messages/Translations"
import * as View from "@heddle/bot/view/Turn"
import { request, turn } from "./TurnView.ts"

const say = (id: string, text: string): Item => ({ _tag: "AgentMessage", id, text })
const step = (id: string): Item => ({ _tag: "ToolCallStep", id, title: `Step ${id}`, status: "completed" })
const link: Item = {
  _tag: "AgentAttachment",
  id: "link",
  name: "Site",
  content: { _tag: "Link", uri: "https://example.com" }
}
const remark: Item = { _tag: "Remark", id: "remark", text: "A remark" }
const done: End = { _tag: "Done", stopReason: "end_turn", milliseconds: 3000, tokens: undefined }

/** The keys and contents of the posts of a turn, of which some are in the thread. */
const shown = (items: ReadonlyArray<Item>, posted: ReadonlyArray<string> = [], more: Partial<Conversation> = {}) =>
  View.view(
    "x",
    english,
    10_000
  )(turn(items, more), (key) => posted.includes(key)).map(({ content, key }) => [key, content])

const keys = (...of: Parameters<typeof shown>) => shown(...of).map(([key]) => key)

describe("the words of a turn", () => {
  it("share posts, also when steps stand between them", () => {
    assert.deepEqual(
      shown([say("a", "One."), say("b", "Two."), step("1"), say("c", "Three.\n"), step("2"), say("d", "\n\nFour.")]),
      [
        ["text:a:0", "One.\n\nTwo."],
        ["tools:1", "-# ✅ Step 1\n-# ✅ Step 2"],
        ["text:c:0", "Three.\n\nFour."]
      ]
    )
  })

  it("stand below a card, a file and a remark that came before them, and no step does", () => {
    const items = [request(1, { _tag: "Open" }), link, remark].flatMap((item, n) => [
      say(`a${n}`, "Above."),
      step(`${n}`),
      item
    ])
    assert.deepEqual(keys([...items, say("z", "Last."), step("9")]), [
      "text:a0:0",
      "tools:0",
      "asked:r1",
      "text:a1:0",
      "file:link",
      "text:a2:0",
      "remark:remark",
      "text:z:0"
    ])
  })

  it("go on outside of a code block that a message left open", () => {
    const after = (text: string) => shown([say("a", text), say("b", "Words.")])[0]?.[1]
    assert.strictEqual(after("```js\ncode"), "```js\ncode\n```\n\nWords.")
    assert.strictEqual(after("~~~\ncode\n\n"), "```\ncode\n```\n\nWords.")
    assert.strictEqual(after("```js\ncode\n```"), "```js\ncode\n```\n\nWords.")
    assert.strictEqual(after("- entry\n  ```\n  code"), "- entry\n```\ncode\n```\n\nWords.")
    assert.strictEqual(after("> ```\n> code"), "> ```\n> code\n> ```\n\nWords.")
  })

  it("fill posts of 2,000 characters, whatever their lines", () => {
    const lines = Array.from({ length: 60 }, (_, n) => say(`${n}`, `Line ${n}\nof words`))
    assert.deepEqual(keys(lines), ["text:0:0"])
  })

  it("keep the posts that an earlier version of the bot made, and go on below them", () => {
    const items = [say("a", "One."), step("1"), say("b", "Two."), step("2"), say("c", "Three.")]
    const posted = ["text:a:0", "tools:1", "text:b:0", "tools:2", "text:c:0"]
    assert.deepEqual(keys(items, posted), posted)
    assert.deepEqual(shown([...items, step("3"), say("d", "Four.")], posted).slice(3), [
      ["tools:2", "-# ✅ Step 2\n-# ✅ Step 3"],
      ["text:c:0", "Three.\n\nFour."]
    ])
  })
})

describe("a card that repeats", () => {
  const card = (number: number, body: ArtifactCard["body"]): ArtifactCard => ({
    uri: `agent:///artifacts/${number}`,
    number,
    createdAt: number,
    madeIn: "1",
    changedIn: "1",
    deleted: false,
    body
  })
  const items = ["Read orders.csv", "Sum up"].map((content) => ({ content, status: "pending" }))
  const tasks = card(1, { _tag: "Tasks", title: "", items, done: 0, total: 2, cancelled: 0 })
  const plan = (text: string) => card(2, { _tag: "Plan", title: "Plan", text, version: 1 })
  const summary = (text: string) => card(3, { _tag: "Overview", title: "Summary", text })
  const numbers = (
    cards: ReadonlyArray<ArtifactCard>,
    more: Partial<Conversation> = {},
    posted: ReadonlyArray<string> = []
  ) =>
    keys([say("a", "All **600 rows** count.\nWritten: `report.md`. What else?")], posted, { cards, ...more })
      .filter((key) => key?.startsWith("card:"))
      .map((key) => Number(key?.at(-1)))

  it("is a plan of the same as the task list; another plan stands, and one that was posted stays", () => {
    const same = plan("# Plan\n> What is in it?\n\n1. Read `orders.csv`\n2. [ ] Sum up\n")
    const asked = { prompt: "Hi! What is in it?" }
    assert.deepEqual(numbers([tasks, same], asked), [1])
    assert.deepEqual(numbers([tasks, same]), [1, 2], "a quote of nothing that was said")
    assert.deepEqual(numbers([tasks, same], asked, [`card:${same.uri}`]), [1, 2])
    assert.deepEqual(numbers([same]), [2])
    for (const other of [
      "1. Read orders.csv\n2. Sum",
      "1. Read orders.csv",
      "1. Sum up\n2. Read orders.csv",
      "# Never\n1. Read orders.csv\n2. Sum up",
      "> After the release\n1. Read orders.csv\n2. Sum up",
      "- [x] Read orders.csv\n- [ ] Sum up",
      "1. Read orders.csv\n## Optional\n2. Sum up"
    ])
      assert.deepEqual(numbers([tasks, plan(other)]), [1, 2], other)
    const described = { ...same, body: { ...same.body, description: "Not before Monday" } }
    assert.deepEqual(numbers([tasks, described], asked), [1, 2])
    const titled = {
      ...same,
      body: { ...same.body, title: "Dry run", text: "# Dry run\n1. Read orders.csv\n2. Sum up" }
    }
    assert.deepEqual(numbers([tasks, titled], asked), [1, 2])
    assert.deepEqual(numbers([tasks, plan("# Plan")]), [1, 2])
  })

  it("is a summary of words that the turn has said; another summary stands below them", () => {
    const same = summary("## Summary\n- all 600 rows count\n- Written: report.md.")
    assert.deepEqual(numbers([same], { end: done }), [])
    assert.deepEqual(numbers([same], { end: done }, [`card:${same.uri}`]), [3])
    assert.deepEqual(numbers([summary("All 600 rows count. 8 have no region.")], { end: done }), [3])
    assert.deepEqual(numbers([summary("All 600 rows count. 8 have no region.")]), [], "before the end")
    for (const other of ["Written", "-All 600 rows count", "00 rows count.", "# Failed\nWhat else?", "What else? ❌"])
      assert.deepEqual(numbers([summary(other)], { end: done }), [3], other)
    const described = { ...same, body: { ...same.body, description: "Without June" } }
    assert.deepEqual(numbers([described], { end: done }), [3])
  })

  it("is no summary that says something else with the same words", () => {
    const shown = (text: string, markdown: string) =>
      keys([say("a", text)], [], { cards: [summary(markdown)], end: done }).some((key) => key?.startsWith("card:"))
    const pairs: ReadonlyArray<readonly [text: string, other: string]> = [
      ["Did A fail? No. Did B fail? Yes.", "Did A fail? Yes. Did B fail? No."],
      ["Failed:\n- x\nPassed:\n- y", "Passed:\n\n- x"],
      ["## Failed\n- x\n## Passed\n- y", "## Failed\n\n- y"],
      ["- [ ] Deploy\n- [ ] Test", "- [x] Deploy\n- [ ] Test"],
      ["Total is 23.", "Total is 2*3."],
      ["Area: 102", "Area: 10²"],
      ["It takes 5 MB.", "It takes 5 mb."],
      ["Deleted src/", "Deleted src/**"],
      ["Balance:\n+ 5", "Balance:\n- 5"],
      ["1. APAC", "3. APAC"],
      ["A is rejected:\n\nUse SQLite.", "Use SQLite."],
      ["**Rejected:**\nUse SQLite.", "Use SQLite."],
      ["## Rejected\n\nUse SQLite.", "Use SQLite."],
      ["Rejected：\n\nUse SQLite.\n\nUse files.", "Use SQLite.\n\nUse files."]
    ]
    for (const [text, other] of pairs) {
      assert.isTrue(shown(text, other), other)
      assert.isFalse(shown(text, text), text)
    }
    assert.isFalse(
      shown("All **600 rows** count, and `a_b` is *whole*. See below.", "all 600 rows count, and a_b is whole")
    )
    assert.isFalse(shown("Two rows:\n| a | b |\nBased on all rows.", "Two rows:\n\nBased on all rows."))
    assert.isFalse(shown("First.\n\nMore. Last.", "# Summary\n\nFirst.\n\nLast"))
    assert.isFalse(shown("## Summary\n\nAll tests pass.", "All tests pass."))
  })
})

describe("a card of an earlier turn that repeats", () => {
  const card = (number: number, body: ArtifactCard["body"]): ArtifactCard => ({
    uri: `agent:///artifacts/${number}`,
    number,
    createdAt: number,
    madeIn: "an earlier turn",
    changedIn: "1",
    deleted: false,
    body
  })
  const items = ["Read orders.csv", "Sum up"].map((content) => ({ content, status: "pending" }))
  const tasks = card(1, { _tag: "Tasks", title: "", items, done: 0, total: 2, cancelled: 0 })
  const plan = card(2, { _tag: "Plan", title: "Plan", text: "1. Read orders.csv\n2. Sum up", version: 2 })
  const summary = card(3, { _tag: "Overview", title: "Summary", text: "All rows count." })
  const cardKeys = (more: Partial<Conversation>, posted: ReadonlyArray<string> = []) =>
    keys([say("a", "All rows count.")], posted, { cards: [tasks, plan, summary], ...more }).filter((key) =>
      key?.startsWith("card:")
    )

  it("is not posted now, and stays where it was posted", () => {
    const earlier = [plan, summary].map(({ uri }) => `card:${uri}`)
    assert.deepEqual(cardKeys({}), [`card:${tasks.uri}`])
    assert.deepEqual(cardKeys({ end: done }), [`card:${tasks.uri}`])
    assert.deepEqual(cardKeys({ end: done }, earlier), [`card:${tasks.uri}`, ...earlier])
  })

  it("is a summary of something else, which stands below the words unless it was posted above them", () => {
    const other = card(4, { _tag: "Overview", title: "Summary", text: "8 rows have no region." })
    const key = `card:${other.uri}`
    const shownKeys = (posted: ReadonlyArray<string>) =>
      keys([say("a", "All rows count.")], posted, { cards: [other], end: done }).filter(
        (shown) => shown === key || shown?.startsWith("text:")
      )
    assert.deepEqual(shownKeys([]), ["text:a:0", key])
    assert.deepEqual(shownKeys([key]), [key, "text:a:0"])
  })
})

describe("the end of a turn", () => {
  const words = [step("1"), say("a", "The answer.")]
  const ended = (items: ReadonlyArray<Item>, more: Partial<Conversation> = {}, posted: ReadonlyArray<string> = []) =>
    shown(items, posted, { end: done, ...more }).slice(1)

  it("is the last line of the last words", () => {
    assert.deepEqual(ended(words), [["text:a:0", "The answer.\n-# done · 3.0 s"]])
  })

  it("stands below the last words with its links, its prompt and its button, also where cards follow", () => {
    const card: ArtifactCard = {
      uri: "agent:///artifacts/a.csv",
      number: 1,
      createdAt: 1,
      madeIn: "1",
      changedIn: "1",
      deleted: false,
      body: { _tag: "Media", title: "a", name: "a.csv", kind: "document", version: "1" }
    }
    const cards = [card, { ...card, uri: "agent:///artifacts/b.csv", number: 2 }]
    assert.deepEqual(ended(words, { cards }), [
      ["text:a:0", "The answer.\n-# done · 3.0 s"],
      ["card:agent:///artifacts/a.csv", ""],
      ["card:agent:///artifacts/b.csv", ""]
    ])
    const cardLinks = [{ card, url: "https://discord.com/channels/1/2/3" }]
    assert.match(
      ended(words, { cardLinks })[0]?.[1] ?? "",
      /^The answer\.\n-# ✏️ Changed above: \[a\.csv\]\(.*\)\n-# done · 3\.0 s$/
    )
    assert.match(
      ended(words, { end: { ...done, stopReason: "interrupted" }, prompt: "count" })[0]?.[1] ?? "",
      /^The answer\.\n.*count.*\n-# stopped/
    )
    const [, last] = View.view("x", english, 10_000)(turn(words, { end: done, hasOutputs: true }))
    assert.strictEqual(last?.content, "The answer.\n-# done · 3.0 s")
    assert.deepEqual(
      last?.rows.flat().map((each) => "customId" in each && each.customId),
      ["t1:1"]
    )
  })

  it("is a post below other things, with a box, and where it does not fit", () => {
    const own = (items: ReadonlyArray<Item>, more: Partial<Conversation> = {}) => {
      const posts = ended(items, more)
      assert.strictEqual(posts.at(-1)?.[0], "end")
      assert.notMatch(posts.find(([key]) => key?.startsWith("text:a"))?.[1] ?? "", /-#/)
    }
    own([...words, remark])
    own([step("1"), step("2")])
    own(words, { end: { _tag: "Failed", text: "gone" } })
    own(words, { end: { ...done, stopReason: "of a `later` version" } })
    own(words, { mayLackOutput: true })
    own([step("1"), say("a", `${"word ".repeat(398)}words`)])
    assert.deepEqual(
      shown([say("late", "Of the turn before.")], [], { end: done }).map(([key]) => key),
      ["remark:late", "text:late:0", "end"]
    )
  })

  it("stays where it was shown", () => {
    assert.deepEqual(
      ended(words, {}, ["end"]).map(([key]) => key),
      ["text:a:0", "end"]
    )
    assert.deepEqual(ended([...words, remark], {}, ["end-line"])[0]?.[1], "The answer.\n-# done · 3.0 s")
    // The session has lost the words.
    assert.deepEqual(keys([], ["end-line"], { end: done }), [])
  })
})
