import assert from "node:assert"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { file, useAgents, type Harness } from "./support/Harness.ts"
import { ordersCsv } from "./support/Orders.ts"

const start = useAgents()

/** Says one thing after another in one session; returns the answers. */
const conversation = async (
  agent: Harness,
  csv: string,
  ...requests: ReadonlyArray<string>
): Promise<Array<string>> => {
  const session = await agent.newSession()
  const answers: Array<string> = []
  for (const [i, request] of requests.entries()) {
    await agent.prompt(session, request, ...(i === 0 ? [file("data.csv", csv)] : []))
    answers.push(agent.heard())
  }
  return answers
}

const quoted = (answer: string): ReadonlyArray<string> =>
  [...answer.matchAll(/“((?:only|chart|histogram|average|top|now|all)[^”]*)”/g)].map((match) => match[1]!)

describe("a shared task", () => {
  it("understands its own suggestions, whoever says them", async () => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    await agent.prompt(
      session,
      "[Ann, Discord user 81384788765712384]\nwhat is in this?",
      file("a.csv", ordersCsv(200))
    )
    const suggestions = quoted(agent.heard())
    assert.ok(suggestions.length >= 3)
    for (const [i, suggestion] of suggestions.entries()) {
      await agent.prompt(
        session,
        `[${i % 2 === 0 ? "Ann" : "Zoé O."}, Discord user 8138478876571238${i}]\n${suggestion}`
      )
      const answer = agent.heard()
      assert.match(answer, /Based on/, suggestion)
      assert.doesNotMatch(answer, /did not understand|Discord user/, suggestion)
    }
  })
})

describe("currencies", () => {
  it("adds no amounts of different currencies, and says so", async () => {
    const csv = "what,price\na,€5\nb,$7\nc,¥900\nd,€6\n"
    const [look, total] = await conversation(await start(), csv, "look", "total price")
    assert.match(look!, /price.*€, \$ and ¥/)
    assert.doesNotMatch(look!, /€918|€900|€7/)
    assert.match(total!, /\*\*€11\*\*, \*\*\$7\*\* and \*\*¥900\*\*: one for each currency/)
    assert.doesNotMatch(total!, /918/)
  })

  it("shows no currency where some amounts have none", async () => {
    const [total] = await conversation(await start(), "what,price\na,€5\nb,7\nc,6\n", "total price")
    assert.match(total!, /\*\*18\*\*/)
    const [same] = await conversation(await start(), "what,price\na,€5\nb,7 EUR\nc,€6\n", "total price")
    assert.match(same!, /\*\*€18\*\*/)
  })
})

describe("identifiers", () => {
  const csv = `order number,date,amount\n${Array.from({ length: 6 }, (_, i) => `${1001 + i},2024-0${i + 1}-03,${i * 7}`).join("\n")}\n`

  it("suggests, charts and adds up none, and writes them as they are", async () => {
    const agent = await start()
    const [look, table, total] = await conversation(agent, csv, "look", "first 3 rows", "total order number")
    assert.doesNotMatch(`${look}${table}${total}`, /1,00\d/)
    assert.match(look!, /1001 to 1006/)
    assert.match(look!, /“chart amount by month”/)
    assert.match(table!, /\| 1001 /)
    assert.match(total!, /\*\*order number\*\* looks like an identifier/)
    assert.doesNotMatch(total!, /6,?021/)
  })

  it("draws none, also where no other column holds numbers", async () => {
    const agent = await start()
    const only = "phone,city\n4915112345,Bonn\n4915112399,Ulm\n4915112301,Bonn\n"
    const [look, chart] = await conversation(agent, only, "look", "chart phone")
    assert.doesNotMatch(`${look}${chart}`, /4,915|histogram of phone|Distribution of phone|distribution-of-phone/)
  })
})

describe("courtesies", () => {
  const csv = "a,b\n1,x\n2,y\n"

  it.each([
    ["hello", /^Hello! Ask me about \*\*data\.csv\*\*/],
    ["Hi there!", /^Hello!/],
    ["hi, nice to meet you", /^Hello!/],
    ["thanks", /^You are welcome/],
    ["thank you very much 🙏", /^You are welcome/],
    ["thank you for your help", /^You are welcome/],
    ["thanks, that helped", /^You are welcome/],
    ["ok great, thanks!", /^You are welcome/],
    ["ok", /^All right\./],
    ["bye", /^Goodbye!\n$/],
    ["thanks, bye!", /^Goodbye!\n$/],
    ["你好", /^你好！可以问我关于/],
    ["谢谢！", /^不客气！/],
    ["多谢啦", /^不客气！/],
    ["谢谢，很棒", /^不客气！/],
    ["谢谢你的帮助", /^不客气！/],
    ["辛苦了", /^不客气！/],
    ["好的，谢谢", /^不客气！/],
    ["好的", /^好的。/],
    ["太好了", /^不客气！/],
    ["不用了，谢谢", /^不客气！/],
    ["no thanks", /^You are welcome/],
    ["謝謝您的幫助", /^不客气！/],
    ["再见", /^再见！\n$/]
  ])("%s is answered with a sentence, also when it comes with a file, and free", async (words, expected) => {
    const agent = await start()
    const session = await agent.newSession()
    const free = { stopReason: "end_turn", _meta: { "heddle/free": true } }
    for (const [i, files] of [[file("data.csv", csv)], []].entries()) {
      assert.deepStrictEqual(await agent.prompt(session, words, ...files), free)
      const answer = agent.heard()
      assert.match(answer, i === 0 ? new RegExp(expected.source.replace(/\\n\$$/, "")) : expected)
      assert.ok(answer.length < 200, answer)
      assert.doesNotMatch(answer, /did not understand|report|\|/)
    }
    assert.strictEqual(existsSync(join(agent.cwd, "artifacts")), false)
    assert.strictEqual(agent.permissions.length, 0)
    await agent.prompt(session, "how many rows?")
    assert.match(agent.heard(), /2 rows/)
  })

  it.each([
    ["thanks, now how many rows?", /2 rows/],
    ["hi, what is this?", /2 rows and 2 columns/],
    ["谢谢，有多少行？", /2 行/],
    ["好的，分析", /2 行 2 列/],
    ["thanks, email it to Bob", /did not understand/],
    ["thank you for your help, average a", /^The average/],
    ["谢谢你的帮助，平均 a", /^平均/]
  ])("%s is a request", async (words, expected) => {
    const [, answer] = await conversation(await start({ answer: "deny" }), csv, "how many rows?", words)
    assert.match(answer!, expected)
    assert.doesNotMatch(answer!, /^(?:You are welcome|Hello|不客气|你好)/)
  })
})

describe("parts of a request", () => {
  const csv = "city,month,value\nBonn,2024-01-03,5\nUlm,2024-02-03,7\nBonn,2024-03-03,9\n"

  it("answers a table of figures and a chart", async () => {
    const [answer] = await conversation(await start(), csv, "total value by city as a table, then chart value by month")
    assert.match(answer!, /\| Bonn \| 14 \|/)
    assert.match(answer!, /total-value-by-month\.png/)
  })

  it.each([
    ["outliers by city", /“by city”/],
    ["total value by city and month", /“and month”/],
    ["total value by city, then sing", /“sing”/],
    ["how many rows, grouped by moon phase", /“moon phase”/],
    ["chart value by month in purple", /“purple”/],
    ["what is the weather in Bonn", /weather/]
  ])("%s: names what it did not understand, and calculates nothing", async (request, left) => {
    const [, answer] = await conversation(await start(), csv, "how many rows?", request)
    assert.match(answer!, left)
    assert.match(answer!, /calculated nothing/)
    assert.doesNotMatch(answer!, /Based on|\|/)
  })

  it.each([
    "average value by city",
    "top 2 by value",
    "only Bonn",
    "what is in data.csv?",
    "list columns",
    "city is Ulm"
  ])("%s: understands all of it", async (request) => {
    const [, answer] = await conversation(await start({ answer: "deny" }), csv, "how many rows?", request)
    assert.match(answer!, /Based on|rows and/)
  })
})

describe("ten columns", () => {
  it("are tables as narrow as a phone", async () => {
    const csv = ordersCsv(300, { columns: 9 })
      .replaceAll("\n", ",a longer note about this order\n")
      .replace(",a longer", ",a_longer")
    const [look, columns] = await conversation(await start({ answer: "deny" }), csv, "look", "list columns")
    for (const answer of [look!, columns!]) {
      assert.ok(answer.split("\n").length < 60, answer)
      for (const [table] of answer.matchAll(/(?:^\|.*\n)+/gm)) {
        const rows = table
          .trim()
          .split("\n")
          .map((line) =>
            line
              .replaceAll("\\", "")
              .split("|")
              .slice(1, -1)
              .map((cell) => cell.trim())
          )
        const widths = rows[0]!.map((_, i) => Math.max(...rows.filter((_, n) => n !== 1).map((row) => row[i]!.length)))
        assert.ok(widths.reduce((sum, width) => sum + width + 2, -2) <= 40, table)
      }
    }
  })
})

describe("an interrupted turn", () => {
  it("keeps the file that came with it", async () => {
    const agent = await start()
    const session = await agent.newSession()
    const turn = agent.prompt(session, "look", file("big.csv", ordersCsv(40_000)))
    await agent.when(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress")
    await agent.connection.agent.notify("session/cancel", { sessionId: session })
    assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
    agent.heard()
    await agent.prompt(session, "how many rows?")
    assert.match(agent.heard(), /40,000 rows/)
  })

  it("keeps it when the process was killed", async () => {
    const first = await start()
    const session = await first.newSession()
    first.prompt(session, "look", file("big.csv", ordersCsv(40_000))).catch(() => undefined)
    await first.when(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress")
    first.child.kill("SIGKILL")
    await first.exited
    const second = await start({ cwd: first.cwd })
    await second.connection.agent.request("session/resume", { sessionId: session, cwd: first.cwd })
    await second.prompt(session, "how many rows?")
    assert.match(second.heard(), /40,000 rows/)
  })
})
