import { assert, describe, it } from "@effect/vitest"
import { AgentFailure } from "@heddle/server/sandbox/agent/AgentFailure"
import * as TurnEnd from "@heddle/server/sandbox/session/TurnEnd"
import { Client } from "../support/client.ts"
import { serviceOfSuite, serviceOfTest } from "../support/suite.ts"

describe("an agent that writes without end", { timeout: 30_000 }, () => {
  const { opened, service } = serviceOfSuite({ sandbox: { maxTurnBytes: 200_000, maxTaskBytes: 600_000 } })
  const again = serviceOfTest()

  it("is stopped at the limit of a turn, in words, and the task goes on", async () => {
    const client = await opened()
    const { error } = await client.prompt("count 100000 0\necho never")
    assert.match(error?.message, /more than 195 KiB in one turn.*the turn is charged.*Ask for less/)
    assert.strictEqual(error.data.reason, "agent_limit")
    assert.isBelow(await historyBytes(client), 250_000)
    assert.strictEqual(await service().status(client.task.taskId), "failed")
    const before = client.text.length
    assert.strictEqual((await client.prompt("echo fine")).result?.stopReason, "end_turn")
    assert.strictEqual(client.text.slice(before), "fine")
  })

  it("costs what a stopped turn does, unless the prompt was refused", () => {
    const limit = new AgentFailure({ reason: "limit", message: "too much" })
    const isCharged = (wasSent: boolean, error: AgentFailure) =>
      TurnEnd.of({ wasSent, isCancelled: false } as never, { _tag: "Failed", error }, true).isCharged
    assert.deepEqual([isCharged(true, limit), isCharged(false, limit)], [true, false])
    assert.isFalse(isCharged(true, new AgentFailure({ reason: "exited", message: "" })))
  })

  it("is stopped after its turn, too, with a notice", async () => {
    const client = await opened()
    await client.prompt("later 20 count 100000 0")
    await client.until(() => client.text.includes("in one turn"))
    assert.isBelow(await historyBytes(client), 250_000)
    assert.strictEqual((await client.prompt("echo fine")).result?.stopReason, "end_turn")
  })

  it("fills a task to its limit, also after a restart; then a prompt is refused and the history stays", async () => {
    const client = await opened()
    for (let n = 0; n < 3; n++) assert.isUndefined((await client.prompt("big 190000")).error)
    assert.match((await client.prompt("big 190000")).error?.message, /has reached 586 KiB.*was stopped.*new task/)
    const words = /has reached 586 KiB.*Nothing was done and nothing was charged\. Start a new task/
    assert.match((await client.prompt("echo more")).error?.message, words)
    client.cut()
    const second = await again({ dataDir: service().dataDir, sandbox: { maxTaskBytes: 600_000 } })
    const loaded = await Client.loaded(await second.reopen(client.task.taskId))
    assert.strictEqual(loaded.text.length, 4 * 190_000)
    assert.match((await loaded.prompt("echo more")).error?.message, words)
    loaded.cut()
  })

  const historyBytes = async ({ task }: Client) => {
    const query = `SELECT SUM(octet_length(params)) AS bytes FROM sandbox_journal WHERE task_id = '${task.taskId}'`
    return Number((await service().rows(query))[0]?.["bytes"])
  }
})
