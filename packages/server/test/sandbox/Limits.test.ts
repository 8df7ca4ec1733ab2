import { assert, describe, it } from "@effect/vitest"
import * as Http from "node:http"
import * as V8 from "node:v8"
import * as Vm from "node:vm"
import { afterAll, beforeAll } from "vitest"
import { Client, isPermission, type Loose, type Message } from "./support/client.ts"
import { start, type Started } from "./support/service.ts"

describe("the limits of a sandbox", { timeout: 60_000 }, () => {
  let service: Started
  beforeAll(async () => {
    service = await start({})
  })
  afterAll(() => service.stop())

  const opened = async () => Client.loaded(await service.task())
  const refused = ({ error }: Message, code: number, words: RegExp) => {
    assert.strictEqual(error?.code, code)
    assert.match(error.message, words)
  }

  it("accept a hundred queued prompts, with the bytes of two large ones", async () => {
    const client = await opened()
    await client.askPrompt("hang")
    await client.until(() => client.updates.some((update) => update.includes("hang")))
    const queued: Array<number> = []
    for (let n = 0; n < 100; n++) queued.push(await client.askPrompt(`echo ${n}`))
    refused(await client.prompt("echo too much"), -32004, /Nothing was done/)
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    for (const id of queued) assert.strictEqual((await client.answerTo(id)).result?.stopReason, "cancelled")

    const other = await opened()
    await other.askPrompt("hang")
    const large = "x".repeat(12 * 1024 * 1024)
    for (let n = 0; n < 2; n++) await other.askPrompt(large)
    refused(await other.prompt(large), -32004, /Nothing was done/)
    // What is small still has a place.
    const small = await other.askPrompt("echo small")
    await other.notify("session/cancel", { sessionId: other.task.taskId })
    assert.strictEqual((await other.answerTo(small)).result?.stopReason, "cancelled")
  })

  it("accept a hundred other requests, until one is withdrawn or its connection closes", async () => {
    const task = await service.task()
    const [one, two] = [await Client.loaded(task), await Client.loaded(task)]
    const params = { sessionId: task.taskId, configId: "a", value: "b" }
    const asked: Array<number> = []
    for (let n = 0; n < 60; n++) asked.push(await one.ask("session/set_config_option", params))
    for (let n = 0; n < 40; n++) await two.ask("session/set_config_option", params)
    refused(await two.request("session/set_config_option", params), -32004, /Nothing was done/)
    await one.notify("$/cancel_request", { requestId: asked[0] })
    assert.strictEqual((await one.answerTo(asked[0]!)).error?.code, -32800)
    assert.deepStrictEqual((await two.request("session/set_mode", { sessionId: task.taskId, modeId: "a" })).result, {})
    await fetch(task.link, {
      method: "DELETE",
      headers: { authorization: `Bearer ${task.token}`, "acp-connection-id": one.id }
    })
    const more: Array<number> = []
    for (let n = 0; n < 60; n++) more.push(await two.ask("session/set_config_option", params))
    refused(await two.request("session/set_config_option", params), -32004, /Nothing was done/)
    assert.isFalse(two.messages.some(({ id, method }) => method === undefined && more.includes(Number(id))))
  })

  it("store no long ids", async () => {
    const client = await opened()
    const id = "i".repeat(257)
    await client.post({ jsonrpc: "2.0", id, method: "session/list" })
    refused(await client.message((message) => message.id === id), -32600, /256/)
    await client.post({ jsonrpc: "2.0", id: id.slice(1), method: "session/list" })
    assert.isDefined((await client.message((message) => message.id === id.slice(1))).result)
  })

  it("bound the number and size of questions to a person", async () => {
    const client = await opened()
    const asked = () => client.messages.filter(isPermission)
    const refusals = () => client.text.split("refused").length - 1
    const many = await client.askPrompt("flood 80 10\nflood 3 1100000\nflood 6 900000")
    for (const [count, size, refused] of [
      [64, 10, 16],
      [4, 900_000, 16 + 3 + 2]
    ] as const) {
      await client.until(() => asked().length === count && refusals() === refused)
      for (const request of asked()) {
        assert.lengthOf(request.params.toolCall.title, size)
        await client.answer(request, { outcome: "selected", optionId: "yes" })
      }
      const others = client.messages.filter((message) => !isPermission(message))
      client.messages.splice(0, client.messages.length, ...others)
    }
    assert.strictEqual((await client.answerTo(many)).result?.stopReason, "end_turn")
  })

  it("bound the size of artifacts, and report it once", async () => {
    const small = await start({ sandbox: { artifactBytes: 100_000 } })
    const client = await Client.loaded(await small.task())
    const notices = () => client.updates.filter((update) => update.includes("heddle/notice"))
    const pushed = () => client.messages.filter(({ method }) => method === "_vendor.ai/artifact").length
    await client.prompt("artifacts 0 20 9000")
    assert.strictEqual(pushed(), 10)
    assert.lengthOf(notices(), 1)
    assert.match(notices()[0] ?? "", /as large together as this service keeps/)
    // What is made smaller or is deleted gives its place to others.
    await client.prompt("artifacts 0 1 10\nartifacts 30 31 8000\nartifacts 31 32 20000")
    assert.strictEqual(pushed(), 12)
    assert.lengthOf(notices(), 1)
    await small.stop()
  })

  it("bound the memory of long artifact lists with many slow readers", async () => {
    const task = await service.task()
    const body = `'{"type":"overview","uri":"agent:///artifacts/' || n || '","text":"' || hex(zeroblob(50000)) || '"}'`
    await service.rows(`WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 300)
      INSERT INTO sandbox_artifacts (task_id, uri, type, event, artifact, md5, created_at, updated_at)
      SELECT '${task.taskId}', 'agent:///artifacts/' || n, 'overview', 'created', ${body}, NULL, n, n FROM number`)
    const url = `${task.sandboxUrl}/api/session/artifacts`
    const headers = { authorization: `Bearer ${task.token}` }
    V8.setFlagsFromString("--expose-gc")
    const collect = Vm.runInNewContext("gc") as () => void
    /** What is held, in MiB. */
    const used = () => {
      collect()
      const { external, heapUsed } = process.memoryUsage()
      return (external + heapUsed) / 1024 / 1024
    }
    const before = used()
    const readers = await Promise.all(
      Array.from(
        { length: 12 },
        () =>
          new Promise<Http.IncomingMessage>((resolve, reject) => {
            Http.get(url, { headers, agent: false }, resolve).on("error", reject)
          })
      )
    )
    for (const reader of readers) reader.pause()
    assert.strictEqual((await fetch(`${url}?limit=1`, { headers })).status, 200)
    assert.isBelow(used() - before, 100)
    for (const reader of readers) reader.destroy()
    for (const [query, count] of [
      ["", 300],
      ["?limit=40&offset=270", 30]
    ] as const) {
      const { data } = (await (await fetch(url + query, { headers })).json()) as Loose
      assert.deepStrictEqual([data.artifacts.length, data.pagination.returned], [count, count])
      assert.deepStrictEqual(
        data.artifacts.map(({ artifact }: Loose) => artifact.uri),
        Array.from({ length: count }, (_, n) => `agent:///artifacts/${300 - count + n + 1}`)
      )
      assert.strictEqual(data.pagination.total, 300)
      assert.lengthOf(data.artifacts[0].artifact.text, 100_000)
    }
  })
})
