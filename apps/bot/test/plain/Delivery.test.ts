import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { controls } from "../support/Controls.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { buttonsOf } from "../support/Stack.ts"

const replays = ["full", "withoutUserMessages", "none"] as const
const initializes = ["bare", "full"] as const
const readings = replays.flatMap((replay) => initializes.map((initialize) => ({ replay, initialize })))
const named = ({ initialize, replay }: (typeof readings)[number]) => `(replay ${replay}, initialize ${initialize})`
const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

const loads = ({ service }: PlainStack) =>
  service.requests.filter(({ rpcMethod, status }) => rpcMethod === "session/load" && status === 202).length

const unknown = "It is not known whether the agent got this message"

const gated = () => {
  let go = () => {}
  const opened = new Promise<void>((resolve) => (go = resolve))
  return { go: () => go(), opened }
}

/** A script that waits in rounds whose prompt has the word "wait", until `go` is called. */
const gate = (begin: (text: string) => string = (text) => `Begun: ${text}. `) => {
  const { go, opened } = gated()
  const script: PlainServiceOptions["script"] = async ({ index, say, text }) => {
    // Words before the bot reads them are nowhere at a service that replays nothing.
    if (index === 0 && text.includes("wait")) await new Promise((resolve) => setTimeout(resolve, 700))
    if (begin(text) !== "") say(begin(text))
    if (text.includes("wait")) await opened
    if (begin(text) !== "") say(`Ended: ${text}.`)
    return { stopReason: "end_turn" }
  }
  return { go, script }
}

describe("the prompt of a new task", () => {
  for (const reading of readings) {
    it(`runs once when its answer is quick ${named(reading)}`, () =>
      withPlainStack(reading, async (stack) => {
        const thread = await stack.start("one")
        const isSeen = reading.replay !== "none"
        await stack.shows(thread, isSeen ? /Echo: one[^]*done ·/ : new RegExp(unknown), 20_000)
        assert.deepEqual(prompts(stack), ["one"])
      }))

    it(`runs once when link and token come before it runs ${named(reading)}`, () =>
      withPlainStack({ ...reading, firstPrompt: "runsLater" }, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Echo: one[^]*done ·/, 20_000)
        assert.deepEqual(prompts(stack), ["one"])
      }))
  }

  it("is told as done where the service says that it has completed, and replays nothing", () =>
    withPlainStack({ replay: "none", restStatus: "completed" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /done ·/)
      assert.deepEqual(prompts(stack), ["one"])
    }))

  it("is left to the person where the service does not run it and does not say so", { timeout: 40_000 }, () =>
    withPlainStack({ firstPrompt: "waits" }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, new RegExp(unknown), 20_000)
      assert.deepEqual(prompts(stack), [])
      await stack.stopBot()
      await stack.startBot()
      const card = stack.emulator
        .messages(thread)
        .find((each) => buttonsOf(each).some(({ label }) => label === "Send it"))!
      const press = () => stack.you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
      await Promise.all([press(), press()])
      await stack.shows(thread, /Echo: one[^]*done ·/)
      const cardNow = () => stack.emulator.messages(thread).find(({ id }) => id === card.id)!
      await stack.emulator.waitFor(() => buttonsOf(cardNow()).length === 0, { what: "the card without its button" })
      assert.match(
        cardNow().embeds[0]?.description ?? "",
        /^It is not known [^]*\. It was sent once more, and that is charged as usual\. The answer comes below\.$/
      )
      const refusal = () => stack.you.ephemerals(thread).find(({ content }) => /sent once more already/.test(content))
      await stack.emulator.waitFor(refusal, { what: "the answer to the second click" })
      assert.deepEqual(prompts(stack), ["one"])
    })
  )

  it("is sent where the bot is told that the service does not run it", () =>
    withPlainStack({ firstPrompt: "waits", bot: { initialPrompt: "send" } }, async (stack) => {
      const thread = await stack.start("one")
      await stack.shows(thread, /Echo: one[^]*done ·/, 20_000)
      assert.deepEqual(prompts(stack), ["one"])
    }))
})

/** Without a replay the bot waits eight seconds for the first run, and a restart comes on top. */
describe("words that were shown", { timeout: 60_000 }, () => {
  for (const reading of readings)
    it(`stay over a restart of the bot while the agent works ${named(reading)}`, () => {
      const { go, script } = gate()
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { emulator, shows, start, startBot, stopBot, you } = stack
        const thread = await start("one wait")
        await shows(thread, /Begun: one wait/)
        await stopBot()
        const before = loads(stack)
        await startBot()
        await emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
        go()
        await shows(thread, /Begun: one wait[^]*Ended: one wait[^]*done ·/, 20_000)
        await you.send(thread, "two")
        const transcript = await shows(thread, /Ended: two[^]*done ·/)
        for (const words of ["Begun: one wait", "Ended: one wait", "Begun: two"])
          assert.strictEqual(transcript.split(words).length, 2, words)
        assert.deepEqual(prompts(stack), ["one wait", "two"])
      })
    })

  for (const reading of readings)
    it(`stay over a restart of the bot during the second answer ${named(reading)}`, () => {
      const { go, script } = gate()
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { emulator, shows, start, startBot, stopBot, you } = stack
        const thread = await start("one")
        await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Ended: one[^]*done ·/, 20_000)
        await you.send(thread, "two wait")
        await shows(thread, /Begun: two wait/)
        await stopBot()
        const before = loads(stack)
        await startBot()
        await emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
        go()
        const transcript = await shows(thread, /Begun: two wait[^]*Ended: two wait[^]*done ·/, 20_000)
        assert.strictEqual(transcript.split("Begun: two wait").length, 2)
        assert.deepEqual(prompts(stack), ["one", "two wait"])
      })
    })
})

describe("words around a permission request", () => {
  for (const replay of ["full", "withoutUserMessages"] as const)
    it(`are shown once when the connection breaks after the answer (replay ${replay})`, () => {
      const { go, opened } = gated()
      return withPlainStack(
        {
          replay,
          script: async ({ ask, say }) => {
            say("Begun. ")
            say(`Chosen: ${await ask({ title: "Write report.md" })}. `)
            await opened
            say("Ended.")
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const thread = await stack.start("one")
          await controls(stack, thread).press(/^p1:/)
          await stack.shows(thread, /Chosen: allow/)
          const before = loads(stack)
          stack.service.cutStreams()
          await stack.emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
          go()
          const transcript = await stack.shows(thread, /Ended\.[^]*done ·/, 20_000)
          for (const words of ["Begun.", "Chosen: allow.", "Ended."])
            assert.strictEqual(transcript.split(words).length, 2, words)
        }
      )
    })
})

describe("a prompt whose answer is lost", () => {
  for (const reading of readings)
    it(`is not sent again after a round without words ${named(reading)}`, () => {
      const { go, script } = gate((text) => (text.includes("wait") ? "" : `Begun: ${text}. `))
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Ended: one[^]*done ·/, 20_000)
        await you.send(thread, "two wait")
        await emulator.waitFor(() => service.rounds.length === 2, { what: "the second round" })
        service.cutStreams()
        go()
        const told = reading.replay === "full" ? /done ·[^]*done ·/ : new RegExp(unknown)
        await emulator.waitFor(
          (e) => told.test(e.transcript(thread).split("two wait").at(-1) ?? "") || told.test(e.transcript(thread)),
          { what: "what became of it", timeoutMs: 30_000 }
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
          await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Echo: one[^]*done ·/, 20_000)
          service.addFault({ rpcMethod: "session/prompt", when: "after", effect })
          await you.send(thread, "two")
          await shows(thread, /Echo: two[^]*(done ·|did not work)/, 30_000)
          await emulator.quiet(thread, 1500)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }))
})

describe("a stop that the agent ignores", () => {
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
          await shows(thread, /Begun: one[^]*done ·/)
          await you.send(thread, "two")
          await shows(thread, /Begun: two/)
          await you.send(thread, "stop")
          const footer = await shows(thread, /-# the agent was asked to stop and has not confirmed it/, 15_000)
          assert.notMatch(footer, /stopped/)
          if (when === "before") {
            go()
            await shows(thread, /Ended: two/)
          }
          await you.send(thread, "three")
          if (when === "after") {
            await stack.emulator.quiet(thread, 1500)
            go()
          }
          const transcript = await shows(thread, /Ended: three[^]*done ·/, 15_000)
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
        await shows(thread, /Ended: one[^]*done ·/)
        await you.send(thread, "two")
        await shows(thread, /Begun: two/)
        await you.send(thread, "stop")
        await shows(thread, /has not confirmed it/, 15_000)
        for (const words of ["three", "four"]) await you.send(thread, words)
        await shows(thread, /(still at work on the message that was stopped[^]*It costs nothing[^]*){2}/, 90_000)
        assert.deepEqual(prompts(stack), ["one", "two"])
        end()
        await emulator.waitFor(() => stack.service.rounds[1]?.end !== undefined, { what: "the end of the stopped run" })
        const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
        await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
        const transcript = await shows(thread, /It is next now[^]*Ended: four[^]*done ·/, 15_000)
        assert.notMatch(transcript, /not known whether|sent once more/)
        assert.deepEqual(prompts(stack), ["one", "two", "four"])
      }
    )
  }, 150_000)

  it("leaves the next message unsent while its lost question may hold the agent, and a click sends it all the same", () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    return withPlainStack(
      {
        ignoreCancel: true,
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
        await shows(thread, /Ended: one[^]*done ·/, 20_000)
        await you.send(thread, "two")
        await shows(thread, /Write two\.md/)
        const before = loads(stack)
        service.cutStreams()
        await emulator.waitFor(() => loads(stack) > before, { what: "the session is loaded" })
        await you.send(thread, "stop")
        await shows(thread, /has not confirmed it/, 30_000)
        await you.send(thread, "three")
        await shows(thread, /still at work on the message that was stopped[^]*It costs nothing/, 90_000)
        assert.deepEqual(prompts(stack), ["one", "two"])
        end()
        await emulator.waitFor(() => service.rounds[1]?.end !== undefined, { what: "the end of the stopped run" })
        const card = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
        await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id)
        await shows(thread, /Ended: three[^]*done ·/, 30_000)
        assert.deepEqual(prompts(stack), ["one", "two", "three"])
      }
    )
  }, 200_000)

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
        await shows(thread, /Begun: one[^]*done ·/)
        await you.send(thread, "two")
        await shows(thread, /Begun: two/)
        service.addFault({ rpcMethod: "session/cancel", when: "before", effect: { status: 503 }, times: 1000 })
        await you.send(thread, "stop")
        const footer = await shows(
          thread,
          /-# the service did not take the stop in time: .* may go on.* charged as usual/,
          15_000
        )
        assert.notMatch(footer, /stopped|was asked to stop/)
      }
    ))
})
