import { assert, describe, it } from "@effect/vitest"
import { withStack } from "./support/Stack.ts"
import { echo } from "./support/Agents.ts"

/** How many people ask at the same moment. */
const many = Number(process.env["HEDDLE_ROUNDS"] ?? 4)

describe("concurrent commands", () => {
  it(
    "start every task that is requested at the same moment",
    () =>
      withStack(echo, async ({ emulator, service, you }) => {
        const ends = new Set<string>()
        emulator.on((event) => {
          const isPost = event.type === "message_create" || event.type === "message_update"
          if (isPost && /done ·/.test(event.message.content)) ends.add(event.message.id)
        })
        const before = Date.now()
        const asked = await Promise.all(
          Array.from({ length: many }, (_, at) => you.command(emulator.channelId, "task new", { prompt: `task ${at}` }))
        )
        await emulator.waitFor(() => ends.size >= many, { timeoutMs: 20_000 + many * 500, what: "every answer" })
        console.info(`${many} tasks at once: all answered after ${Date.now() - before} ms`)
        assert.strictEqual(service.tasks.size, many)
        assert.strictEqual(emulator.threads().length, many)
        assert.deepEqual(new Set(service.prompts).size, many)
        for (const each of asked) assert.match((await each.settled()).content, /<#\d+>/)
      }),
    30_000 + many * 500
  )
})
