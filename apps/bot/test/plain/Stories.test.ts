import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { withPlainStack } from "../support/PlainStack.ts"

const prompts = (stack: { readonly service: { readonly rounds: ReadonlyArray<{ readonly text: string }> } }) =>
  stack.service.rounds.map(({ text }) => text)

const replays = ["full", "withoutUserMessages"] as const

describe.concurrent("a service that keeps the document and nothing more", () => {
  for (const replay of replays)
    for (const initialize of ["bare", "full"] as const) {
      it(`runs a first prompt once and shows its answer (replay ${replay}, initialize ${initialize})`, () =>
        withPlainStack({ replay, initialize }, async (stack) => {
          const thread = await stack.start("one")
          await stack.shows(thread, /Echo: one[^]*done ·/)
          await stack.you.send(thread, "two")
          await stack.shows(thread, /Echo: two[^]*done ·/)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }))

      it(`runs a slow first prompt once (replay ${replay}, initialize ${initialize})`, () =>
        withPlainStack(
          {
            replay,
            initialize,
            script: async ({ say, text }) => {
              await setTimeout(700)
              say(`Slow: ${text}`)
              return { stopReason: "end_turn" }
            }
          },
          async (stack) => {
            const thread = await stack.start("one")
            await stack.shows(thread, /Slow: one[^]*done ·/)
            assert.deepEqual(prompts(stack), ["one"])
          }
        ))

      it(`keeps what was shown over a restart of the bot (replay ${replay}, initialize ${initialize})`, () =>
        withPlainStack({ replay, initialize }, async (stack) => {
          const thread = await stack.start("one")
          await stack.shows(thread, /Echo: one[^]*done ·/)
          await stack.stopBot()
          await stack.startBot()
          await stack.you.send(thread, "two")
          await stack.shows(thread, /Echo: one[^]*Echo: two[^]*done ·/)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }))
    }

  it("asks for a task again no earlier than the service says, also where that is more than a minute", () =>
    withPlainStack({}, async (stack) => {
      const { emulator, service, startBot, stopBot, you } = stack
      const thread = await stack.start("one")
      await stack.shows(thread, /Echo: one[^]*done ·/)
      await stopBot()
      const path = /\/openapi\/v2\/tasks\/[^/]+$/
      service.addFault({ path, when: "before", effect: { status: 429, retryAfterSeconds: 61 }, times: 1000 })
      await startBot()
      const { length } = service.requests
      const queries = () => service.requests.slice(length).filter((request) => path.test(request.path))
      await you.send(thread, "two")
      await emulator.waitFor(() => queries().length > 0, { what: "a query of the task", timeoutMs: 15_000 })
      await setTimeout(5000)
      assert.lengthOf(queries(), 1)
      assert.deepEqual(prompts(stack), ["one"])
    }))

  for (const status of ["completed"] as const)
    it(`a task that rests in ${status} takes the next message`, () =>
      withPlainStack({ restStatus: status }, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*done ·/)
        await stack.you.send(thread, "two")
        await stack.shows(thread, /Echo: two[^]*done ·/)
        assert.deepEqual(prompts(stack), ["one", "two"])
      }))

  for (const effect of [{ status: 429, retryAfterSeconds: 1 }, { status: 503 }, { status: 404 }, "reset"] as const)
    it(`says what became of a prompt that was refused before acting (${JSON.stringify(effect)})`, () =>
      withPlainStack({}, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*done ·/)
        stack.service.addFault({ rpcMethod: "session/prompt", when: "before", effect })
        await stack.you.send(thread, "two")
        const transcript = await stack.shows(thread, /Echo: two[^]*done ·|not known whether|did not work/, 12_000)
        if (/Echo: two/.test(transcript)) assert.deepEqual(prompts(stack), ["one", "two"])
        else assert.deepEqual(prompts(stack), ["one"])
      }))
})
