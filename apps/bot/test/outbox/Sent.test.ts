import { assert, describe, it } from "@effect/vitest"
import { withStack } from "../support/Stack.ts"

const minutes = 60_000

describe("a message with a lost response", () => {
  it("is found after a restart, also after Discord has forgotten its nonce", { timeout: 60_000 }, async () => {
    const now = Date.now
    const steps: Array<() => void> = []
    const step = () => new Promise<void>((resolve) => steps.push(resolve))
    try {
      await withStack(
        async (turn) => {
          await step()
          if (turn.text === "go") return "end_turn"
          turn.say("Hello")
          await step()
          turn.say(" again")
          return "end_turn"
        },
        async ({ emulator, shows, start, startBot, stopBot, you }) => {
          const post = { method: "POST", route: /^\/channels\/\d+\/messages$/, after: true, dropSocket: true }
          const thread = await start("go")
          await emulator.waitFor(() => steps.length === 1, { what: "a prompt" })
          const question = await you.send(thread, "next")
          await shows(thread, /1\. next/)
          steps[0]!()
          await emulator.waitFor(() => steps.length === 2, { what: "the next prompt" })
          const repair = emulator.fault(post)
          steps[1]!()
          await shows(thread, /: Hello$/m)
          await stopBot()
          repair()
          Date.now = () => now() + 10 * minutes
          // What cannot be read at first is not nothing: two calls fail, each of which is tried four times.
          emulator.fault({ method: "GET", route: /^\/channels\/\d+\/messages$/, status: 503, times: 8 })
          await startBot()
          steps[2]!()
          await shows(thread, /: Hello again\n[^]*done ·/)
          const hellos = emulator.messages(thread).filter(({ content }) => content.startsWith("Hello"))
          // It was the answer to a message that had waited.
          assert.deepEqual(
            hellos.map((each) => each.message_reference?.message_id),
            [question.id]
          )
        }
      )
    } finally {
      Date.now = now
    }
  })
})
