import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import { controls } from "../support/Controls.ts"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { gated, isLoaded, loadedAfter, named, prompts, readings, unknown } from "../support/scenarios/ReplayReadings.ts"
import { writeAsAnother } from "../support/scenarios/AnotherClient.ts"
import { patience } from "../support/Stack.ts"

/** Without a replay the bot waits eight seconds for the first run, and a restart comes on top. */
describe.concurrent("words that were shown", { timeout: 90_000 }, () => {
  for (const reading of readings)
    it(`stay over a restart of the bot while the agent works ${named(reading)}`, () => {
      // Words before the bot reads them are nowhere at a service that replays nothing.
      const { go: begin, opened: begun } = gated()
      const { go: end, opened: ended } = gated()
      const script: PlainServiceOptions["script"] = async ({ say, text }) => {
        if (text === "one wait") await begun
        say(`Begun: ${text}. `)
        if (text === "one wait") await ended
        say(`Ended: ${text}.`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { shows, start, startBot, stopBot, you } = stack
        const thread = await start("one wait")
        await isLoaded(stack)
        begin()
        await shows(thread, /Begun: one wait/, patience)
        await stopBot()
        await loadedAfter(stack, startBot)
        end()
        await shows(thread, /Begun: one wait[^]*Ended: one wait[^]*done ·/, patience)
        await you.send(thread, "two")
        const transcript = await shows(thread, /Ended: two[^]*done ·/, patience)
        for (const words of ["Begun: one wait", "Ended: one wait", "Begun: two"])
          assert.strictEqual(transcript.split(words).length, 2, words)
        assert.deepEqual(prompts(stack), ["one wait", "two"])
      })
    })

  for (const reading of readings)
    it(`stay over a restart of the bot during the second answer ${named(reading)}`, () => {
      const { go, opened } = gated()
      const script: PlainServiceOptions["script"] = async ({ say, text }) => {
        say(`Begun: ${text}. `)
        if (text === "two wait") await opened
        say(`Ended: ${text}.`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ ...reading, script }, async (stack) => {
        const { shows, start, startBot, stopBot, you } = stack
        const thread = await start("one")
        await shows(thread, reading.replay === "none" ? new RegExp(unknown) : /Ended: one[^]*done ·/, patience)
        await you.send(thread, "two wait")
        await shows(thread, /Begun: two wait/, patience)
        await stopBot()
        await loadedAfter(stack, startBot)
        go()
        const transcript = await shows(thread, /Begun: two wait[^]*Ended: two wait[^]*done ·/, patience)
        assert.strictEqual(transcript.split("Begun: two wait").length, 2)
        assert.deepEqual(prompts(stack), ["one", "two wait"])
      })
    })
})

describe.concurrent("words that may be missing", { timeout: 90_000 }, () => {
  const mayBeMissing = /Some of it may be missing here\.[^]*done ·/
  const breaks = {
    "the connection breaks": (stack: PlainStack) => stack.service.cutStreams(),
    "the bot starts again": async (stack: PlainStack) => {
      await stack.stopBot()
      await stack.startBot()
    }
  }

  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    for (const [what, act] of Object.entries(breaks))
      it(`are told where ${what} during the answer, and only at a service that repeats nothing (replay ${replay})`, () => {
        const [begin, end] = [gated(), gated()]
        const script: PlainServiceOptions["script"] = async ({ say, text }) => {
          await begin.opened
          say(`Begun: ${text}. `)
          if (text === "two") await end.opened
          say(`Ended: ${text}.`)
          return { stopReason: "end_turn" }
        }
        return withPlainStack({ replay, script }, async (stack) => {
          const { shows, start, you } = stack
          const thread = await start("one")
          await isLoaded(stack)
          begin.go()
          assert.notMatch(await shows(thread, /Ended: one[^]*done ·/, patience), mayBeMissing)
          await you.send(thread, "two")
          await shows(thread, /Begun: two/, patience)
          await loadedAfter(stack, () => act(stack))
          end.go()
          const transcript = await shows(thread, /Ended: two[^]*done ·/, patience)
          if (replay === "none") assert.match(transcript, mayBeMissing)
          else assert.notMatch(transcript, mayBeMissing)
          await you.send(thread, "three")
          assert.notMatch(await shows(thread, /Begun: three[^]*done ·/, patience), /Begun: three[^]*may be missing/)
        })
      })
})

describe.concurrent("words around a permission request", { timeout: 60_000 }, () => {
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
          await stack.shows(thread, /Chosen: allow/, patience)
          await loadedAfter(stack, () => stack.service.cutStreams())
          go()
          const transcript = await stack.shows(thread, /Ended\.[^]*done ·/, patience)
          for (const words of ["Begun.", "Chosen: allow.", "Ended."])
            assert.strictEqual(transcript.split(words).length, 2, words)
        }
      )
    })
})

describe.concurrent("words below a question that was open over a restart", { timeout: 90_000 }, () => {
  for (const replay of ["full", "withoutUserMessages"] as const)
    for (const which of ["first", "second"])
      it(`keep their message over the next restart in the ${which} answer (replay ${replay})`, () => {
        const { go, opened } = gated()
        const script: PlainServiceOptions["script"] = async ({ ask, say, text }) => {
          if (text === "greet") say("Hello.")
          else {
            say(`Chosen: ${await ask({ title: "Write report.md" })}. `)
            await opened
            say("Ended.")
          }
          return { stopReason: "end_turn" }
        }
        return withPlainStack({ replay, pendingRequests: "askedAgain", script }, async (stack) => {
          const { emulator, shows, start, startBot, stopBot, you } = stack
          const thread = await start(which === "first" ? "one" : "greet")
          if (which === "second") {
            await shows(thread, /Hello\.[^]*done ·/, patience)
            await you.send(thread, "two")
          }
          await shows(thread, /Permission needed: Write report\.md/, patience)
          await stopBot()
          await loadedAfter(stack, startBot)
          await controls(stack, thread).press(/^p1:/)
          await shows(thread, /Chosen: allow/, patience)
          const idOf = (words: string) =>
            emulator.messages(thread).flatMap(({ content, id }) => (content.includes(words) ? [id] : []))
          const shownIn = idOf("Chosen: allow")
          await stopBot()
          await loadedAfter(stack, startBot)
          go()
          await shows(thread, /Ended\.[^]*done ·/, patience)
          assert.deepEqual(idOf("Chosen: allow"), shownIn, emulator.transcript(thread))
        })
      })
})

describe.concurrent("two messages with the same words", { timeout: 90_000 }, () => {
  for (const replayedMeta of ["dropped", "kept"] as const)
    it(`the second is not taken for the first when it was refused after a message of another client (keys ${replayedMeta})`, () => {
      const script: PlainServiceOptions["script"] = async ({ index, say, text }) => {
        say(`Answer ${index} to ${text}. `)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ replay: "full", replayedMeta, script }, async (stack) => {
        const { service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Answer 0 to one[^]*done ·/, patience)
        await writeAsAnother(service, "of another client")
        await you.send(thread, "yes")
        await shows(thread, /Answer 2 to yes[^]*done ·/, patience)
        service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 503 } })
        await you.send(thread, "yes")
        // Without keys a message that the bot has not seen before may be its own in other words.
        const isKept = replayedMeta === "kept"
        const transcript = await shows(thread, isKept ? /Answer 3 to yes[^]*done ·/ : /not known whether/, patience)
        assert.lengthOf(transcript.split("Answer 2 to yes"), 2, transcript)
        assert.deepEqual(prompts(stack), ["one", "of another client", "yes", ...(isKept ? ["yes"] : [])])
      })
    })
})

describe.concurrent("an answer after a turn without words", { timeout: 90_000 }, () => {
  for (const replayedMeta of ["dropped", "kept"] as const)
    it(`is shown whole when the connection breaks in it (keys ${replayedMeta})`, () => {
      const [begin, end] = [gated(), gated()]
      const script: PlainServiceOptions["script"] = async ({ say, text }) => {
        if (text === "two") return { stopReason: "end_turn" }
        if (text === "three") await begin.opened
        say(`Begun: ${text}. `)
        if (text === "three") await end.opened
        say(`Ended: ${text}.`)
        return { stopReason: "end_turn" }
      }
      return withPlainStack({ replay: "full", replayedMeta, script }, async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended: one[^]*done ·/, patience)
        await you.send(thread, "two")
        await shows(thread, /You: two[^]*done ·/, patience)
        await you.send(thread, "three")
        await emulator.waitFor(() => service.rounds.length === 3, { what: "the third round" })
        await loadedAfter(stack, () => {
          service.cutStreams()
          begin.go()
        })
        end.go()
        const transcript = await shows(thread, /Begun: three[^]*Ended: three[^]*done ·/, patience)
        for (const words of ["Begun: three", "Ended: three"]) assert.lengthOf(transcript.split(words), 2, transcript)
      })
    })
})
