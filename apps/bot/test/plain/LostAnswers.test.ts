import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { withPlainStack } from "../support/PlainStack.ts"
import { gated, named, prompts, readings, unknown } from "../support/ReplayReadings.ts"
import { patience } from "../support/Stack.ts"

describe.concurrent("a prompt whose answer is lost", { timeout: 90_000 }, () => {
  for (const reading of readings)
    it(`is not sent again after a round without words ${named(reading)}`, () => {
      const { go, opened } = gated()
      const script: PlainServiceOptions["script"] = async ({ say, text }) => {
        if (text === "two wait") await opened
        else say(`Ended: ${text}.`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Ended: one[^]*done ·/, patience)
        await you.send(thread, "two wait")
        await emulator.waitFor(() => service.rounds.length === 2, { what: "the second round", timeoutMs: patience })
        service.cutStreams()
        go()
        const told = reading.replay === "full" ? /done ·[^]*done ·/ : new RegExp(unknown)
        await emulator.waitFor(
          (e) => told.test(e.transcript(thread).split("two wait").at(-1) ?? "") || told.test(e.transcript(thread)),
          { what: "what became of it", timeoutMs: patience }
        )
        await emulator.quiet(thread, 1500)
        assert.deepEqual(prompts(stack), ["one", "two wait"])
      })
    })

  for (const reading of readings)
    for (const effect of [{ status: 503 }, "reset"] as const)
      it(`is not sent again after ${JSON.stringify(effect)} to a prompt that ran ${named(reading)}`, () =>
        withPlainStack(reading, async (stack) => {
          const { emulator, service, shows, start, you } = stack
          const thread = await start("one")
          await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Echo: one[^]*done ·/, patience)
          service.addFault({ rpcMethod: "session/prompt", when: "after", effect })
          await you.send(thread, "two")
          await shows(thread, /Echo: two[^]*(done ·|did not work)/, patience)
          await emulator.quiet(thread, 1500)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }))
})
