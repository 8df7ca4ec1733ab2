import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { gated, loadedAfter, prompts } from "../support/scenarios/ReplayReadings.ts"
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

/** An agent whose answer to "two" waits for `go`, with a step if there is one, and which ends by itself. */
const endingByItself = (step?: "completed" | "left") => {
  const { go, opened } = gated()
  const script: PlainServiceOptions["script"] = async ({ say, text, tool }) => {
    say(`Begun ${text}. `)
    if (text === "two") {
      const toolCallId = step === undefined ? undefined : tool({ title: "Delete all", status: "in_progress" })
      await opened
      if (step === "completed") tool({ toolCallId: toolCallId!, status: "completed" })
      say("Ended whole. ")
    }
    return { stopReason: "end_turn" }
  }
  return { go, script }
}

/** Begins "two", and asks to stop it. */
const askedToStop = async (
  stack: PlainStack,
  begun: RegExp,
  before: () => Promise<unknown> = async () => undefined
) => {
  const { emulator, service, shows, start, you } = stack
  const thread = await start("one")
  await shows(thread, /done ·/, patience)
  await you.send(thread, "two")
  await shows(thread, begun, patience)
  await before()
  await you.send(thread, "stop")
  await emulator.waitFor(() => service.requests.some(({ rpcMethod }) => rpcMethod === "session/cancel"), {
    what: "the cancellation",
    timeoutMs: patience
  })
  return thread
}

describe.concurrent("a stop that comes too late", { timeout: 120_000 }, () => {
  for (const [how, readings, isRefused] of [
    ["ignored", { ignoreCancel: true }, false],
    ["refused by the service", {}, true]
  ] as const)
    for (const step of [undefined, "completed", "left"] as const)
      it(`is not told as a stop when it is ${how} and the agent ends by itself (step: ${step ?? "none"})`, () => {
        const { go, script } = endingByItself(step)
        return withPlainStack({ ...readings, script }, async (stack) => {
          const { emulator, service, shows } = stack
          const thread = await askedToStop(stack, step === undefined ? /Begun two/ : /Delete all/, async () => {
            if (isRefused)
              service.addFault({ rpcMethod: "session/cancel", when: "before", effect: { status: 503 }, times: 100 })
          })
          await emulator.quiet(thread, 500)
          assert.notMatch(emulator.transcript(thread), /✖/)
          go()
          const transcript = await shows(thread, /Ended whole[^]*-# (done ·|stopped|.*stop)/, patience)
          assert.match(transcript, /Ended whole[^]*-# done ·/)
          assert.notMatch(transcript, /stopped ·|✖/)
          if (step === "completed") assert.match(transcript, /✅ Delete all/)
        })
      })

  for (const how of ["a cut", "a restart of the bot"] as const)
    it(`is not told as a stop, nor as done, when nothing shows how the run ended after ${how}`, () => {
      const { go, script } = endingByItself()
      return withPlainStack({ ignoreCancel: true, restStatus: "completed", script }, async (stack) => {
        const thread = await askedToStop(stack, /Begun two/, () =>
          loadedAfter(stack, async () => {
            if (how === "a cut") return stack.service.cutStreams()
            await stack.stopBot()
            await stack.startBot()
          })
        )
        go()
        const transcript = await stack.shows(thread, /Ended whole[^]*-# ended after the stop request/, patience)
        assert.notMatch(transcript, /stopped ·|Ended whole[^]*done ·/)
      })
    })

  it("leaves a step as it is while the agent has not confirmed the stop", () => {
    const { go, script } = endingByItself("completed")
    return withPlainStack({ ignoreCancel: true, script }, async (stack) => {
      const thread = await askedToStop(stack, /Delete all/)
      const transcript = await stack.shows(thread, /has not confirmed it/, patience)
      assert.notMatch(transcript, /✖/)
      go()
      await stack.shows(thread, /Ended whole/, patience)
    })
  })
})

describe.concurrent("a step that the agent leaves unfinished", { timeout: 120_000 }, () => {
  const script: PlainServiceOptions["script"] = async ({ say, tool }) => {
    say("Begun. ")
    tool({ title: "Background build", status: "in_progress" })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return { stopReason: "end_turn" }
  }
  for (const restStatus of ["completed", "idle"] as const)
    it(`does not make a turn interrupted that nobody stopped (${restStatus})`, () =>
      withPlainStack({ restStatus, script }, async ({ shows, start }) => {
        const thread = await start("one")
        const transcript = await shows(thread, /-# (done ·|stopped)/, patience)
        assert.match(transcript, /▸ Background build[^]*-# done ·/)
      }))

  it("is shown as cancelled once the agent confirms the stop", () => {
    const waiting: PlainServiceOptions["script"] = async ({ say, signal, text, tool }) => {
      say(`Begun ${text}. `)
      if (text === "two") {
        tool({ title: "Delete all", status: "in_progress" })
        await new Promise((resolve) => signal.addEventListener("abort", resolve))
      }
      return { stopReason: "end_turn" }
    }
    return withPlainStack({ script: waiting }, async (stack) => {
      const thread = await askedToStop(stack, /▸ Delete all/)
      await stack.shows(thread, /✖ Delete all[^]*-# stopped ·/, patience)
    })
  })
})

describe.concurrent("a stop at a service that is busy", { timeout: 120_000 }, () => {
  it("is sent again only after the time that the service tells, also when a first prompt has just begun", () => {
    const script: PlainServiceOptions["script"] = async ({ say, signal }) => {
      say("Begun. ")
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      return { stopReason: "end_turn" }
    }
    return withPlainStack({ script }, async ({ service, shows, start, you }) => {
      service.addFault({
        rpcMethod: "session/cancel",
        when: "before",
        effect: { status: 429, retryAfterSeconds: 3 },
        times: 2
      })
      const thread = await start("one")
      await shows(thread, /Begun/, patience)
      await you.send(thread, "stop")
      await shows(thread, /-# (ended after the stop request|the service did not take the stop)/, patience)
      const cancels = service.requests.filter(({ rpcMethod }) => rpcMethod === "session/cancel")
      const pauses = cancels.flatMap(({ at, status }, index) =>
        status === 429 && index + 1 < cancels.length ? [cancels[index + 1]!.at - at] : []
      )
      assert.isAbove(pauses.length, 0)
      for (const pause of pauses) assert.isAtLeast(pause, 2990)
    })
  })
})
