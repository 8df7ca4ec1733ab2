import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { afterEach, beforeEach } from "vitest"
import { Client, saysText } from "./support/client.ts"
import { start, type Started } from "./support/service.ts"

describe("the cost of turns", () => {
  let service: Started
  afterEach(() => service.stop())
  beforeEach(async () => {
    service = await start({ sandbox: { cancelGrace: Duration.millis(300) } })
  })

  let packs = 0
  const give = (size: number) =>
    service.rows(
      `INSERT INTO credit_packs (pack_id, user_id, size, created_at) VALUES ('pack ${packs++}', 'user', ${size}, 0)`
    )
  const uses = () => service.rows("SELECT reference, amount FROM credit_ledger WHERE kind = 'used'")
  const ended = () => service.rows("SELECT turn_id FROM sandbox_turns WHERE stop_reason IN ('end_turn', 'cancelled')")
  /** A client of a task whose user has this many credits. */
  const opened = async (credits: number) => {
    const task = await service.task()
    await give(credits)
    return Client.loaded(task)
  }

  it("charges one credit for each turn that ends", async () => {
    const client = await opened(10)
    await client.prompt("echo one")
    await client.prompt("echo two")
    const turns = (await ended()).map(({ turn_id }) => turn_id)
    assert.strictEqual(turns.length, 2)
    assert.sameDeepMembers(
      [...(await uses())],
      turns.map((reference) => ({ reference, amount: 1 }))
    )
  })

  it("a prompt is refused at once while nothing can be stored, and the next one works", async () => {
    const client = await opened(10)
    await service.rows("PRAGMA query_only = ON")
    const { error } = await client.prompt("echo one")
    assert.match(error.message, /cannot store anything.*again later\. Nothing was done and nothing was charged\./)
    assert.isUndefined(error.data)
    await service.rows("PRAGMA query_only = OFF")
    assert.isUndefined((await client.prompt("echo two")).error)
    assert.lengthOf(await uses(), 1)
    assert.lengthOf(await ended(), 1)
  })

  it("charges nothing for a failed turn, and says so", async () => {
    const client = await opened(10)
    assert.match((await client.prompt("die")).error.message, /nothing was charged/)
    assert.isDefined((await client.prompt("fail")).error)
    const refusal = { stopReason: "refusal", _meta: { "vendor/errorMessage": "429 You have exceeded your quota" } }
    assert.isDefined((await client.prompt(`end ${JSON.stringify(refusal)}`)).error)
    assert.deepStrictEqual(await uses(), [])
  })

  it("charges nothing for a turn that its agent calls free, and only for one", async () => {
    const client = await opened(10)
    await client.prompt("free true\necho hello")
    assert.deepStrictEqual(await uses(), [])
    await client.prompt('free "yes"\necho hello')
    await client.prompt("echo work")
    assert.lengthOf(await uses(), 2)
  })

  it("charges a turn that is stopped while the agent works, and not a queued one", async () => {
    const client = await opened(10)
    const first = await client.askPrompt("echo begun\nhang")
    const second = await client.askPrompt("echo waited")
    await client.message(saysText("begun"))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    assert.strictEqual((await client.answerTo(first)).result.stopReason, "cancelled")
    assert.strictEqual((await client.answerTo(second)).result.stopReason, "cancelled")
    assert.strictEqual((await uses()).length, 1)
  })

  it("charges turns that are stopped just before their end", async () => {
    const client = await opened(5)
    const cancel = () => client.notify("session/cancel", { sessionId: client.task.taskId })
    const ways: ReadonlyArray<readonly [string, (id: number) => Promise<unknown>]> = [
      ["count 100000 5", cancel],
      // These ignore it and are ended.
      ["hang", cancel],
      ["hang", (id) => client.notify("$/cancel_request", { requestId: id })],
      ["wait 400\ndie", cancel]
    ]
    for (const [index, [rest, stop]] of ways.entries()) {
      const asked = await client.askPrompt(`echo useful ${index}\n${rest}`)
      await client.message(saysText(`useful ${index}`))
      await stop(asked)
      await client.answerTo(asked)
      assert.strictEqual((await uses()).length, index + 1, rest)
    }
    // Who leaves does not stop the turn, and pays for it.
    const other = await Client.loaded(client.task)
    await other.askPrompt("echo useful at last\nwait 200\necho the end")
    await client.message(saysText("useful at last"))
    other.cut()
    await client.message(saysText("the end"))
    assert.match((await client.prompt("echo one more")).error.message, /used up its credits/)
    assert.strictEqual((await uses()).length, 5)
    assert.notInclude(client.text, "one more")
  })

  it("refuses a prompt without credits with a description, and accepts prompts after new credits", async () => {
    const client = await opened(1)
    await client.prompt("echo one")
    const before = client.messages.length
    const { error } = await client.prompt("echo two")
    assert.strictEqual(error.code, -32003)
    assert.match(
      error.message,
      /used up its credits\. Add credits, then try again\. Nothing was done and nothing was charged\.$/
    )
    assert.deepStrictEqual(error.data, { reason: "no_credits" })
    assert.strictEqual(client.messages.length, before + 1)
    assert.strictEqual(await service.status(client.task.taskId), "completed")
    assert.notInclude(client.text, "two")

    await give(1)
    assert.strictEqual((await client.prompt("echo three")).result.stopReason, "end_turn")
    assert.include(client.text, "three")
    assert.strictEqual((await uses()).length, 2)
  })

  it("continues with queued prompts after a refused one", async () => {
    const client = await opened(1)
    const asked = [
      await client.askPrompt("wait 50"),
      await client.askPrompt("echo a"),
      await client.askPrompt("echo b")
    ]
    const answers = await Promise.all(asked.map((id) => client.answerTo(id)))
    assert.deepStrictEqual(
      answers.map(({ error, result }) => error?.code ?? result?.stopReason),
      ["end_turn", -32003, -32003]
    )
  })

  it("does not begin two turns on the last credit", async () => {
    const [one, other] = [await opened(1), await Client.loaded(await service.task())]
    const running = await one.askPrompt("echo runs\nwait 300")
    await one.message(saysText("runs"))
    const { error } = await other.prompt("echo two")
    assert.match(error.message, /Turns that still run need the 1 credit that/)
    await one.answerTo(running)
    assert.match((await other.prompt("echo two")).error.message, /used up its credits/)
    assert.strictEqual((await uses()).length, 1)
  })

  it("writes to the session why an initial prompt does not run", async () => {
    const client = await opened(1)
    await client.prompt("echo one")
    const late = await Client.open(await service.task({ prompt: "echo two", hold: false }))
    await late.initialize()
    await late.load()
    await late.until(() => /used up its credits/.test(late.text), "the notice")
    assert.strictEqual(await service.status(late.task.taskId), "failed")
    assert.notInclude(late.text, "two")
  })
})
