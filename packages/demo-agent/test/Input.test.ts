import assert from "node:assert"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, it } from "vitest"
import type { ContentBlock } from "@agentclientprotocol/sdk"
import { file, useAgents } from "./support/Harness.ts"
import { ordersCsv } from "./support/Orders.ts"

const start = useAgents()

describe("input", () => {
  /** Says it in a session of its own. */
  const say = async (...blocks: ReadonlyArray<ContentBlock | string>): Promise<string> => {
    const agent = await start()
    assert.strictEqual((await agent.prompt(await agent.newSession(), ...blocks)).stopReason, "end_turn")
    const text = agent.heard()
    assert.doesNotMatch(text, /\bat .*\.[jt]s:\d+|Error:|undefined|NaN|\[object/)
    return text
  }
  const csv = (text: string): ContentBlock => file("data.csv", text)

  it.each<readonly [string, ReadonlyArray<ContentBlock | string>, RegExp]>([
    ["no data", ["What is in this file?"], /I have none yet\. Attach a CSV/],
    ["one byte", ["x"], /I have none yet/],
    ["an empty file", ["look", csv("")], /\*\*data\.csv\*\* is empty/],
    ["a header only", ["look", csv("a,b,c\n")], /0 rows and 3 columns[\s\S]*header but no row/],
    ["one column", ["look", csv("price\n1\n2\n3\n")], /3 rows and 1 column/],
    ["columns without values", ["look", csv("a,b\n,1\n,2\n")], /\| a \| text \| 2 \| – \|/],
    ["ragged rows", ["look", csv("a,b\n1\n1,2,3\n1,2\n")], /2 rows have a different number of cells/],
    [
      "a picture",
      ["look", file("cat.png", Buffer.from("89504e470d0a1a0a00000000", "hex"))],
      /\*\*cat\.png\*\* is a PNG image, 12 B\. I cannot read binary files/
    ],
    [
      "invalid UTF-8",
      ["look", file("a.csv", Buffer.from("name,n\ncaf\xe9,1\nth\xe9,2\n", "latin1"))],
      /not valid UTF-8/
    ],
    ["broken JSON", ["look", file("a.json", '{"a": [1, 2}')], /not valid JSON: line 1, character \d+/],
    ["a JSON object", ["look", file("a.json", '{"name":"x","deep":{"n":1}}')], /1 row and 2 columns[^]*deep\.n/],
    [
      "JSON rows",
      ["average n by kind", file("a.json", '[{"kind":"a","n":1},{"kind":"a","n":3},{"kind":"b","n":5}]')],
      /\| a \| 2 \|\n\| b \| 5 \|/
    ],
    ["Markdown", ["look", file("a.md", "# One\n\nText here.\n\n## Two\n\nMore.\n")], /- One\n {2}- Two/],
    ["a Markdown table", ["total n", "| city | n |\n|---|--:|\n| Bonn | 5 |\n| Ulm | 7 |\n"], /\*\*12\*\*/],
    ["pasted data", ["how many rows?\na;b\n1;2\n3;4\n"], /There are 2 rows/],
    ["pasted data below a sentence", ["How many rows, please?\na,b\n1,2\n3,4\n"], /There are 2 rows/],
    [
      "a web address",
      ["look", { type: "resource_link", uri: "https://a.example/x.csv", name: "x.csv" }],
      /I have no network/
    ],
    [
      "a file outside",
      ["look", { type: "resource_link", uri: "file:///etc/passwd", name: "passwd" }],
      /outside my working directory/
    ],
    [
      "a missing file",
      ["look", { type: "resource_link", uri: "missing.csv", name: "missing.csv" }],
      /no file missing\.csv/
    ],
    ["a text", ["summarise", file("a.txt", "One sentence. Another sentence, longer than the first.\n")], /8 words/]
  ])("%s", async (_, blocks, expected) => assert.match(await say(...blocks), expected))

  it("one megabyte of prompt", async () => assert.match(await say("lorem ipsum ".repeat(90_000)), /180,000 words/))

  it("100 columns", async () =>
    assert.match(
      await say("look", csv(ordersCsv(500, { columns: 100 }))),
      /500 rows and 100 columns[\s\S]*70 more columns/
    ))

  it("200,000 rows, whose reading can be stopped, in bounded memory", async () => {
    const agent = await start()
    const session = await agent.newSession()
    const turn = agent.prompt(session, "", csv(ordersCsv(200_000)))
    await agent.when(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress")
    const at = performance.now()
    await agent.connection.agent.notify("session/cancel", { sessionId: session })
    assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
    assert.ok(performance.now() - at < 1000)
    agent.heard()
    // The file stays with the session.
    await agent.prompt(session, "look")
    assert.match(agent.heard(), /200,000 rows and 6 columns/)
    if (process.platform === "linux") {
      const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${agent.child.pid}/status`, "utf8"))?.[1])
      assert.ok(peak < 500 * 1024, `${Math.round(peak / 1024)} MB`)
    }
    await agent.prompt(session, "how many rows?", csv("x,y\n1,2\n"))
    assert.match(agent.heard(), /There are 1 row|There is 1 row|1 row\./)
  }, 60_000)

  it("a linked or named file in the working directory, and none outside of it", async () => {
    const agent = await start()
    const outside = mkdtempSync(join(tmpdir(), "heddle-outside-"))
    writeFileSync(join(outside, "secret.csv"), "a,b\n1,2\n")
    writeFileSync(join(agent.cwd, "mine.csv"), "a,b\n1,2\n3,4\n")
    symlinkSync(join(outside, "secret.csv"), join(agent.cwd, "link.csv"))
    const session = await agent.newSession()
    await agent.prompt(session, "how many rows?", {
      type: "resource_link",
      uri: pathToFileURL(join(agent.cwd, "mine.csv")).href,
      name: "mine.csv"
    })
    assert.match(agent.heard(), /There are 2 rows/)
    await agent.prompt(session, "how many rows are in link.csv?")
    assert.match(agent.heard(), /points outside my working directory[\s\S]*still have \*\*mine\.csv\*\*/)
    rmSync(outside, { recursive: true })
  })

  it("an attached file: linked where the service stored it, embedded too, and named in a line for the agent", async () => {
    const agent = await start()
    mkdirSync(join(agent.cwd, "attachments"))
    const attach = (name: string, text: string): ReadonlyArray<ContentBlock> => {
      writeFileSync(join(agent.cwd, "attachments", name), text)
      const uri = pathToFileURL(join(agent.cwd, "attachments", name)).href
      return [
        { type: "resource_link", uri, name },
        { type: "resource", resource: { uri, text } }
      ]
    }
    const session = await agent.newSession()
    const words = '[Attached files, stored in the working directory: "attachments/a.csv", "attachments/b.csv"]'
    await agent.prompt(
      session,
      "how many rows?",
      ...attach("a.csv", "a,b\n1,2\n3,4\n"),
      ...attach("b.csv", "a,b\n1,2\n"),
      { type: "text", text: words, annotations: { audience: ["assistant"] } }
    )
    const answer = agent.heard()
    assert.match(answer, /start with \*\*a\.csv\*\*\. Say the name of another to go on with it: \*\*b\.csv\*\*/)
    assert.match(answer, /There are 2 rows/)
    await agent.prompt(session, "how many rows are in b.csv?")
    assert.match(agent.heard(), /Based on the only row of \*\*b\.csv\*\*/)
    // The file stays where it is: a copy would be offered to people as the agent's work.
    assert.deepStrictEqual(
      readdirSync(agent.cwd).filter((name) => name.endsWith(".csv")),
      []
    )
  })

  it("data in a fenced block, of which a chart leaves a picture", async () => {
    const agent = await start()
    const words = "Chart sales by month.\n\n```csv\nmonth,sales\n2026-01,10\n2026-02,30\n2026-03,20\n```"
    await agent.prompt(await agent.newSession(), words)
    assert.deepStrictEqual(readdirSync(join(agent.cwd, "artifacts")).toSorted(), [
      "report.md",
      "total-sales-by-month.png"
    ])
  })

  it("words in brackets and lines with commas, which are no data", async () => {
    const agent = await start()
    const session = await agent.newSession()
    await agent.prompt(session, "count", csv("a,b\n1,x\n2,y\n"))
    agent.heard()
    await agent.prompt(session, 'chart ["a"] by b')
    assert.match(agent.heard(), /what “\\\["a"\\\] by b” asks for/)
    await agent.prompt(session, "how many rows, please\ntotal a by b, please")
    assert.match(agent.heard(), /There are 2 rows[^]*\| x \| 1 \|[^]*\*\*data\.csv\*\*/)
    const end = await agent.prompt(session, "hello, heddle\nthanks, bye")
    assert.deepStrictEqual(end._meta, { "heddle/free": true })
    assert.strictEqual(agent.heard(), "You are welcome.\n")
    assert.deepStrictEqual(readdirSync(join(agent.cwd, "attachments")), ["data.csv"])
  })

  it.each([
    ["Hi,", "Hi,\ntotal value by city:\ncity,value\nBonn,5\nUlm,6"],
    ["please", "total value by city, please\ncity,value\nBonn,5\nUlm,6"],
    ["a colon", "你好！\n请按 city 统计总 value：\n| city | value |\n|-|-|\n| Bonn | 5 |\n| Ulm | 6 |"]
  ])("words that end with %s above pasted data, which are no header", async (_, words) =>
    assert.match(await say(words), /\| Bonn \| 5 \|\n\| Ulm \| 6 \|/)
  )

  it.each(["hi,value\n1,2\n3,4", "word,thanks\n1,2\n3,4"])("%j: a header of courtesies", async (data) =>
    assert.match(await say(data), /2 rows and 2 columns/)
  )

  it("a folder with a file in place of the artifacts folder", async () => {
    const agent = await start()
    writeFileSync(join(agent.cwd, "artifacts"), "in the way")
    await agent.prompt(await agent.newSession(), "look", csv("a,b\n1,x\n2,y\n"))
    assert.match(agent.heard(), /could not be written: a file named “artifacts” is in the way/)
  })
})
