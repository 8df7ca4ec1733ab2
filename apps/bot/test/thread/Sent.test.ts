import { assert, describe, it } from "@effect/vitest"
import { withStack } from "../support/Stack.ts"

const minutes = 60_000

describe("what Discord shows although nobody heard of it", () => {
  it("is found after a restart, also when Discord has forgotten its nonce", { timeout: 60_000 }, async () => {
    const now = Date.now
    const steps: Array<() => void> = []
    const step = () => new Promise<void>((resolve) => steps.push(resolve))
    try {
      await withStack(
        async (turn) => {
          await step()
          turn.say("Hello")
          await step()
          turn.say(" again")
          return "end_turn"
        },
        async ({ emulator, shows, start, startBot, stopBot }) => {
          const post = { method: "POST", route: /^\/channels\/\d+\/messages$/, after: true, dropSocket: true }
          const thread = await start("go")
          await emulator.waitFor(() => steps.length === 1, { what: "a prompt" })
          const repair = emulator.fault(post)
          steps[0]!()
          await shows(thread, /: Hello$/m)
          await stopBot()
          repair()
          Date.now = () => now() + 10 * minutes
          // What cannot be read at first is not nothing: two calls fail, each of which is tried four times.
          emulator.fault({ method: "GET", route: /^\/channels\/\d+\/messages$/, status: 503, times: 8 })
          await startBot()
          steps[1]!()
          const transcript = await shows(thread, /: Hello again\n[^]*done ·/)
          assert.strictEqual(transcript.match(/: Hello/g)?.length, 1)
        }
      )
    } finally {
      Date.now = now
    }
  })
})
