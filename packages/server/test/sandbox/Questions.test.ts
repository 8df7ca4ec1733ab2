import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { Client, type Message } from "./support/client.ts"
import { start, type Started } from "./support/service.ts"

describe("questions and forms of an agent", () => {
  let service: Started
  beforeAll(async () => {
    service = await start({ sandbox: { permission: Duration.seconds(2) } })
  })
  afterAll(() => service.stop())

  const able = { elicitation: { form: {} }, _meta: { "vendor.ai": { question: true } } }
  const of = (method: string) => (message: Message) => message.method === method

  const opened = async () => {
    const able_ = await Client.open(await service.task())
    await able_.initialize(able)
    await able_.load()
    return able_
  }

  it("reach the clients that can show them, and the first fitting answer counts", async () => {
    const client = await opened()
    const plain = await Client.loaded(client.task)
    const prompted = await client.askPrompt("elicit form\nquestion")
    const form = await client.message(of("elicitation/create"))
    assert.deepInclude(form.params, { sessionId: client.task.taskId, mode: "form", message: "Who?" })
    assert.strictEqual(await service.status(client.task.taskId), "pending")
    await client.post({ jsonrpc: "2.0", id: form.id, result: { action: "perhaps" } })
    await client.post({ jsonrpc: "2.0", id: form.id, result: { action: "accept", content: { name: "Ada" } } })
    const question = await client.message(of("_vendor.ai/question"))
    const outcome = { outcome: "submitted", data: { answers: { q_0: "Ada" } } }
    await client.answer(question, outcome)
    await client.answerTo(prompted)
    assert.include(client.text, 'form {"action":"accept","content":{"name":"Ada"}}')
    assert.include(client.text, `question ${JSON.stringify({ outcome })}`)
    assert.isFalse(plain.messages.some((message) => message.id !== undefined && message.params !== undefined))
  })

  it("are cancelled when nobody answers in time, or the turn is", async () => {
    const client = await opened()
    const first = await client.askPrompt("elicit form")
    await client.answerTo(first)
    assert.include(client.text, 'form {"action":"cancel"}')
    const second = await client.askPrompt("question")
    await client.message(of("_vendor.ai/question"))
    await client.notify("session/cancel", { sessionId: client.task.taskId })
    await client.answerTo(second)
    assert.match(client.text, /question .*"cancelled","reason":"turn cancelled"/)
  })

  it("that ask to open an address are refused at once", async () => {
    const client = await opened()
    await client.prompt("elicit url")
    assert.include(client.text, "form -32601")
  })
})
