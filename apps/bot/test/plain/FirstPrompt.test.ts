import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { withPlainStack } from "../support/PlainStack.ts"
import { gated, isLoaded, named, prompts, readings, unknown } from "../support/scenarios/ReplayReadings.ts"
import { buttonsOf, patience } from "../support/Stack.ts"

describe.concurrent("the prompt of a new task", { timeout: 90_000 }, () => {
  for (const reading of readings) {
    it(`runs once when its answer is quick ${named(reading)}`, () =>
      withPlainStack(reading, async (stack) => {
        const thread = await stack.start("one")
        const isSeen = reading.replay !== "none"
        await stack.shows(thread, isSeen ? /Echo: one[^]*done ·/ : new RegExp(unknown), patience)
        assert.deepEqual(prompts(stack), ["one"])
      }))

    it(`runs once when link and token come before it runs ${named(reading)}`, () => {
      const { go, opened } = gated()
      const script: Script = async ({ say, text }) => {
        // Words before the bot reads them are in no replay of some services.
        await opened
        say(`Echo: ${text}`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ ...reading, firstPrompt: "runsLater", script }, async (stack) => {
        const thread = await stack.start("one")
        await isLoaded(stack)
        go()
        await stack.shows(thread, /Echo: one[^]*done ·/, patience)
        assert.deepEqual(prompts(stack), ["one"])
      })
    })
  }

  for (const replay of ["full", "withoutUserMessages"] as const)
    it(`is shown below where it runs after the bot has given up the wait (replay ${replay})`, () =>
      withPlainStack({ replay, firstPrompt: "runsLater", laterMs: 25_000 }, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, new RegExp(unknown), patience)
        await stack.shows(thread, /Echo: one/, patience)
        assert.deepEqual(prompts(stack), ["one"])
      }))

  it("is told as done where the service says that it has completed, and replays nothing", () =>
    withPlainStack({ replay: "none", restStatus: "completed" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /done ·/, patience)
      assert.deepEqual(prompts(stack), ["one"])
    }))

  it("is left to the person where the service does not run it and does not say so", () =>
    withPlainStack({ firstPrompt: "waits" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, new RegExp(unknown), patience)
      assert.deepEqual(prompts(stack), [])
      await stack.stopBot()
      await stack.startBot()
      const card = stack.emulator
        .messages(thread)
        .find((each) => buttonsOf(each).some(({ label }) => label === "Send it"))!
      const press = () => stack.you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
      await Promise.all([press(), press()])
      await stack.shows(thread, /Echo: one[^]*done ·/, patience)
      const cardNow = () => stack.emulator.messages(thread).find(({ id }) => id === card.id)!
      await stack.emulator.waitFor(() => buttonsOf(cardNow()).length === 0, {
        what: "the card without its button",
        timeoutMs: patience
      })
      assert.match(
        cardNow().embeds[0]?.description ?? "",
        /^It is not known [^]*\. It was sent once more, and that is charged as usual\. The answer comes below\.$/
      )
      const refusal = () => stack.you.ephemerals(thread).find(({ content }) => /sent once more already/.test(content))
      await stack.emulator.waitFor(refusal, { what: "the answer to the second click", timeoutMs: patience })
      assert.deepEqual(prompts(stack), ["one"])
    }))

  it("is sent where the bot is told that the service does not run it", () =>
    withPlainStack({ firstPrompt: "waits", bot: { initialPrompt: "send" } }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /Echo: one[^]*done ·/, patience)
      assert.deepEqual(prompts(stack), ["one"])
    }))
})
