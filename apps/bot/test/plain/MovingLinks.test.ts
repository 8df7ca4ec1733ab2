import { assert, describe, it } from "@effect/vitest"
import { controls } from "../support/Controls.ts"
import { withPlainStack } from "../support/PlainStack.ts"

describe("a service where each query of a task moves its link", () => {
  for (const endedTickets of ["keepStreams", "cutStreams"] as const)
    for (const replay of ["full", "withoutUserMessages"] as const)
      it(
        `takes prompts, and a query between them ends nothing (${endedTickets}, replay ${replay})`,
        { timeout: 60_000 },
        () =>
          withPlainStack({ linkMovesOnQuery: true, endedTickets, replay }, async (stack) => {
            const thread = await stack.start("one")
            await stack.shows(thread, /Echo: one[^]*done ·/, 20_000)
            await stack.you.send(thread, "two")
            await stack.shows(thread, /Echo: two[^]*done ·/, 20_000)
            const status = await (await stack.you.command(thread, "task status")).settled()
            assert.match(status.content, /is \*idle\*/)
            await stack.you.send(thread, "three")
            await stack.shows(thread, /Echo: three[^]*done ·/, 20_000)
            assert.deepEqual(
              stack.service.rounds.map(({ text }) => text),
              ["one", "two", "three"]
            )
          })
      )

  for (const endedTickets of ["keepStreams", "cutStreams"] as const)
    it(`hands over the answer to a permission request of the first prompt (${endedTickets})`, { timeout: 60_000 }, () =>
      withPlainStack(
        {
          linkMovesOnQuery: true,
          endedTickets,
          script: async ({ ask, say }) => {
            say(`Chosen: ${await ask({ title: "Write report.md" })}`)
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const thread = await stack.start("one")
          await controls(stack, thread).press(/^p1:/)
          await stack.shows(thread, /Chosen: allow[^]*done ·/, 20_000)
          assert.lengthOf(stack.service.rounds, 1)
        }
      )
    )
})
