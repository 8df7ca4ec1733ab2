import { assert, describe, it } from "@effect/vitest"
import { rest } from "../support/Rest.ts"
import { withStack } from "../support/Stack.ts"

describe("a thread's life", () => {
  it("goes on when it was archived, also after a restart", () => {
    let go = () => {}
    return withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        await new Promise<void>((resolve) => (go = resolve))
        turn.say(" and on")
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot, you }) => {
        const thread = await start("one")
        await shows(thread, /working on one/)
        await rest(emulator, "PATCH", `/channels/${thread}`, { archived: true })
        go()
        await shows(thread, /working on one and on[^]*done ·/)
        await stopBot()
        await rest(emulator, "PATCH", `/channels/${thread}`, { archived: true })
        await startBot()
        await you.send(thread, "two")
        await shows(thread, /working on two/)
        go()
        await shows(thread, /working on two and on[^]*done ·/)
      }
    )
  })

  it("ends without a word when it is locked or deleted, and stops its task; unlocked it goes on", () => {
    let cancelled = 0
    return withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        await turn.cancelled
        cancelled++
        return "cancelled"
      },
      async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
        const locked = await start("one")
        await shows(locked, /working on one/)
        await you.send(locked, "never")
        await shows(locked, /1\. never/)
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: true })
        await emulator.waitFor(() => cancelled === 1, { what: "the task to be stopped" })
        assert.notMatch(emulator.transcript(locked), /stopped ·|did not work|done ·/)
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: false })
        await emulator.quiet(locked, 300)
        await you.send(locked, "two")
        await shows(locked, /working on two/)

        const deleted = await start("three")
        await shows(deleted, /working on three/)
        await rest(emulator, "DELETE", `/channels/${deleted}`)
        await emulator.waitFor(() => cancelled === 2, { what: "the task to be stopped" })

        // Locked while the bot is away.
        await stopBot()
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: true })
        await startBot()
        await emulator.waitFor(() => cancelled === 3, { what: "the task to be stopped" })
        assert.deepEqual(service.prompts, ["one", "two", "three"])
      }
    )
  })
})
