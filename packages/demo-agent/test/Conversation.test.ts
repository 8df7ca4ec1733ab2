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
  [...answer.matchAll(/“((?:only|chart|total|top|count|first)[^”]*)”/g)].map((match) => match[1]!)

describe("a shared task", () => {
  it("understands its own suggestions, whoever says them", async () => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    await agent.prompt(
      session,
      "[Ann, Discord user 81384788765712384]\nwhat is in this?",
      file("a.csv", ordersCsv(200))
    )
    const suggestions = quoted(agent.heard()).map((each) => each.replaceAll("\\", ""))
    assert.ok(suggestions.length >= 3)
    for (const [i, suggestion] of suggestions.entries()) {
      await agent.prompt(
        session,
        `[${i % 2 === 0 ? "Ann" : "Zoé O."}, Discord user 8138478876571238${i}]\n${["", "Hi heddle, "][i % 2]}${suggestion}`
      )
      const answer = agent.heard()
      assert.match(answer, /Based on/, suggestion)
      assert.doesNotMatch(answer, /did not understand|Discord user/, suggestion)
    }
  })
})

describe("courtesies", () => {
  const csv = "a,b\n1,x\n2,y\n"

  it.each([
    ["hello", /^Hello! Ask me about \*\*data\.csv\*\*/],
    ["How are you?", /^Hello!/],
    ["Thank you very much 🙏", /^You are welcome\./],
    ["ok, thanks!", /^You are welcome\./],
    ["great", /^I am glad/],
    ["OK", /^All right\./],
    ["hey, what's up?", /^Hello!/],
    ["👍", /^All right\./],
    ["thanks, bye!", /^Goodbye!/],
    ["在吗？", /^你好！可以问我关于/],
    ["謝謝！", /^不客气！/],
    ["好的", /^好的。/],
    ["再见", /^再见！/],
    ["thanks, that was great!", /^You are welcome\./],
    ["thank you for the chart", /^You are welcome\./],
    ["thanks for the report", /^You are welcome\./],
    ["that's perfect, thank you", /^You are welcome\./],
    ["thank you, very helpful", /^You are welcome\./],
    ["Thanks, this helps a lot", /^You are welcome\./],
    ["Hi bot", /^Hello!/],
    ["hello everyone", /^Hello!/],
    ["Hi there, how are you today?", /^Hello!/],
    ["谢谢，非常好", /^不客气！/],
    ["太感谢了", /^不客气！/],
    ["早上好，今天怎么样？", /^你好！/],
    ["awesome, thanks so much!", /^You are welcome\./],
    ["thanks for your help with the report", /^You are welcome\./],
    ["much appreciated!", /^You are welcome\./],
    ["谢谢你画的图", /^不客气！/],
    ["感谢您的分析！", /^不客气！/],
    ["早安", /^你好！/],
    ["merci beaucoup", /^You are welcome\./],
    ["Hola!", /^Hello!/]
  ])("%s is answered with a sentence, also when it comes with a file, and free", async (words, expected) => {
    const agent = await start()
    const session = await agent.newSession()
    const free = { stopReason: "end_turn", _meta: { "heddle/free": true } }
    for (const files of [[file("data.csv", csv)], []]) {
      assert.deepStrictEqual(await agent.prompt(session, words, ...files), free)
      const answer = agent.heard()
      assert.match(answer, expected)
      assert.ok(answer.length < 200, answer)
    }
    assert.strictEqual(existsSync(join(agent.cwd, "artifacts")), false)
    assert.strictEqual(agent.permissions.length, 0)
  })

  it.each([
    "thanks, now how many rows?",
    "thanks, now chart value by month",
    "thanks for the chart, now total a by b",
    "hello, data.csv please",
    "thanks, now b",
    "only rows, thanks",
    "how are you calculating this?",
    "history lesson",
    "are you sure?",
    "that was wrong",
    "nice try",
    "awesome, thanks, now how many rows?",
    "谢谢你的图，再画一张图",
    "谢谢你的图再画一张",
    "谢谢，再画一张图"
  ])("%s is no courtesy: it is refused, free", async (words) => {
    const agent = await start()
    const session = await agent.newSession()
    const end = await agent.prompt(session, words, file("data.csv", csv))
    assert.deepStrictEqual(end._meta, { "heddle/free": true })
    assert.match(agent.heard(), /did not understand|没有看懂|“only rows” is no complete request/)
  })

  it("asks for data where there is none, and helps with requests about the data", async () => {
    const agent = await start()
    const session = await agent.newSession()
    await agent.prompt(session, "help")
    assert.match(agent.heard(), /I have none yet/)
    await agent.prompt(session, "What can you do?", file("data.csv", csv))
    assert.match(agent.heard(), /you can say, for example:\n- “total "a" by b”/)
  })
})

describe("ten columns", () => {
  it("are tables that a chat shows as tables", async () => {
    const csv = ordersCsv(300, { columns: 9 })
      .replaceAll("\n", ",a longer note about this order\n")
      .replace(",a longer", ",a_longer")
    const answers = await conversation(await start({ answer: "deny" }), csv, "look", "first 5 rows", "sort by note")
    for (const answer of answers) {
      assert.ok(answer.split("\n").length < 50, answer)
      for (const [table] of answer.matchAll(/(?:^\|.*\n)+/gm)) {
        const rows = table.trim().split("\n").map(cellsOf)
        const widths = rows[0]!.map((_, i) => Math.max(...rows.filter((_, n) => n !== 1).map((row) => row[i]!.length)))
        const width = widths.reduce((sum, each) => sum + each + 2, -2)
        assert.ok(width <= (widths.length < 4 ? 40 : 78), table)
      }
    }
  })
})

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replaceAll("\\", "")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())

describe("an interrupted turn", () => {
  it("keeps the file that came with it, also when it is stopped at once", async () => {
    const agent = await start()
    const session = await agent.newSession()
    const turn = agent.prompt(session, "look", file("data.csv", "a,b\n1,x\n2,y\n"))
    await agent.connection.agent.notify("session/cancel", { sessionId: session })
    assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
    await agent.prompt(session, "how many rows?")
    assert.match(agent.heard(), /There are 2 rows[^]*\*\*data\.csv\*\*/)
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
