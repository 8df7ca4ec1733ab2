import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { Client, isPermission, type Loose } from "../support/client.ts"
import { start, type Started, type Task } from "../support/service.ts"

const form = {
  mode: "form",
  message: "Where to?",
  requestedSchema: {
    type: "object",
    properties: {
      place: {
        type: "string",
        title: "Place",
        oneOf: [
          { const: "eu", title: "Europe" },
          { const: "us", title: "America" }
        ]
      },
      tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
      count: { type: "integer", description: "How many?" },
      really: { type: "boolean" },
      note: { type: "string" }
    },
    required: ["place", "count"]
  }
}

const isForm = ({ method }: { readonly method?: string }) => method === "elicitation/create"

describe("a form that an agent asks a person to fill in", () => {
  let service: Started
  let task: Task
  beforeAll(async () => {
    service = await start({})
    task = await service.task()
  })
  afterAll(() => service.stop())

  const withForms = async () => {
    const client = await Client.open(task)
    await client.request("initialize", { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } })
    await client.load()
    return client
  }

  const ending = (client: Client): Loose => JSON.parse(client.text.slice(client.text.lastIndexOf("form {") + 5))

  it("is offered to agents", async () => {
    const client = await Client.loaded(task)
    await client.prompt("abilities")
    assert.deepStrictEqual(JSON.parse(client.text), {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      elicitation: { form: {} }
    })
  })

  it("reaches clients with form support unchanged, and others as questions; the first answer counts", async () => {
    const [shows, knows] = [await withForms(), await Client.loaded(task)]
    const turn = await shows.askPrompt(`form ${JSON.stringify(form)}`)
    const asked = await shows.message(isForm)
    const { _meta, ...params } = asked.params
    assert.deepStrictEqual(params, { ...form, sessionId: task.taskId })
    // The same on every connection: a client that is asked again knows it.
    const again = await withForms()
    assert.deepStrictEqual((await again.message(isForm)).params._meta, _meta)
    assert.deepStrictEqual((await knows.message(isPermission)).params._meta, _meta)
    assert.strictEqual(await service.status(task.taskId), "pending")
    await shows.post({ jsonrpc: "2.0", id: asked.id, result: { action: "perhaps" } })
    const content = { place: "eu", count: 2 }
    await shows.post({ jsonrpc: "2.0", id: asked.id, result: { action: "accept", content } })
    await shows.answerTo(turn)
    await knows.message(({ method }) => method === "$/cancel_request")
    assert.deepStrictEqual(ending(shows), { action: "accept", content })
  })

  it("converts answers to questions into the form, with the form's types", async () => {
    const client = await Client.loaded(task)
    const answers: ReadonlyArray<readonly [Loose, Loose]> = [
      [
        {
          outcome: "selected",
          optionId: "submit",
          answers: { place: "America", tags: ["a", "c"], count: "3", really: "No" }
        },
        { action: "accept", content: { place: "us", tags: ["a", "c"], count: 3, really: false } }
      ],
      [
        { outcome: "selected", optionId: "submit", answers: { q_0: "eu", q_2: 1, note: "by position" } },
        { action: "accept", content: { place: "eu", count: 1, note: "by position" } }
      ],
      [{ outcome: "selected", optionId: "submit", answers: { place: "Asia", count: 1 } }, { action: "cancel" }],
      [{ outcome: "selected", optionId: "decline" }, { action: "decline" }],
      [{ outcome: "cancelled" }, { action: "cancel" }]
    ]
    for (const [outcome, result] of answers) {
      const before = client.messages.length
      const turn = await client.askPrompt(`form ${JSON.stringify(form)}`)
      await client.until(() => client.messages.slice(before).some(isPermission), "the questions")
      const asked = client.messages.slice(before).find(isPermission)!
      const { options, toolCall } = asked.params
      assert.deepStrictEqual(
        options.map(({ kind }: Loose) => kind),
        ["allow_once", "reject_once"]
      )
      assert.strictEqual(toolCall.title, "Where to?")
      assert.deepStrictEqual(toolCall.rawInput.questions[0], {
        id: "place",
        question: "Place",
        header: "Place",
        options: [{ label: "Europe" }, { label: "America" }],
        multiSelect: false
      })
      await client.answer(asked, outcome)
      await client.answerTo(turn)
      assert.deepStrictEqual(ending(client), result)
    }
  })

  it("is cancelled with its turn, and invalid forms are not offered", async () => {
    const client = await withForms()
    const turn = await client.askPrompt(`form ${JSON.stringify(form)}`)
    await client.message(isForm)
    await client.notify("session/cancel", { sessionId: task.taskId })
    assert.strictEqual((await client.answerTo(turn)).result.stopReason, "cancelled")
    assert.deepStrictEqual(ending(client), { action: "cancel" })
    await client.prompt(`form ${JSON.stringify({ mode: "url", url: "https://example.org", elicitationId: "e" })}`)
    assert.strictEqual(ending(client).code, -32601)
  })
})
