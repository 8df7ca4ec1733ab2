import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

/** Runs in silence what shall not be seen, until `end` is called. */
const script = () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const run: Script = async ({ say, text }) => {
    if (text.includes("unseen")) await ended
    else say(`Echo: ${text}`)
    return { stopReason: "end_turn" }
  }
  return { run, end: () => end() }
}

const unknown = /not known whether the agent got this message/
const inTask = /Already in the task[^]*it was not sent again/

const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

const cardOf = ({ emulator }: PlainStack, thread: string) => {
  const card = emulator.messages(thread).find((each) => buttonsOf(each).some(({ label }) => label === "Send it"))!
  return () => emulator.messages(thread).find(({ id }) => id === card.id)!
}

const isSettled = async ({ emulator }: PlainStack, card: ReturnType<typeof cardOf>) => {
  await emulator.waitFor(() => buttonsOf(card()).length === 0, { what: "the card without its button" })
  assert.match(`${card().embeds[0]?.title} ${card().embeds[0]?.description}`, inTask)
}

describe.concurrent("the offer to send a message whose delivery is not known", { timeout: 60_000 }, () => {
  it("goes when the session shows the first message later", () =>
    withPlainStack({ replay: "none" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, unknown, 20_000)
      const card = cardOf(stack, thread)
      stack.service.setReadings({ replay: "full" })
      await stack.you.send(thread, "two")
      await stack.shows(thread, /Echo: two[^]*done ·/)
      await isSettled(stack, card)
      assert.deepEqual(prompts(stack), ["one", "two"])
    }))

  it("sends nothing by a click when the session shows the message by then", () =>
    withPlainStack({ replay: "none" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, unknown, 20_000)
      const card = cardOf(stack, thread)
      stack.service.setReadings({ replay: "full" })
      await stack.you.press(thread, card().id, buttonsOf(card())[0]!.custom_id)
      await stack.shows(thread, /This did not work[^]*in the task already, so it was not sent again/, 20_000)
      await isSettled(stack, card)
      assert.deepEqual(prompts(stack), ["one"])
    }))

  it("goes when the session shows a later message, and stays while it does not", () => {
    const { end, run } = script()
    return withPlainStack({ replay: "withoutUserMessages", script: run }, async (stack) => {
      const { emulator, service, shows, start, you } = stack
      const thread = await start("one")
      await shows(thread, /Echo: one[^]*done ·/, 20_000)
      await you.send(thread, "two unseen")
      await emulator.waitFor(() => service.rounds.length === 2, { what: "the second round" })
      service.cutStreams()
      end()
      await shows(thread, unknown, 30_000)
      const card = cardOf(stack, thread)
      await you.send(thread, "three")
      await shows(thread, /Echo: three[^]*done ·/)
      assert.lengthOf(buttonsOf(card()), 1)
      service.setReadings({ replay: "full" })
      await you.send(thread, "four")
      await shows(thread, /Echo: four[^]*done ·/)
      await isSettled(stack, card)
      assert.deepEqual(prompts(stack), ["one", "two unseen", "three", "four"])
    })
  })
})
