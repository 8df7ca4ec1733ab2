import { assert, describe, it } from "@effect/vitest"
import { withPlainStack } from "../support/PlainStack.ts"
import { loadedAfter, prompts } from "../support/ReplayReadings.ts"
import { buttonsOf, patience } from "../support/Stack.ts"

describe.concurrent("a stop that the agent ignores", { timeout: 120_000 }, () => {
  const whens = ["before", "after"] as const
  for (const when of whens)
    it(`is not told as stopped, and the agent's words ${when} the next message are not in its answer`, () => {
      let go = () => {}
      const said = new Promise<void>((resolve) => (go = resolve))
      return withPlainStack(
        {
          ignoreCancel: true,
          script: async ({ say, text }) => {
            say(`Begun: ${text}. `)
            if (text === "one") return { stopReason: "end_turn" }
            if (text === "two") await said
            say(`Ended: ${text}.`)
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const { shows, start, you } = stack
          const thread = await start("one")
          await shows(thread, /Begun: one[^]*done ·/, patience)
          await you.send(thread, "two")
          await shows(thread, /Begun: two/, patience)
          await you.send(thread, "stop")
          const footer = await shows(thread, /-# the agent was asked to stop and has not confirmed it/, patience)
          assert.notMatch(footer, /stopped/)
          if (when === "before") {
            go()
            await shows(thread, /Ended: two/, patience)
          }
          await you.send(thread, "three")
          if (when === "after") {
            await stack.emulator.quiet(thread, 1500)
            go()
          }
          const transcript = await shows(thread, /Ended: three[^]*done ·/, patience)
          assert.isBelow(transcript.indexOf("Ended: two"), transcript.indexOf("Begun: three"))
          assert.deepEqual(prompts(stack), ["one", "two", "three"])
        }
      )
    })

  it("leaves the messages behind it unsent and free while the agent goes on, and a button sends them later", () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    return withPlainStack(
      {
        ignoreCancel: true,
        bot: { stoppedRunMs: 10_000 },
        script: async ({ say, text }) => {
          say(`Begun: ${text}. `)
          if (text === "two") await ended
          say(`Ended: ${text}.`)
          return { stopReason: "end_turn" }
        }
      },
      async (stack) => {
        const { emulator, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended: one[^]*done ·/, patience)
        await you.send(thread, "two")
        await shows(thread, /Begun: two/, patience)
        await you.send(thread, "stop")
        await shows(thread, /has not confirmed it/, patience)
        for (const words of ["three", "four"]) await you.send(thread, words)
        await shows(thread, /(still at work on the message that was stopped[^]*It costs nothing[^]*){2}/, patience)
        assert.deepEqual(prompts(stack), ["one", "two"])
        end()
        await emulator.waitFor(() => stack.service.rounds[1]?.end !== undefined, {
          what: "the end of the stopped run",
          timeoutMs: patience
        })
        const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
        await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
        const transcript = await shows(thread, /It is next now[^]*Ended: four[^]*done ·/, patience)
        assert.notMatch(transcript, /not known whether|sent once more/)
        assert.deepEqual(prompts(stack), ["one", "two", "four"])
      }
    )
  })

  it("leaves the next message unsent while its lost question may hold the agent, and a click sends it all the same", () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    return withPlainStack(
      {
        ignoreCancel: true,
        bot: { stoppedRunMs: 10_000 },
        restStatus: "pending",
        askStatus: "pending",
        pendingRequests: "lost",
        script: async ({ ask, say, text }) => {
          say(`Begun: ${text}. `)
          if (text === "two") await Promise.race([ask({ title: "Write two.md" }), ended])
          say(`Ended: ${text}.`)
          return { stopReason: "end_turn" }
        }
      },
      async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended: one[^]*-# paused/, patience)
        await you.send(thread, "two")
        await shows(thread, /Write two\.md/, patience)
        await loadedAfter(stack, () => service.cutStreams())
        await you.send(thread, "stop")
        await shows(thread, /has not confirmed it/, patience)
        await you.send(thread, "three")
        await shows(thread, /still at work on the message that was stopped[^]*It costs nothing/, patience)
        assert.deepEqual(prompts(stack), ["one", "two"])
        end()
        await emulator.waitFor(() => service.rounds[1]?.end !== undefined, {
          what: "the end of the stopped run",
          timeoutMs: patience
        })
        const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
        await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
        await shows(thread, /Ended: three[^]*done ·/, patience)
        assert.deepEqual(prompts(stack), ["one", "two", "three"])
      }
    )
  })

  it("is not told as asked for, or as stopped, when the service refuses every cancellation", () =>
    withPlainStack(
      {
        script: async ({ say, signal, text }) => {
          say(`Begun: ${text}. `)
          if (text === "two") await new Promise((resolve) => signal.addEventListener("abort", resolve))
          return { stopReason: "end_turn" }
        }
      },
      async ({ service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /Begun: one[^]*done ·/, patience)
        await you.send(thread, "two")
        await shows(thread, /Begun: two/, patience)
        service.addFault({ rpcMethod: "session/cancel", when: "before", effect: { status: 503 }, times: 1000 })
        await you.send(thread, "stop")
        const footer = await shows(
          thread,
          /-# the service did not take the stop in time: .* may go on.* charged as usual/,
          patience
        )
        assert.notMatch(footer, /stopped|was asked to stop/)
      }
    ))
})
