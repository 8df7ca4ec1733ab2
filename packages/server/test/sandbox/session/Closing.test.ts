import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { Client, isPermission, saysText } from "../support/client.ts"
import { isAlive } from "../support/processes.ts"
import { agent, start, temporary, type Started, type Task } from "../support/service.ts"
import { serviceOfSuite } from "../support/suite.ts"

const immortal = fileURLToPath(new URL("../support/immortal.mjs", import.meta.url))

/** Waits until something is so; the test's own time limit ends what never comes. */
const until = async (fits: () => boolean | Promise<boolean>) => {
  while (!(await fits())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The answers of all addresses of a sandbox. */
const answersTo = async (client: Client, task: Task) => {
  const headers = { authorization: `Bearer ${task.token}` }
  return [
    await client.connect(),
    await client.post({ jsonrpc: "2.0", id: 99, method: "initialize", params: { protocolVersion: 1 } }),
    await fetch(task.link, { method: "DELETE", headers: { ...headers, "acp-connection-id": client.id } }),
    await fetch(`${task.sandboxUrl}/api/session/artifacts`, { headers }),
    await fetch(`${task.sandboxUrl}/artifacts/note.txt`, { headers })
  ]
}

/** Every address of a sandbox answers that there is no session. */
const isClosed = async (client: Client, task: Task) => {
  for (const answer of await answersTo(client, task)) {
    assert.strictEqual(answer.status, 404, answer.url)
    assert.deepStrictEqual(await answer.json(), { code: 1, msg: "session does not exist" })
  }
}

/** Waits until what a deleted task left is removed. */
const removed = ({ rows }: Started, { taskId }: Task) =>
  until(async () => (await rows(`SELECT 1 FROM sandboxes WHERE task_id = '${taskId}'`)).length === 0)

/** The tables with the ids of tasks, and those of them with rows of one task. */
const tablesOf = async ({ rows }: Started, { taskId }: Task) => {
  const found = await rows(`SELECT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.name = 'task_id' ORDER BY m.name`)
  const all = found.map(({ name }) => String(name))
  const used: Array<string> = []
  for (const table of all)
    if ((await rows(`SELECT 1 FROM ${table} WHERE task_id = '${taskId}' LIMIT 1`)).length > 0) used.push(table)
  return { all, used }
}

describe("a task that administration closes", () => {
  const { service } = serviceOfSuite({ agentCommand: agent("stubborn") })

  it("loses its agent and its connections when it is deleted during a turn", async () => {
    const task = await service().task()
    const client = await Client.loaded(task)
    await client.askPrompt("child\nhang")
    const { params } = await client.message(({ params }) => /^child \d+$/.test(params?.update?.content?.text))
    const pid = Number(params.update.content.text.split(" ")[1])
    assert.isTrue(isAlive(pid))
    assert.isTrue(await service().administer(task.taskId, "deleted"))
    await client.until(() => client.ended, "the end of the stream")
    await until(() => !isAlive(pid))
    assert.strictEqual(await service().status(task.taskId), "deleted")
    await removed(service(), task)
    for (const answer of await answersTo(client, task)) assert.strictEqual(answer.status, 401, answer.url)
  })

  it("leaves its nameless row and the key of its creation when it is deleted, and gives its space back", async () => {
    const { dataDir, rows } = service()
    const task = await service().task({ prompt: "echo a secret prompt", hold: false })
    await rows(`INSERT INTO task_requests (client_id, user_id, key_hash, body_hash, task_id, expires_at)
      VALUES ('app', 'user', 'key', 'body', '${task.taskId}', ${Date.now() + 3_600_000})`)
    const client = await Client.loaded(task)
    const asking = await client.askPrompt("ask May I?")
    await client.answer(await client.message(isPermission), { outcome: "selected", optionId: "yes" })
    await client.answerTo(asking)
    await client.prompt("big 8000000\nwrite artifacts/note.txt a secret file\necho a secret answer")
    await rows("PRAGMA wal_checkpoint(TRUNCATE)")
    const size = () => Fs.statSync(Path.join(dataDir, "server.sqlite")).size
    const before = size()
    const { all, used } = await tablesOf(service(), task)
    assert.deepStrictEqual(used, all, "this test notices a table that a deletion forgets")
    assert.isTrue(await service().administer(task.taskId, "deleted"))
    await removed(service(), task)
    assert.isFalse(Fs.existsSync(task.folder))
    assert.deepStrictEqual((await tablesOf(service(), task)).used, ["task_requests", "tasks"])
    assert.deepStrictEqual(await rows(`SELECT name, status FROM tasks WHERE task_id = '${task.taskId}'`), [
      { name: "", status: "deleted" }
    ])
    await rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert.isBelow(size(), before - 7_000_000)
    client.cut()
  })

  it("answers 404 from the first request after it was archived, and stays archived", async () => {
    const task = await service().task()
    const client = await Client.loaded(task)
    assert.strictEqual((await client.prompt("write artifacts/note.txt x\necho done")).result.stopReason, "end_turn")
    assert.isTrue(await service().administer(task.taskId, "archived"))
    await isClosed(client, task)
    await client.until(() => client.ended)
    assert.strictEqual(await service().status(task.taskId), "archived")
  })

  it("loses the connections of a grant that ends, and only those", async () => {
    const [gone, stays] = [await service().task({ grantId: "ends" }), await service().task()]
    const [watching, other] = [await Client.loaded(gone), await Client.loaded(stays)]
    await service().rows(`UPDATE grants SET revoked_at = 1 WHERE grant_id = 'ends' RETURNING 1`)
    await watching.until(() => watching.ended, "the end of the stream")
    assert.strictEqual((await watching.post({ jsonrpc: "2.0", id: 99, method: "initialize" })).status, 401)
    assert.strictEqual((await watching.connect()).status, 401)
    assert.isFalse(other.ended)
    assert.strictEqual((await other.prompt("echo done")).result.stopReason, "end_turn")
  })

  it("cannot be archived while it works, and continues", async () => {
    const client = await Client.loaded(await service().task())
    const asked = await client.askPrompt("echo started\nwait 200\necho done")
    await client.message(saysText("started"))
    assert.isFalse(await service().administer(client.task.taskId, "archived"))
    assert.strictEqual((await client.answerTo(asked)).result.stopReason, "end_turn")
    assert.include(client.text, "done")
  })

  it("is deleted with all that it left when it was archived for as long as archived tasks are kept", async () => {
    const dataDir = temporary()
    const first = await start({ dataDir })
    const [old, recent] = [await first.task(), await first.task()]
    for (const task of [old, recent]) {
      const client = await Client.loaded(task)
      await client.prompt("echo done")
      client.cut()
      assert.isTrue(await first.administer(task.taskId, "archived"))
    }
    await first.rows(
      `UPDATE tasks SET updated_at = ${Date.now() - 3_600_001} WHERE task_id = '${old.taskId}' RETURNING 1`
    )
    await first.stop()
    const second = await start({ dataDir, sandbox: { keepArchived: Duration.hours(1) } })
    await until(() => !Fs.existsSync(old.folder))
    assert.strictEqual(await second.status(old.taskId), "deleted")
    assert.strictEqual(await second.status(recent.taskId), "archived")
    assert.isTrue(Fs.existsSync(recent.folder))
    await second.stop()
  })

  it("is not continued after a restart of the service, in any state", async () => {
    const pidFile = Path.join(temporary(), "pid")
    const first = await start({ agentCommand: [process.execPath, immortal, pidFile, "turn"] })
    const task = await first.task({ prompt: "hello", hold: false })
    await until(() => Fs.existsSync(pidFile) && Fs.readFileSync(pidFile, "utf8") !== "")
    await first.administer(task.taskId, "deleted")
    await first.stop()
    assert.isFalse(isAlive(Number(Fs.readFileSync(pidFile, "utf8"))))
    const second = await start({ dataDir: first.dataDir })
    assert.strictEqual(await second.status(task.taskId), "deleted")
    const reopened = await second.reopen(task.taskId)
    await isClosed(new Client(reopened), reopened)
    await second.stop()
  })
})

describe("the status of a task during a turn", () => {
  const { service } = serviceOfSuite()

  const plan = JSON.stringify([{ content: "Look", status: "pending", priority: "medium" }])
  const isPlan = (client: Client) => client.updates.some((update) => update.includes('"plan"'))

  it("is planning while the agent only plans, and working from its next message or tool call", async () => {
    for (const next of ["echo spoken", `raw ${JSON.stringify(toolCall)}`]) {
      const client = await Client.loaded(await service().task())
      const { taskId } = client.task
      const asked = await client.askPrompt(`plan ${plan}\nwait 300\n${next}\nwait 300`)
      await client.until(() => isPlan(client), "the plan")
      assert.strictEqual(await service().status(taskId), "planning")
      const before = client.updates.length
      await client.until(() => client.updates.length > before, "what comes after the plan")
      assert.strictEqual(await service().status(taskId), "working")
      await client.answerTo(asked)
      assert.strictEqual(await service().status(taskId), "completed")
    }
  })

  it("stays working when a plan comes after the agent has begun", async () => {
    const client = await Client.loaded(await service().task())
    const asked = await client.askPrompt(`echo first\nplan ${plan}\nwait 200`)
    await client.until(() => isPlan(client), "the plan")
    assert.strictEqual(await service().status(client.task.taskId), "working")
    await client.answerTo(asked)
  })

  it("is pending during a request in planning, and working afterwards", async () => {
    const client = await Client.loaded(await service().task())
    const asked = await client.askPrompt(`plan ${plan}\nask May I?\nwait 300`)
    const question = await client.message(({ method }) => method === "session/request_permission")
    assert.strictEqual(await service().status(client.task.taskId), "pending")
    await client.answer(question, { outcome: "selected", optionId: "yes" })
    await client.message((message) => String(message.params?.update?.content?.text).startsWith("answer"))
    assert.strictEqual(await service().status(client.task.taskId), "working")
    await client.answerTo(asked)
  })
})

/** As the agent of the tests writes it; updates of any session's own are taken without a session id. */
const toolCall = {
  jsonrpc: "2.0",
  method: "session/update",
  params: { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Look", status: "in_progress" } }
}
