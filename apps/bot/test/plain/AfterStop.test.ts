import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { controls } from "../support/Controls.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { gated, isLoaded, prompts } from "../support/scenarios/ReplayReadings.ts"
import { patience } from "../support/Stack.ts"

/** What the agent does in the round of "two" before its end, which waits for `end`. */
const late = (act: (round: Parameters<Script>[0]) => Promise<void>) => {
  const [listen, begin, end] = [gated(), gated(), gated()]
  const script: Script = async (round) => {
    const { say, text } = round
    // Words before the bot reads them are in no replay of some services.
    await listen.opened
    say(`Begun: ${text}. `)
    if (text === "two") {
      await begin.opened
      await act(round)
      await end.opened
    }
    say(`Ended: ${text}.`)
    return { stopReason: "end_turn" }
  }
  return { listen: listen.go, begin: begin.go, end: end.go, script }
}

/** A thread in which "two" runs. */
const atWork = async (stack: PlainStack, listen: () => void) => {
  const { shows, start, you } = stack
  const thread = await start("one")
  await isLoaded(stack)
  listen()
  await shows(thread, /Ended: one[^]*done ·/, patience)
  await you.send(thread, "two")
  await shows(thread, /Begun: two/, patience)
  return thread
}

/** A thread in which the stop of "two" is not confirmed. */
const stoppedInVain = async (stack: PlainStack, listen: () => void) => {
  const { shows, you } = stack
  const thread = await atWork(stack, listen)
  await you.send(thread, "stop")
  await shows(thread, /has not confirmed it/, patience)
  return thread
}

/** The next message waits for the end of the run that goes on, and is answered after it. */
const answersNext = async (stack: PlainStack, thread: string, end: () => void) => {
  await stack.you.send(thread, "three")
  await stack.emulator.quiet(thread, 3000)
  assert.deepEqual(prompts(stack), ["one", "two"])
  end()
  const transcript = await stack.shows(thread, /Ended: three[^]*done ·/, patience)
  assert.notMatch(transcript, /already running/)
  assert.deepEqual(prompts(stack), ["one", "two", "three"])
}

describe.concurrent("after a stop that nothing confirmed", { timeout: 120_000 }, () => {
  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    it(`late words are shown, and the next message waits for the end of the run (replay ${replay})`, () => {
      const { begin, end, listen, script } = late(async ({ say }) => say("Middle: two. "))
      return withPlainStack({ ignoreCancel: true, replay, script }, async (stack) => {
        const thread = await stoppedInVain(stack, listen)
        begin()
        await stack.shows(thread, /Middle: two/, patience)
        await answersNext(stack, thread, end)
      })
    })

  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    it(`words that come while the next message waits for the end of the run are shown above its answer (replay ${replay})`, () => {
      const { begin, end, listen, script } = late(async ({ say }) => say("Middle: two. "))
      return withPlainStack({ ignoreCancel: true, replay, script }, async (stack) => {
        const { emulator, shows, you } = stack
        const thread = await stoppedInVain(stack, listen)
        await you.send(thread, "three")
        await emulator.quiet(thread, 2000)
        begin()
        end()
        const transcript = await shows(thread, /Ended: three[^]*done ·/, patience)
        for (const words of ["Middle: two", "Ended: two"]) {
          assert.lengthOf(transcript.split(words), 2, transcript)
          assert.isBelow(transcript.indexOf(words), transcript.indexOf("Begun: three"), transcript)
        }
        assert.match(transcript, /Still the answer to the message before:[^]*Ended: two[^]*Begun: three/)
      })
    })

  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    it(`words that come after a message was left unsent are shown at once (replay ${replay})`, () => {
      const { begin, end, listen, script } = late(async ({ say }) => say("Middle: two. "))
      return withPlainStack({ ignoreCancel: true, replay, script, bot: { stoppedRunMs: 1000 } }, async (stack) => {
        const { shows, you } = stack
        const thread = await stoppedInVain(stack, listen)
        await you.send(thread, "three")
        await shows(thread, /still at work on the message that was stopped/, patience)
        begin()
        await shows(thread, /Middle: two/, patience)
        end()
        await shows(thread, /Ended: two/, patience)
        await you.send(thread, "four")
        const transcript = await shows(thread, /Ended: four[^]*done ·/, patience)
        for (const words of ["Middle: two", "Ended: two"]) assert.lengthOf(transcript.split(words), 2, transcript)
        assert.deepEqual(prompts(stack), ["one", "two", "four"])
      })
    })

  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    for (const when of ["before", "after"] as const)
      it(`late words are no proof that the next message arrived, which is refused ${when} them (replay ${replay})`, () => {
        const { begin, end, listen, script } = late(async ({ say }) => say("Middle: two. "))
        return withPlainStack({ ignoreCancel: true, replay, script, bot: { stoppedRunMs: 5000 } }, async (stack) => {
          const { emulator, service, shows, you } = stack
          const thread = await stoppedInVain(stack, listen)
          const refusesPrompts = { rpcMethod: "session/prompt", when: "before", effect: { status: 503 } } as const
          const clear = service.addFault({ ...refusesPrompts, times: when === "before" ? 1000 : 1 })
          await you.send(thread, "three")
          await emulator.quiet(thread, 1500)
          begin()
          end()
          await shows(thread, /You: three[^]*Ended: two/, patience)
          if (when === "before") await emulator.quiet(thread, 1000)
          clear()
          const isKnown = replay === "full"
          await shows(thread, isKnown ? /Ended: three[^]*done ·/ : /Ended: three[^]*done ·|It is not known/, patience)
          const ran = emulator.transcript(thread).includes("Ended: three")
          assert.deepEqual(prompts(stack), ran ? ["one", "two", "three"] : ["one", "two"])
        })
      })

  for (const replay of ["full", "none"] as const)
    it(`what comes is shown although a waiting message was deleted (replay ${replay})`, () => {
      const { begin, end, listen, script } = late(async ({ ask, say }) =>
        say(`Chosen: ${await ask({ title: "Write late.md" })}. `)
      )
      return withPlainStack({ ignoreCancel: true, replay, script }, async (stack) => {
        const { emulator, shows, you } = stack
        const thread = await atWork(stack, listen)
        const three = await you.send(thread, "three")
        await shows(thread, /You: three[^]*three/, patience)
        await you.delete(thread, three.id)
        await you.send(thread, "stop")
        await shows(thread, /has not confirmed it/, patience)
        await emulator.quiet(thread, 1000)
        begin()
        await controls(stack, thread).press(/^p1:\w+:0/)
        await shows(thread, /Chosen: allow/, patience)
        end()
        await shows(thread, /Ended: two/, patience)
      })
    })

  for (const status of [200, 429, 503])
    it(`a request that comes long after is shown and answered while the task is at work (status reads as ${status})`, () => {
      const { begin, end, listen, script } = late(async ({ ask, say }) =>
        say(`Chosen: ${await ask({ title: "Write late.md" })}. `)
      )
      const bot = { lateOutputMs: 500 }
      return withPlainStack({ ignoreCancel: true, pendingRequests: "lost", script, bot }, async (stack) => {
        const thread = await stoppedInVain(stack, listen)
        const reads = { method: "GET", path: /tasks\/[^/]+$/, when: "before" } as const
        const clear = status === 200 ? () => {} : stack.service.addFault({ ...reads, effect: { status }, times: 1000 })
        await stack.emulator.quiet(thread, 10_000)
        clear()
        begin()
        await controls(stack, thread).press(/^p1:\w+:0/)
        await stack.shows(thread, /Chosen: allow/, patience)
        await answersNext(stack, thread, end)
      })
    })

  it("the channel is closed some time after the task came to rest", () =>
    withPlainStack({ bot: { lateOutputMs: 500 } }, async (stack) => {
      const { emulator, service } = stack
      const thread = await stack.start("one")
      await isLoaded(stack)
      await stack.shows(thread, /done ·/, patience)
      await emulator.waitFor(() => service.tasks().every(({ connections }) => connections === 0), {
        what: "the end of the channel",
        timeoutMs: patience
      })
    }))

  for (const askStatus of ["working", "pending"] as const)
    it(`a late request is shown and answered on its own connection (asks in ${askStatus})`, () => {
      const { begin, end, listen, script } = late(async ({ ask, say }) =>
        say(`Chosen: ${await ask({ title: "Write late.md" })}. `)
      )
      return withPlainStack({ ignoreCancel: true, pendingRequests: "lost", askStatus, script }, async (stack) => {
        const thread = await stoppedInVain(stack, listen)
        begin()
        await controls(stack, thread).press(/^p1:\w+:0/)
        await stack.shows(thread, /Chosen: allow/, patience)
        await answersNext(stack, thread, end)
      })
    })
  it("nothing of the agent is read any more when its account is disconnected", () => {
    const { begin, end, listen, script } = late(async ({ ask, say }) =>
      say(`Chosen: ${await ask({ title: "Write late.md" })}. `)
    )
    return withPlainStack({ ignoreCancel: true, script }, async (stack) => {
      const { emulator, service, you } = stack
      const thread = await stoppedInVain(stack, listen)
      const streams = () => service.tasks().reduce((sum, { connections }) => sum + connections, 0)
      assert.strictEqual(streams(), 1)
      const { content } = await (await you.command(emulator.channelId, "disconnect")).settled()
      assert.match(content, /isconnected/)
      await emulator.waitFor(() => streams() === 0, { what: "the end of the channel", timeoutMs: patience })
      begin()
      await emulator.quiet(thread, 2000)
      assert.notMatch(emulator.transcript(thread), /Write late\.md/)
      end()
    })
  })
})

describe.concurrent("a first task that is stopped before its session was ever open", { timeout: 120_000 }, () => {
  /** An agent whose first round goes on until it is cancelled. */
  const script: Script = async ({ say, signal, text }) => {
    if (text === "one") {
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      return { stopReason: "cancelled" }
    }
    say(`Ended: ${text}.`)
    return { stopReason: "end_turn" }
  }

  it("is stopped with the next message, which then runs (creation takes long)", () =>
    withPlainStack({ creatingMs: 15_000, script }, async (stack) => {
      const { shows, start, you } = stack
      const thread = await start("one")
      await you.send(thread, "stop")
      await shows(thread, /did not take the stop in time/, patience)
      await you.send(thread, "two")
      const transcript = await shows(thread, /Ended: two[^]*done ·/, patience)
      assert.notMatch(transcript, /already running/)
      assert.deepEqual(prompts(stack), ["one", "two"])
    }))

  it("is stopped with the next message, which then runs (its stream was refused)", () =>
    withPlainStack({ script }, async (stack) => {
      const { emulator, service, shows, start, you } = stack
      const refusesStreams = { method: "GET", path: /\/acp$/, when: "before", effect: { status: 503 } } as const
      const clear = service.addFault({ ...refusesStreams, times: 1000 })
      const thread = await start("one")
      await emulator.waitFor(() => service.requests.some(({ status }) => status === 503), {
        what: "a refused stream",
        timeoutMs: patience
      })
      await you.send(thread, "stop")
      await shows(thread, /did not take the stop in time/, patience)
      clear()
      await you.send(thread, "two")
      const transcript = await shows(thread, /Ended: two[^]*done ·/, patience)
      assert.notMatch(transcript, /already running/)
      assert.deepEqual(prompts(stack), ["one", "two"])
    }))
})
