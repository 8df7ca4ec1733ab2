import { assert, describe, it } from "@effect/vitest"
import type { Readings, Script } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { gated, isLoaded, loadedAfter, prompts } from "../support/scenarios/ReplayReadings.ts"
import { writeAsAnother } from "../support/scenarios/AnotherClient.ts"
import { patience } from "../support/Stack.ts"

const replays = ["full", "withoutUserMessages", "none"] as const

/** A thread whose first answer is shown, also where no replay tells it: the agent speaks when the bot listens. */
const withAnswered = (
  readings: Partial<Readings> & Pick<Readings, "replay">,
  use: (stack: PlainStack, thread: string) => Promise<void>
) => {
  const { go, opened } = gated()
  const script: Script = async ({ say, text }) => {
    await opened
    say(`Echo: ${text}`)
    return { stopReason: "end_turn" }
  }
  return withPlainStack({ ...readings, script }, async (stack) => {
    const thread = await stack.start("one")
    await isLoaded(stack)
    go()
    await stack.shows(thread, /Echo: one[^]*done ·/, patience)
    await use(stack, thread)
  })
}

describe.concurrent(
  "a prompt whose POST fails at a service that keeps the document and nothing more",
  { timeout: 120_000 },
  () => {
    for (const replay of replays)
      for (const effect of [{ status: 503 }, { status: 404 }, "reset"] as const)
        for (const when of ["before", "after"] as const)
          it(`runs once at most, and the thread says what is known (${JSON.stringify(effect)} ${when} acting, replay ${replay})`, () =>
            withAnswered({ replay }, async (stack, thread) => {
              stack.service.addFault({ rpcMethod: "session/prompt", when, effect })
              await stack.you.send(thread, "two")
              const transcript = await stack.shows(
                thread,
                /done ·[^]*(Echo: two[^]*done ·|not known whether)/,
                patience
              )
              const runs = prompts(stack).filter((text) => text === "two").length
              assert.isAtMost(runs, 1)
              if (runs === 0) assert.match(transcript, /not known whether/)
              if (replay === "full") assert.strictEqual(runs, 1)
            }))

    it("is sent again no earlier than the service asks, also on a new connection", () =>
      withAnswered({ replay: "full" }, async ({ service, shows, you }, thread) => {
        const effect = { status: 429, retryAfterSeconds: 3 }
        service.addFault({ rpcMethod: "session/prompt", when: "before", effect, times: 6 })
        await you.send(thread, "two")
        await shows(thread, /Echo: two[^]*done ·/, 90_000)
        const times = service.requests.filter(({ rpcMethod }) => rpcMethod === "session/prompt").map(({ at }) => at)
        assert.lengthOf(times, 7)
        for (const [index, at] of times.slice(1).entries()) assert.isAtLeast(at - times[index]!, 2990)
      }))

    for (const replayedPrompts of ["escaped", "newestOnly"] as const)
      for (const what of ["its POST fails after acting", "the stream is cut", "the bot restarts"] as const)
        it(`runs once where a replay tells prompts otherwise (${replayedPrompts}), and ${what}`, () =>
          withAnswered({ replay: "full", replayedMeta: "dropped", replayedPrompts }, async (stack, thread) => {
            const { service, shows, startBot, stopBot, you } = stack
            const isLost = what === "its POST fails after acting"
            if (isLost) service.addFault({ rpcMethod: "session/prompt", when: "after", effect: { status: 503 } })
            await you.send(thread, "two & <three>")
            await stack.emulator.waitFor(() => service.rounds.length > 1, { what: "the prompt", timeoutMs: patience })
            if (what === "the stream is cut") await loadedAfter(stack, () => service.cutStreams())
            if (what === "the bot restarts") {
              await loadedAfter(stack, async () => {
                await stopBot()
                await startBot()
              })
            }
            await shows(thread, /: two & <three>[^]*(Echo: two & <three>[^]*done ·|not known whether)/, patience)
            await you.send(thread, "four")
            await shows(thread, /Echo: four[^]*done ·|: four[^]*not known whether/, patience)
            assert.deepEqual(prompts(stack).slice(0, 2), ["one", "two & <three>"])
            assert.notInclude(prompts(stack).slice(2), "two & <three>")
          }))

    for (const [theirs, isKeyed] of [
      ["two things", true],
      ["two things", false],
      ["two", true]
    ] as const)
      it(`is not taken for another client's “${theirs}” (${isKeyed ? "the service keeps keys" : "no message had a key"})`, () =>
        withAnswered({ replay: "full" }, async (stack, thread) => {
          const { service, shows, you } = stack
          if (isKeyed) {
            await you.send(thread, "keyed")
            await shows(thread, /Echo: keyed[^]*done ·/, patience)
          }
          const { length } = service.requests
          service.addFault({ rpcMethod: "session/prompt", when: "before", effect: { status: 503 } })
          const away = { status: 503, retryAfterSeconds: 1 }
          service.addFault({ method: "GET", path: /\/acp$/, when: "before", effect: away, times: 2 })
          await you.send(thread, "two")
          await stack.emulator.waitFor(
            () => service.requests.slice(length).some(({ rpcMethod }) => rpcMethod === "session/prompt"),
            { what: "the refused prompt", timeoutMs: patience }
          )
          service.clearFaults()
          await writeAsAnother(service, theirs)
          const transcript = await shows(thread, /: two\n[^]*(Echo: two\n[^]*done ·|not known whether)/, patience)
          const ours = transcript.slice(transcript.search(/: two\n/))
          assert.notMatch(ours, /Echo: two things[^]*done ·/)
          const own = prompts(stack).filter((text) => text === "two").length - (theirs === "two" ? 1 : 0)
          assert.isAtMost(own, 1)
          if (own === 0) assert.match(ours, /not known whether/)
        }))

    for (const replay of replays)
      it(`is sent again while the service is busy: then it has surely not arrived (replay ${replay})`, () =>
        withAnswered({ replay }, async (stack, thread) => {
          const busy = { rpcMethod: "session/prompt", when: "before", effect: { status: 429 }, times: 5 } as const
          stack.service.addFault(busy)
          await stack.you.send(thread, "two")
          await stack.shows(thread, /Echo: two[^]*done ·/, patience)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }))
  }
)
