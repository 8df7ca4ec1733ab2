import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { controls } from "../support/Controls.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { gated, loadedAfter, named, prompts, readings, unknown } from "../support/scenarios/ReplayReadings.ts"
import { buttonsOf, patience } from "../support/Stack.ts"

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

  for (const [first, second] of [
    ["one", "two"],
    ["go on", "go on"]
  ] as const)
    for (const answer of ["no words", "the words of the answer before"] as const)
      it(`is not sent again where a replay has only the newest message, and the one before is as long (${second}, ${answer})`, () => {
        const readings = { replay: "full", replayedMeta: "dropped", replayedPrompts: "newestOnly" } as const
        const cut = { streams: () => {} }
        const script: PlainServiceOptions["script"] = async ({ index, say }) => {
          if (index > 0) cut.streams()
          if (index === 0 || answer !== "no words") say("Answered.")
          return { stopReason: "end_turn" }
        }
        return withPlainStack({ ...readings, script }, async (stack) => {
          const { service, shows, start, you } = stack
          const thread = await start(first)
          await shows(thread, /Answered[^]*done ·/, patience)
          cut.streams = () => service.cutStreams("reset")
          service.addFault({ rpcMethod: "session/prompt", when: "after", effect: "reset" })
          await you.send(thread, second)
          await shows(thread, new RegExp(`done ·[^]*(${unknown}|done ·)`), patience)
          assert.deepEqual(prompts(stack), [first, second])
        })
      })

  for (const texts of [
    ["go on", "go on", "go on"],
    ["one", "two", "six"]
  ] as const)
    for (const answer of ["no words", "the words of the answers before"] as const)
      for (const restarts of [false, true])
        it(`is not sent again where a replay has the newest two messages only (${texts.join(", ")}; ${answer}${restarts ? "; the bot restarts" : ""})`, () => {
          const readings = { replay: "full", replayedMeta: "dropped", replayedPrompts: "newestTwo" } as const
          const cut = { streams: () => {} }
          const script: PlainServiceOptions["script"] = async ({ index, say }) => {
            if (index > 1) cut.streams()
            if (index < 2 || answer !== "no words") say("Answered.")
            return { stopReason: "end_turn" }
          }
          return withPlainStack({ ...readings, script }, async (stack) => {
            const { emulator, service, shows, start, startBot, stopBot, you } = stack
            const [first, second, third] = texts
            const thread = await start(first)
            await shows(thread, /Answered[^]*done ·/, patience)
            await you.send(thread, second)
            await shows(thread, /done ·[^]*Answered[^]*done ·/, patience)
            cut.streams = () => service.cutStreams("reset")
            service.addFault({ rpcMethod: "session/prompt", when: "after", effect: "reset" })
            await you.send(thread, third)
            await emulator.waitFor(() => service.rounds.length > 2, { what: "the third round", timeoutMs: patience })
            if (restarts) {
              await stopBot()
              await startBot()
            }
            await shows(thread, new RegExp(`done ·[^]*done ·[^]*(${unknown}|done ·)`), patience)
            await emulator.quiet(thread, 500)
            assert.deepEqual(prompts(stack), [...texts])
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

const question = { title: "Delete a file", toolCall: { toolCallId: "t1" } }

/** How often the service took an answer that allows. */
const allowances = ({ service }: PlainStack) =>
  service.answers.filter(({ accepted, answer }) => accepted && JSON.stringify(answer).includes('"optionId":"allow"'))
    .length

const openCards = ({ emulator }: PlainStack, thread: string) =>
  emulator
    .messages(thread)
    .filter((message) => buttonsOf(message).some(({ label }) => label?.startsWith("Allow") === true))

const pressAllow = async (stack: PlainStack, thread: string) => {
  const card = openCards(stack, thread).at(-1)!
  const button = buttonsOf(card).find(({ label }) => label?.startsWith("Allow") === true)!
  await stack.you.press(thread, card.id, button.custom_id)
}

const cardOpens = (stack: PlainStack, thread: string) =>
  stack.emulator.waitFor(() => openCards(stack, thread).length > 0, { what: "an open card", timeoutMs: patience })

describe.concurrent("one click", { timeout: 120_000 }, () => {
  /** An agent that asks, goes on in some way, and asks the same again. */
  const askingTwice = (between: "nothing" | "step" | "words") => {
    const { go, opened } = gated()
    const script: PlainServiceOptions["script"] = async ({ ask, say, tool }) => {
      say("Begun. ")
      if (between === "step") tool({ toolCallId: "t1", title: "Delete a file", status: "pending" })
      const first = await ask(question)
      if (between === "step") tool({ toolCallId: "t1", status: "completed" })
      if (between === "words") say(`First ${first}. `)
      await opened
      say(`Second ${await ask(question)}. `)
      return { stopReason: "end_turn" }
    }
    return { go, script }
  }

  for (const pendingRequests of ["lost", "askedAgain"] as const)
    for (const effect of ["reset", { status: 503 }] as const)
      for (const between of ["words", "step", "nothing"] as const)
        it(`allows one request when its answer was taken and that was lost (${pendingRequests}, ${JSON.stringify(effect)}, ${between} between)`, () => {
          const { go, script } = askingTwice(between)
          return withPlainStack({ pendingRequests, script }, async (stack) => {
            const { emulator, service, shows, start } = stack
            const thread = await start("one")
            service.addFault({ rpcMethod: "response", when: "after", effect })
            await controls(stack, thread).press(/^p1:/)
            await emulator.waitFor(() => allowances(stack) === 1, { what: "the answer", timeoutMs: patience })
            if (between === "words") await shows(thread, /First allow/, patience)
            await loadedAfter(stack, () => service.cutStreams())
            go()
            await cardOpens(stack, thread)
            await setTimeout(1000)
            assert.strictEqual(allowances(stack), 1)
            assert.notMatch(emulator.transcript(thread), /Second/)
            if (between === "nothing") await shows(thread, /Permission needed[^]*may have arrived/, patience)
            await pressAllow(stack, thread)
            await shows(thread, /Second allow[^]*done ·/, patience)
            assert.strictEqual(allowances(stack), 2)
          })
        })

  it("allows one request when the bot was restarted meanwhile", () => {
    const { go, script } = askingTwice("words")
    return withPlainStack({ replay: "none", script }, async (stack) => {
      const { service, shows, start, startBot, stopBot } = stack
      const thread = await start("one")
      service.addFault({ rpcMethod: "response", when: "after", effect: "hang" })
      await controls(stack, thread).press(/^p1:/)
      await shows(thread, /First allow/, patience)
      await stopBot()
      await loadedAfter(stack, startBot)
      go()
      await cardOpens(stack, thread)
      await setTimeout(1000)
      assert.strictEqual(allowances(stack), 1)
    })
  })

  it("is not shown as allowed when the service took no answer, whatever becomes of the step", () => {
    const { go, opened } = gated()
    const script: PlainServiceOptions["script"] = async ({ ask, say, tool }) => {
      say("Begun. ")
      tool({ toolCallId: "t1", title: "Write", status: "pending" })
      const answer = await ask({ title: "Write", toolCall: { toolCallId: "t1" } })
      tool({ toolCallId: "t1", status: "completed" })
      say(`Chosen ${answer}. `)
      await opened
      return { stopReason: "end_turn" }
    }
    return withPlainStack({ replay: "full", permissionTimeoutMs: 15_000, script }, async (stack) => {
      const { emulator, service, shows, start } = stack
      const thread = await start("one")
      service.addFault({ rpcMethod: "response", when: "before", effect: { status: 503 }, times: 100 })
      await controls(stack, thread).press(/^p1:/)
      await shows(thread, /Chosen cancelled/, patience)
      go()
      await shows(thread, /done ·/, patience)
      await emulator.quiet(thread, 500)
      const transcript = emulator.transcript(thread)
      assert.match(transcript, /⚠️ Answer not confirmed: Write/)
      assert.notMatch(transcript, /✅ Allowed/)
      assert.deepEqual(service.answers, [])
    })
  })
})
