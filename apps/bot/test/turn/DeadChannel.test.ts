import { assert, describe, it } from "@effect/vitest"
import * as SkippingClock from "@heddle/test-support/SkippingClock"
import { type Stack, withStack } from "../support/Stack.ts"

/** A script whose prompts with the word "wait" end when `go` is called. */
const gate = () => {
  let go = () => {}
  const opened = new Promise<void>((resolve) => (go = resolve))
  const script: Parameters<typeof withStack>[0] = async ({ say, text }) => {
    say(`Begun: ${text}.`)
    if (text.includes("wait")) await opened
    say(" Ended.")
    return "end_turn"
  }
  return { go: () => go(), script }
}

/** The streams stay open, and nothing comes over them any more: their server is gone behind a proxy. */
const killStreams = ({ service }: Stack) => {
  for (const { connections } of service.tasks.values())
    for (const connection of connections.values()) connection.write = () => true
}

/** A bot that asks after half a second of silence. */
const restartImpatient = async ({ startBot, stopBot }: Stack) => {
  await stopBot()
  await startBot({ channelSilenceMs: 500 })
}

describe.concurrent("a server that is gone behind a proxy that holds its streams", { timeout: 60_000 }, () => {
  it("is noticed when the run is over, and the answer is read over a new connection", { timeout: 60_000 }, () => {
    const { go, script } = gate()
    return withStack(script, async (stack) => {
      await restartImpatient(stack)
      const { service, shows, start, you } = stack
      const thread = await start("one")
      await shows(thread, /Ended\.[^]*done ·/, 20_000)
      await you.send(thread, "two wait")
      await shows(thread, /Begun: two wait/, 20_000)
      killStreams(stack)
      go()
      const transcript = await shows(thread, /Begun: two wait\. Ended\.[^]*done ·/, 30_000)
      assert.notMatch(transcript, /not reachable|did not work/)
      assert.strictEqual(transcript.split("Begun: two wait").length, 2)
      assert.deepEqual(service.prompts, ["one", "two wait"])
    })
  })

  it("has the task's status read after each 45 seconds without a word", { timeout: 60_000 }, () => {
    const { go, script } = gate()
    const { clock, skip } = SkippingClock.make()
    return withStack(
      script,
      async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended\.[^]*done ·/, 20_000)
        await you.send(thread, "two wait")
        await shows(thread, /Begun: two wait/, 20_000)
        killStreams(stack)
        const looks = () => service.requests.filter((each) => /^GET \/openapi\/v2\/tasks\/[^/]+$/.test(each)).length
        const before = looks()
        // No time is skipped while a look is on its way and answered, which takes a busy machine a while.
        const looked = async (times: number) => {
          await emulator.waitFor(() => looks() === before + times, { what: `look ${times}`, timeoutMs: 20_000 })
          await new Promise((resolve) => setTimeout(resolve, 300))
        }
        skip(46_000)
        await looked(1)
        skip(40_000)
        await new Promise((resolve) => setTimeout(resolve, 300))
        assert.strictEqual(looks(), before + 1, "40 seconds later")
        skip(7000)
        await looked(2)
        go()
        skip(46_000)
        await looked(3)
        await shows(thread, /Begun: two wait\. Ended\.[^]*done ·/, 20_000)
      },
      { clock }
    )
  })

  it("is noticed while a run of the service itself is followed", { timeout: 60_000 }, () => {
    const { go, script } = gate()
    return withStack(script, async (stack) => {
      await restartImpatient(stack)
      const { emulator, service, shows, start } = stack
      service.state.runAtOnce = script
      const thread = await start("one wait")
      await shows(thread, /Begun: one wait/, 20_000)
      killStreams(stack)
      await emulator.quiet(thread, 1500)
      go()
      const transcript = await shows(thread, /Begun: one wait\. Ended\.[^]*done ·/, 30_000)
      assert.strictEqual(transcript.split("Begun: one wait").length, 2)
      assert.deepEqual(service.prompts, ["one wait"])
    })
  })

  it("is told while it cannot be reached, and its channel stays open", { timeout: 60_000 }, () => {
    const { go, script } = gate()
    return withStack(script, async (stack) => {
      await restartImpatient(stack)
      const { emulator, service, shows, start, you } = stack
      const thread = await start("one")
      await shows(thread, /Ended\.[^]*done ·/, 20_000)
      await you.send(thread, "two wait")
      await shows(thread, /Begun: two wait/, 20_000)
      const before = service.requests.length
      service.state.down = true
      await shows(thread, /The service is not reachable right now/, 20_000)
      service.state.down = false
      await emulator.waitFor((e) => !/not reachable/.test(e.transcript(thread)), {
        what: "that it is reachable",
        timeoutMs: 20_000
      })
      go()
      await shows(thread, /Begun: two wait\. Ended\.[^]*done ·/, 20_000)
      assert.isFalse(service.requests.slice(before).some((request) => /^GET .*acp$/.test(request)))
      assert.deepEqual(service.prompts, ["one", "two wait"])
    })
  })
})
