import assert from "node:assert"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import type { ContentBlock, PlanEntry } from "@agentclientprotocol/sdk"
import { newSession } from "@heddle/demo-agent/session/SessionState"
import { file, useAgents, type Harness } from "./support/Harness.ts"
import { ordersCsv } from "./support/Orders.ts"

const start = useAgents()

const orders = file("orders.csv", ordersCsv(300), "text/csv")
const manyOrders = file("orders.csv", ordersCsv(10_000), "text/csv")
const plans = (agent: Harness): ReadonlyArray<ReadonlyArray<PlanEntry>> =>
  agent.seen.flatMap(({ update }) => (update.sessionUpdate === "plan" ? [update.entries] : []))
const ended = (agent: Harness): ReadonlyArray<string> =>
  (plans(agent).at(-1) ?? []).map(({ content, status }) => `${content}: ${status}`)
const png = (path: string): { width: number; height: number } => {
  const bytes = readFileSync(path)
  assert.strictEqual(bytes.subarray(0, 8).toString("hex"), "89504e470d0a1a0a")
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

describe("a turn", () => {
  it("reads, plans, answers, asks for permission, writes and summarizes", async () => {
    const agent = await start()
    assert.deepStrictEqual(agent.initialized.agentInfo?.name, "heddle-agent")
    assert.strictEqual(agent.initialized.agentCapabilities?.loadSession, true)
    assert.strictEqual(agent.initialized.agentCapabilities?.promptCapabilities?.embeddedContext, true)
    const session = await agent.newSession()
    assert.deepStrictEqual(await agent.prompt(session, "What is in this file?", manyOrders), { stopReason: "end_turn" })
    const text = agent.heard()
    assert.match(text, /\*\*orders\.csv\*\* has 10,000 rows and 6 columns/)
    assert.match(text, /\| unit\\?_price \| number \| \d+ \|/)
    assert.match(text, /Written: `artifacts\/report\.md` and `artifacts\/average-unit-price-by-month\.png`/)
    assert.deepStrictEqual(png(join(agent.cwd, "artifacts/average-unit-price-by-month.png")), {
      width: 1000,
      height: 600
    })
    const report = readFileSync(join(agent.cwd, "artifacts/report.md"), "utf8")
    assert.match(report, /# Report on orders\.csv[\s\S]*10,000 rows[\s\S]*!\[.*\]\(average-unit-price-by-month\.png\)/)
    assert.deepStrictEqual(readFileSync(join(agent.cwd, "attachments/orders.csv"), "utf8"), ordersCsv(10_000))

    const steps = plans(agent)
    assert.ok(steps.every((entries) => entries.filter(({ status }) => status === "in_progress").length <= 1))
    assert.ok(steps.at(-1)!.length === 5 && steps.at(-1)!.every(({ status }) => status === "completed"))

    assert.strictEqual(agent.permissions.length, 1)
    const [asked] = agent.permissions
    assert.deepStrictEqual(
      asked!.options.map(({ kind }) => kind),
      ["allow_once", "allow_always", "reject_once"]
    )
    assert.match(JSON.stringify(asked!.toolCall.content), /report\.md.* K?B.*average-unit-price-by-month\.png/)
    assert.deepStrictEqual(asked!.toolCall.locations?.[0]?.path, join(agent.cwd, "artifacts/report.md"))

    const last = new Map(
      agent.seen.flatMap(({ update }) => ("toolCallId" in update ? [[update.toolCallId, update.status] as const] : []))
    )
    assert.deepStrictEqual([...last.values()], ["completed", "completed", "completed", "completed"])
    const messages = agent.seen.flatMap(({ update }) =>
      update.sessionUpdate === "agent_message_chunk" ? [update.messageId] : []
    )
    assert.ok(
      messages.length > 20 && new Set(messages).size >= 3 && messages.every((id) => /^[0-9a-f-]{36}$/.test(id ?? ""))
    )

    assert.deepStrictEqual(
      agent.artifacts.map(({ event, artifact }) => [event, artifact["type"], artifact["uri"]]),
      [
        ["created", "plan", `agent:///artifacts/${session}/plan`],
        ["created", "overview", `agent:///artifacts/${session}/overview`]
      ]
    )
  })

  it("continues with the same data in the next turn, and remembers no condition", async () => {
    const agent = await start()
    const session = await agent.newSession()
    await agent.prompt(session, "What is in this file?", orders)
    agent.heard()
    await agent.prompt(session, "only rows where region is EU")
    assert.match(agent.heard(), /[\d,]+ of 300 rows fit[^]*where region is EU, of 300 in \*\*orders\.csv\*\*\./)
    assert.strictEqual(agent.permissions.length, 1)
    await agent.prompt(session, "chart unit price by month")
    assert.match(agent.heard(), /Based on all 300 rows/)
    assert.strictEqual(agent.permissions.length, 2)
    assert.deepStrictEqual(png(join(agent.cwd, "artifacts/average-unit-price-by-month-2.png")), {
      width: 1000,
      height: 600
    })
    await agent.prompt(session, "chart unit_price and quantity by month")
    assert.match(
      agent.heard(),
      /average-unit-price-by-month-3\.png`[^]*average-quantity-by-month|total-quantity-by-month\.png/
    )
    const versions = agent.artifacts.flatMap(({ artifact }) =>
      artifact["type"] === "plan" ? [artifact["version"]] : []
    )
    assert.deepStrictEqual(versions, [1, 2, 3, 4])
    assert.ok(typeof agent.artifacts.at(-2)!.artifact["previousText"] === "string")
    const end = await agent.prompt(session, "write me a poem")
    assert.deepStrictEqual(end, { stopReason: "end_turn", _meta: { "heddle/free": true } })
    assert.match(agent.heard(), /did not understand[\s\S]*“total unit_price by region”/)
  })

  it("writes a summary beside the answer", async () => {
    const agent = await start()
    const session = await agent.newSession()
    const overview = async (request: string, ...blocks: ReadonlyArray<ContentBlock>): Promise<string> => {
      await agent.prompt(session, request, ...blocks)
      const text = String(agent.artifacts.findLast(({ artifact }) => artifact["type"] === "overview")!.artifact["text"])
      assert.doesNotMatch(text, /^\|/m)
      assert.ok(text.length < 900, text)
      return text
    }
    assert.match(await overview("", orders), /^\*\*orders\.csv\*\* has 300 rows and 6 columns\.\n\nBased on/)
    assert.match(
      await overview("average unit_price by month"),
      /^The average \*\*unit_price\*\* by \*\*month\*\*: 2\d{3}-\d\d [\d.,]+; 2/
    )
    assert.match(
      await overview("chart quantity by region"),
      /“Total quantity by region”\.\n\nThe total .*: \w+ [\d,]+; /
    )
    const markdown = file("a.md", "# One\n\ncall Bob\n\n## Two\n\nSome words.\n")
    assert.match(await overview("Summarise", markdown), /is a text of 6 words[\s\S]*- One/)
  })

  it("writes no file when denied, and asks again next time", async () => {
    const agent = await start({ answer: "deny" })
    const session = await agent.newSession()
    assert.deepStrictEqual(await agent.prompt(session, "What is in this file?", orders), { stopReason: "end_turn" })
    assert.match(agent.heard(), /300 rows[\s\S]*You did not allow writing, so nothing was written/)
    assert.strictEqual(existsSync(join(agent.cwd, "artifacts")), false)
    assert.ok(
      agent.seen.some(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "failed")
    )
    assert.deepStrictEqual(ended(agent), [
      "Read orders.csv: completed",
      "Work out what is in it: completed",
      "Draw a chart: completed",
      "Write the report and the chart (not allowed): pending",
      "Sum up: completed"
    ])
    await agent.prompt(session, "chart region")
    assert.strictEqual(agent.permissions.length, 2)
    assert.ok(ended(agent).includes("Write the report and the chart (not allowed): pending"))
  })

  it("ends its plan with the finished steps, also when it cannot read, draw or answer", async () => {
    const agent = await start()
    const session = await agent.newSession()
    await agent.prompt(session, "look", file("cat.png", Buffer.from("89504e470d0a1a0a00000000", "hex")))
    assert.deepStrictEqual(ended(agent), ["Answer: completed"])
    await agent.prompt(session, "help", file("a.csv", "x,y\n1,2\n3,4\n"))
    assert.deepStrictEqual(ended(agent), ["Read a.csv: completed", "Answer: completed"])
    await agent.prompt(session, "chart count by x where y > 9")
    assert.deepStrictEqual(ended(agent), ["Work out the answer: completed", "Sum up: completed"])
  })

  it("asks only once after a permanent permission", async () => {
    const agent = await start({ answer: "always" })
    const session = await agent.newSession()
    await agent.prompt(session, "", orders)
    await agent.prompt(session, "chart region")
    assert.strictEqual(agent.permissions.length, 1)
    assert.strictEqual(readdirSync(join(agent.cwd, "artifacts")).length, 3)
    await agent.prompt(await agent.newSession(), "", orders)
    assert.strictEqual(agent.permissions.length, 2)
  })

  it("serves several sessions and queues turns of one", async () => {
    const agent = await start()
    const [a, b] = [await agent.newSession(), await agent.newSession()]
    const results = await Promise.all([
      agent.prompt(a, "how many rows?", file("a.csv", "x,y\n1,2\n3,4\n")),
      agent.prompt(a, "top 1 by y"),
      agent.prompt(b, "how many rows?", file("b.csv", "x,y\n1,2\n"))
    ])
    assert.ok(results.every(({ stopReason }) => stopReason === "end_turn"))
    const said = (session: string): string =>
      agent.seen
        .map(({ update, sessionId }) =>
          sessionId === session && update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
            ? update.content.text
            : ""
        )
        .join("")
    assert.match(said(a), /2 rows[\s\S]*\| 3 \| 4 \|/)
    assert.match(said(b), /1 row\./)
  })
})

describe("cancelling", () => {
  const cancelled = async (agent: Harness, session: string, turn: Promise<unknown>): Promise<void> => {
    const at = performance.now()
    await agent.connection.agent.notify("session/cancel", { sessionId: session })
    assert.deepStrictEqual(await turn, { stopReason: "cancelled" })
    assert.ok(performance.now() - at < 1000)
  }

  it("stops during its answer", async () => {
    const agent = await start({ env: { HEDDLE_AGENT_PACE_MS: "2000" } })
    const session = await agent.newSession()
    const turn = agent.prompt(session, "", file("a.csv", "x,y\n1,2\n3,4\n"))
    await agent.when(({ update }) => update.sessionUpdate === "agent_message_chunk")
    await cancelled(agent, session, turn)
  })

  it("stops while it waits for permission, without a written file", async () => {
    const agent = await start({ answer: "wait" })
    const session = await agent.newSession()
    const turn = agent.prompt(session, "", orders)
    await agent.when(({ update }) => update.sessionUpdate === "tool_call" && update.kind === "edit")
    await cancelled(agent, session, turn)
    assert.strictEqual(existsSync(join(agent.cwd, "artifacts")), false)
  })
})

describe("a new process", () => {
  it("replays the conversation and continues with the same data", async () => {
    const first = await start()
    const session = await first.newSession()
    await first.prompt(session, "What is in this file?", orders)
    await first.prompt(session, "only rows where region is EU")
    first.child.kill("SIGKILL")
    await first.exited
    const second = await start({ cwd: first.cwd })
    await second.connection.agent.request("session/load", { sessionId: session, cwd: first.cwd, mcpServers: [] })
    const replayed = second.seen.map(({ update }) => update.sessionUpdate)
    assert.strictEqual(replayed.filter((kind) => kind === "user_message_chunk").length, 3)
    assert.ok(
      second.seen.some(
        ({ update }) =>
          update.sessionUpdate === "user_message_chunk" &&
          update.content.type === "resource_link" &&
          update.content.name === "orders.csv"
      )
    )
    assert.strictEqual(second.heard(), first.heard())
    await second.prompt(session, "how many rows?")
    assert.match(second.heard(), /There are 300 rows/)
    const third = await start({ cwd: first.cwd })
    await third.connection.agent.request("session/resume", { sessionId: session, cwd: first.cwd })
    assert.strictEqual(third.seen.length, 0)
  })

  it("goes on with a session of an older version", async () => {
    const agent = await start()
    const old = {
      ...newSession("old"),
      data: { file: "old.csv", name: "old.csv" },
      lastCharts: [],
      filters: [{ any: [] }]
    }
    mkdirSync(join(agent.cwd, ".heddle-agent"), { recursive: true })
    writeFileSync(join(agent.cwd, ".heddle-agent/old.json"), JSON.stringify(old))
    writeFileSync(join(agent.cwd, "old.csv"), "a,b\n1,x\n2,y\n")
    await agent.connection.agent.request("session/resume", { sessionId: "old", cwd: agent.cwd })
    await agent.prompt("old", "how many rows?")
    assert.match(agent.heard(), /There are 2 rows/)
  })

  it("refuses an unknown session", async () => {
    const agent = await start()
    for (const sessionId of ["nobody", "../../etc/passwd"]) {
      await assert.rejects(
        agent.connection.agent.request("session/load", { sessionId, cwd: agent.cwd, mcpServers: [] }),
        { code: -32002 }
      )
      await assert.rejects(agent.prompt(sessionId, "hello"), { code: -32002 })
    }
    mkdirSync(join(agent.cwd, ".heddle-agent"), { recursive: true })
    writeFileSync(join(agent.cwd, ".heddle-agent/broken.json"), "{")
    await assert.rejects(
      agent.connection.agent.request("session/load", { sessionId: "broken", cwd: agent.cwd, mcpServers: [] }),
      /damaged/
    )
    await assert.rejects(
      agent.connection.agent.request("session/new", { cwd: join(agent.cwd, "nowhere"), mcpServers: [] }),
      { code: -32602 }
    )
  })

  it("exits when its input ends", async () => {
    const agent = await start({ env: { HEDDLE_AGENT_PACE_MS: "5000" } })
    const session = await agent.newSession()
    agent.prompt(session, "", orders).catch(() => undefined)
    await agent.when(({ update }) => update.sessionUpdate === "agent_message_chunk")
    agent.child.stdin?.end()
    assert.strictEqual(await agent.exited, 0)
  })
})
