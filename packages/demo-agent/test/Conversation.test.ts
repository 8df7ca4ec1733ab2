import assert from "node:assert"
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
      assert.doesNotMatch(answer, /did not understand|full look|Discord user/, suggestion)
    }
  })
})

describe("currencies", () => {
  it("adds no amounts of different currencies, and says so", async () => {
    const csv = "what,price\na,€5\nb,$7\nc,¥900\nd,€6\n"
    const [look, total] = await conversation(await start(), csv, "look", "total price")
    assert.match(look!, /price.*€, \$ and ¥/)
    assert.doesNotMatch(look!, /€918|€900|€7/)
    assert.match(total!, /€, \$ and ¥/)
    assert.doesNotMatch(total!, /918/)
  })

  it("shows no currency where some amounts have none", async () => {
    const [total] = await conversation(await start(), "what,price\na,€5\nb,7\nc,6\n", "total price")
    assert.match(total!, /\*\*18\*\*/)
    const [same] = await conversation(await start(), "what,price\na,€5\nb,7 EUR\nc,€6\n", "total price")
    assert.match(same!, /\*\*€18\*\*/)
  })
})

describe("an interrupted turn", () => {
  it("keeps the file that came with it", async () => {
    const agent = await start()
    const session = await agent.newSession()
    const turn = agent.prompt(session, "look", file("big.csv", ordersCsv(200_000)))
    await agent.when(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress")
    await agent.connection.agent.notify("session/cancel", { sessionId: session })
    assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
    agent.heard()
    await agent.prompt(session, "how many rows?")
    assert.match(agent.heard(), /200,000 rows/)
  })

  it("keeps it when the process was killed", async () => {
    const first = await start()
    const session = await first.newSession()
    first.prompt(session, "look", file("big.csv", ordersCsv(200_000))).catch(() => undefined)
    await first.when(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress")
    first.child.kill("SIGKILL")
    await first.exited
    const second = await start({ cwd: first.cwd })
    await second.connection.agent.request("session/resume", { sessionId: session, cwd: first.cwd })
    await second.prompt(session, "how many rows?")
    assert.match(second.heard(), /200,000 rows/)
  })
})
