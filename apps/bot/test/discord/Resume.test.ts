import { assert, describe, it } from "@effect/vitest"
import { echo } from "../support/Agents.ts"
import { withStack } from "../support/Stack.ts"

describe("a RESUME without an answer", () => {
  it("ends: the bot identifies again and answers what was written meanwhile", () =>
    withStack(
      echo,
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /answer to one[^]*done ·/)
        emulator.fault({ resume: true, noAnswer: true, times: 1 })
        emulator.dropGateway()
        await you.send(thread, "two")
        await shows(thread, /answer to two[^]*done ·/)
        assert.deepEqual(service.prompts, ["one", "two"])
      },
      { silentAfterMs: 2000, emulator: { heartbeatMs: 1000 } }
    ))
})
