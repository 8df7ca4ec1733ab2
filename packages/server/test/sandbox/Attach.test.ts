import { assert, describe, it } from "@effect/vitest"
import { Client, saysText } from "./support/client.ts"
import type { Task } from "./support/service.ts"
import { serviceOfSuite } from "./support/suite.ts"

/** Rounds of clients that come, go and come back at random moments of a turn; 1,000 by hand. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 3)

describe("the history of a session", { timeout: 30_000 + rounds * 5000 }, () => {
  const { service } = serviceOfSuite()

  it("equals the journal for every client that attaches during a turn, without gaps or repeats", async () => {
    for (let round = 0; round < rounds; round++) {
      const seed = (Date.now() + round) >>> 0
      const random = randomOf(seed)
      const task = await service().task()
      const speaker = await Client.loaded(task)
      const length = 100 + Math.floor(random() * 300)
      const turn = await speaker.askPrompt(`count ${length} ${Math.floor(random() * 2)}`)
      const visitors = await Promise.all(Array.from({ length: 6 }, () => visit(task, random)))
      await speaker.answerTo(turn)
      const rows = await service().rows(
        `SELECT params FROM sandbox_journal WHERE task_id = '${task.taskId}' AND method = 'session/update' ORDER BY seq`
      )
      const journal = rows.map(({ params }) => String(params))
      const text = Array.from({ length }, (_, n) => `${n + 1} `).join("")
      for (const client of visitors) {
        await client.until(() => client.updates.length >= journal.length, `the end of the turn, seed ${seed}`)
        assert.deepStrictEqual(client.updates, journal, `seed ${seed}`)
        assert.strictEqual(client.text, text, `seed ${seed}`)
        client.cut()
      }
      speaker.cut()
    }
  })

  it("contains every prompt that arrived before the load, also undecided ones", async () => {
    const task = await service().task()
    const [speaker, visitor] = [await Client.loaded(task), await Client.loaded(task)]
    for (let round = 0; round < 10; round++) {
      const words = `echo ${round}`
      const turn = await speaker.askPrompt(words)
      const before = visitor.messages.length
      const { id } = await visitor.load()
      const told = visitor.messages.slice(before)
      const answer = told.findIndex((message) => message.id === id)
      const prompt = told.findIndex(saysText(words))
      assert.isTrue(prompt >= 0 && prompt < answer, `the prompt is ${prompt}, the answer ${answer}`)
      await speaker.answerTo(turn)
    }
    speaker.cut()
    visitor.cut()
  })

  it("is the same for a client that repeats its requests on a resumed connection", async () => {
    const task = await service().task()
    const client = await Client.loaded(task)
    const prompt = [{ type: "text", text: "count 60 2" }]
    const body = { jsonrpc: "2.0", id: 77, method: "session/prompt", params: { sessionId: task.taskId, prompt } }
    await client.post(body)
    await client.message(saysText("9 "))
    client.cut()
    await client.connect({ "acp-connection-id": client.id, "last-event-id": client.lastEventId })
    await client.post(body)
    await client.answerTo(77)
    await client.post(body)
    await client.prompt("echo end")
    const turns = await service().rows(`SELECT COUNT(*) AS n FROM sandbox_turns WHERE task_id = '${task.taskId}'`)
    assert.strictEqual(Number(turns[0]?.["n"]), 2)
    assert.strictEqual(client.text, `${Array.from({ length: 60 }, (_, n) => `${n + 1} `).join("")}end`)
    client.cut()
  })
})

/** A client that attaches after a while, then cuts, resumes and loads again as chance has it. */
const visit = async (task: Task, random: () => number): Promise<Client> => {
  const pause = () => new Promise((resolve) => setTimeout(resolve, random() * 120))
  await pause()
  const client = await Client.open(task)
  await client.initialize()
  await client.load()
  for (let step = Math.floor(random() * 4); step > 0; step--) {
    await pause()
    client.cut()
    await pause()
    if (random() < 0.3) {
      // A connection of its own again: what was heard on the one before counts no longer.
      client.messages.length = 0
      await client.connect()
      await client.initialize()
      await client.load()
      continue
    }
    const id = client.id
    const response = await client.connect({ "acp-connection-id": id, "last-event-id": client.lastEventId })
    assert.strictEqual(response.headers.get("acp-connection-id"), id)
  }
  return client
}

/** Chance that can be repeated (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}
