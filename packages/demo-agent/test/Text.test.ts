import assert from "node:assert"
import { describe, it } from "vitest"
import { answerAboutProse } from "@heddle/demo-agent/answer/TextAnswer"
import { detectFileKind } from "@heddle/demo-agent/data/FileKind"
import { readJson } from "@heddle/demo-agent/data/Json"
import { readProse } from "@heddle/demo-agent/data/Prose"
import * as Markdown from "@heddle/demo-agent/format/Markdown"
import { parseRequest } from "@heddle/demo-agent/question/RequestParser"
import { safeName } from "@heddle/demo-agent/session/Attachment"
import { splitPieces } from "@heddle/demo-agent/session/TextStream"
import { parsePrompt } from "@heddle/demo-agent/turn/Prompt"
import { answerTo } from "./support/Answer.ts"

const signal = new AbortController().signal
const text = (value: string) => parsePrompt([{ type: "text", text: value }])
const data = (value: string): string => Buffer.from(text(value).attachments[0]?.bytes ?? []).toString()

describe("prompts", () => {
  it("reads a fenced block as data, with its name", () => {
    const read = text("What is in `sales.csv`:\n```csv\na,b\n1,2\n```\nThanks")
    assert.deepStrictEqual(
      [read.attachments.length, read.attachments[0]?.name, read.attachments[0]?.mimeType],
      [1, "sales.csv", "text/csv"]
    )
    assert.strictEqual(Buffer.from(read.attachments[0]!.bytes).toString(), "a,b\n1,2")
    assert.match(read.request, /What is in[\s\S]*Thanks/)
  })
  it("reads a table below the question as data", () => {
    assert.strictEqual(text("chart b\na,b\n1,2\n3,4").request, "chart b")
    assert.strictEqual(data("chart b\na,b\n1,2\n3,4"), "a,b\n1,2\n3,4")
  })
  it("reads JSON in the prompt as data", () => {
    assert.strictEqual(text('what is [{"a":1},{"a":2}]').request, "what is")
    assert.strictEqual(data('what is [{"a":1},{"a":2}]'), '[{"a":1},{"a":2}]')
  })
  it("reads a long text as data", () =>
    assert.strictEqual(data(`How long is this?\n${"word ".repeat(500)}`).slice(0, 9), "word word"))
  it.each(["x", "only rows where a, b and c is 5", "chart [price] by month", "What is in this file?", "```"])(
    "reads %j as a request",
    (value) => {
      assert.strictEqual(text(value).attachments.filter((found) => found.bytes.length > 0).length, 0)
    }
  )
  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\temp\\a b.csv", "a b.csv"],
    ["file:///x/%2e%2e%2fy.csv", "_y.csv"],
    ["...", "data"],
    ["a\u0000b;rm.csv", "a_b_rm.csv"]
  ])("makes %j safe", (name, safe) => assert.strictEqual(safeName(name, "data"), safe))
})

describe("detection", () => {
  const kind = (bytes: Uint8Array | string, name = "") => detectFileKind(Buffer.from(bytes as string), name)
  it("names binary files by their first bytes", () => {
    assert.deepStrictEqual(kind(Buffer.from("89504e470d0a1a0a0000", "hex")), {
      kind: "binary",
      description: "a PNG image",
      size: 10
    })
    assert.strictEqual(kind(Buffer.from([1, 0, 2, 0, 3, 0])).kind, "binary")
    assert.strictEqual(kind("MZ is how this text begins, and it goes on.").kind, "text")
  })
  it("reports text that is not UTF-8 and still reads it", () => {
    const found = kind(Buffer.from("caf\xe9;1\nth\xe9;2\n", "latin1"), "a.csv")
    assert.ok(found.kind === "table")
    assert.match(found.notes.join(), /not valid UTF-8 \(2 broken places\)/)
    assert.match(Buffer.from(found.utf8).toString(), /café/)
  })
  it("reads UTF-16", () => {
    const found = kind(Buffer.from("\ufeffa,b\n1,2\n", "utf16le"), "a.csv")
    assert.ok(found.kind === "table")
    assert.strictEqual(Buffer.from(found.utf8).toString(), "a,b\n1,2\n")
  })
  it.each([
    ["", "", "empty"],
    [" \n ", "", "empty"],
    ['[{"a":1}]', "", "json"],
    ['{"a":1}\n{"a":2}\n', "", "json-lines"],
    ["# Title\n\ntext", "", "markdown"],
    ["a;b\n1;2\n", "", "table"],
    ["Just a sentence.", "", "text"]
  ])("%j %s is %s", (value, name, expected) => assert.strictEqual(kind(value, name).kind, expected))
})

describe("JSON", () => {
  it("becomes a table where it contains objects", async () => {
    const json = await readJson('{"items":[{"a":1,"b":{"c":"x"}},{"a":2,"d":[1]}]}', "j", false, signal)
    assert.strictEqual(json.tablePath, "$.items")
    assert.deepStrictEqual(
      json.table?.columns.map(({ name, kind }) => [name, kind]),
      [
        ["a", "integer"],
        ["b.c", "text"],
        ["d", "text"]
      ]
    )
    assert.ok(json.shape.some((line) => line.path === "$.items[].b.c" && line.types[0] === "string"))
  })
  it.each([
    ['{"a": 1,}', /line 1, character 9/],
    ['[\n{"a": 1},\n{"a": oops}]', /line 3/],
    ['{"a": [1, 2', /ends in line 1/]
  ])("locates the error in %j", async (value, where) => {
    await assert.rejects(readJson(value, "j", false, signal), where)
  })
  it("names the invalid line among many", async () => {
    await assert.rejects(readJson('{"a":1}\nnope\n', "j", true, signal), /line 2/)
  })
})

describe("prose", () => {
  it("measures Markdown", async () => {
    const prose = await readProse(
      "# One\n\nTwo words. Three more words!\n\n## Sub\n\n[link](https://a.example/x) and https://b.example.\n\n```\n# not a heading\n```\n",
      true,
      signal
    )
    assert.deepStrictEqual(
      prose.headings.map(({ level, text, line }) => [level, text, line]),
      [
        [1, "One", 1],
        [2, "Sub", 5]
      ]
    )
    assert.deepStrictEqual(
      prose.links.map(({ url }) => url),
      ["https://a.example/x", "https://b.example"]
    )
    assert.deepStrictEqual([prose.codeBlocks, prose.sentences, prose.paragraphs], [1, 3, 4])
  })
  it("reads the text of a link without its formatting, and the text of an image", async () => {
    const prose = await readProse(
      "[**a** and `b`](https://a.example) [](https://b.example) ![*c*](https://c.example/i.png) [x ![d](https://d.example)](https://e.example)\n",
      true,
      signal
    )
    assert.deepStrictEqual(prose.links, [
      { text: "a and b", url: "https://a.example" },
      { text: "", url: "https://b.example" },
      { text: "*c*", url: "https://c.example/i.png" },
      { text: "x d", url: "https://e.example" },
      { text: "d", url: "https://d.example" }
    ])
  })
  it("lists the items of checklists, open and done, but none of code", async () => {
    const text =
      "# Plan\n\n- [ ] Book *flights*\n- [x] Pay\n\n## Later\n\n1. [ ] Pack\n- [] no box\n- [link](x)\n\n```\n- [ ] code\n```\n"
    assert.strictEqual(detectFileKind(Buffer.from("- [ ] a\n- [x] b\n"), "").kind, "markdown")
    const prose = await readProse(text, true, signal)
    assert.deepStrictEqual(prose.items, [
      { text: "Book *flights*", isDone: false, heading: "Plan" },
      { text: "Pay", isDone: true, heading: "Plan" },
      { text: "Pack", isDone: false, heading: "Later" }
    ])
    const answer = (request: string) => {
      const parsed = parseRequest(request, { kind: "prose", name: "plan.md" })
      assert.ok(parsed.kind === "parts", request)
      return parsed.parts.flatMap(({ intent }) => answerAboutProse(intent, prose)).join("\n")
    }
    assert.strictEqual(
      answer("list the open items"),
      "The checklists have 3 items: 2 open, 1 done.\n**Open**\n- Book \\*flights\\* (Plan)\n- Pack (Later)"
    )
    assert.match(answer("what is done? list the done items"), /\*\*Done\*\*\n- Pay \(Plan\)$/)
    assert.match(answer("checklist"), /Open[\s\S]*Done/)
    assert.match(answerAboutProse({ kind: "items", status: "open" }, { ...prose, items: [] }).join(), /no checklist/)
  })
  it("survives one line of a megabyte", async () => {
    assert.strictEqual((await readProse("lorem ipsum ".repeat(90_000), false, signal)).words, 180_000)
  })
})

describe("hostile text", () => {
  const n = 300_000
  it.each([
    ["dots", `${".".repeat(n)}x`],
    ["brackets", `${"[".repeat(n)}${"a".repeat(200)}`],
    ["links without end", `${"[a](".repeat(n / 4)} and so on ${"a".repeat(200)}`],
    ["closing brackets", `{ ${"] [".repeat(n / 3)}${"a".repeat(200)}`],
    ["dashes", `a|b\n${"-".repeat(n)}x`],
    ["pipes", `${"|".repeat(n)}\nx`],
    ["a heading of blanks", `# ${" ".repeat(n)}x`],
    ["check boxes", `${"- [ ] x ".repeat(n / 8)}\n${">".repeat(n)}`],
    ["fences", "```\n".repeat(n / 4)],
    ["quotation marks", `${'"'.repeat(n)}\n`],
    ["commas", `${",".repeat(n)}\n`]
  ])("%s are read quickly", async (_, value) => {
    const before = performance.now()
    const read = text(value)
    const bytes = read.attachments[0]?.bytes ?? Buffer.from(value)
    detectFileKind(bytes, "")
    await readProse(value, true, signal)
    assert.ok(performance.now() - before < 3000, `${performance.now() - before} ms`)
  })
})

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 KB"],
  [46_080, "46 KB"],
  [999_499, "999 KB"],
  [999_500, "1.0 MB"],
  [12_345_678, "12 MB"]
])("a file of %d bytes has %s", (bytes, shown) => assert.strictEqual(Markdown.fileSize(bytes), shown))

it("streams in chunks that join to the text", () => {
  const long =
    "A first sentence that is quite long and goes on. Another sentence, just as long as the first one is. Third.\n| a | b |\n"
  assert.strictEqual(splitPieces(long).join(""), long)
  assert.ok(splitPieces(long).length >= 3)
})

describe("a request about a text", () => {
  const notes = "# Plan\n\n- [ ] Book\n- [x] Pay\n\nSee [site](https://a.example/x). The budget is small.\n"

  it.each([
    ["translate the headings into French", /understand “translate” and “French”/],
    ["how many words about budget?", /understand “budget”/],
    ["chart the most frequent words in red", /understand “red”/],
    ["summarise it as a poem", /understand “poem”/],
    ["list the open items and email them", /understand “email”/],
    ["把标题翻译成英文", /我没有看懂“翻译成英文”/],
    ["待办事项发给 Bob", /我没有看懂“发给 Bob”/],
    ["总结这份计划的天气", /我没有看懂“[^”]*天气”/]
  ])("%s: names what it did not understand, and answers nothing", async (request, expected) => {
    const answer = await answerTo(notes, request, "plan.md")
    assert.match(answer, expected)
    assert.doesNotMatch(answer, /\|/)
  })

  it.each([
    "what is in plan.md?",
    "summarise",
    "show me the outline of the document",
    "which links are in it?",
    "how many words does it have?",
    "how long is the text?",
    "list all open items",
    "which tasks are still open?",
    "what is done?",
    "chart the most frequent words",
    "what are the most common words?",
    "总结一下这个文件",
    "这个文件里有什么？",
    "列出所有未完成的事项",
    "有哪些标题",
    "画一张高频词的图",
    "这篇文章有多少字？"
  ])("%s: is understood in full", async (request) => {
    const answer = await answerTo(notes, request, "plan.md")
    assert.doesNotMatch(answer, /did not understand|没有看懂/)
  })

  it.each(["what is the budget?", "tell me about the budget", "explain the plan to Bob"])(
    "%s: is not answered with a full look",
    async (request) => assert.match(await answerTo(notes, request, "plan.md"), /did not understand “/)
  )
})
