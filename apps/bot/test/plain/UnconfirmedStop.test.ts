import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { type PlainStack, withPlainStack } from "../support/PlainStack.ts"
import { rest } from "../support/Rest.ts"
import { press } from "../support/Stack.ts"

/** A script whose round of one prompt waits for `end`, whatever is cancelled. */
const deaf = (waiting = "one") => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const script: Script = async ({ say, text }) => {
    // Words before the bot reads them are in no replay of some services.
    if (text === waiting) await new Promise((resolve) => setTimeout(resolve, 700))
    say(`Begun: ${text}. `)
    if (text === waiting) await ended
    say(`Ended: ${text}.`)
    return { stopReason: "end_turn" }
  }
  return { script, end: () => end() }
}

const prompts = ({ service }: PlainStack) => service.rounds.map(({ text }) => text)

const disconnect = async ({ emulator, you }: PlainStack) => {
  const question = await (await you.command(emulator.channelId, "disconnect")).settled()
  return (await press(you, question, "c4:disconnect")).content
}

const hasCancel = ({ service }: PlainStack) =>
  service.requests.some(({ rpcMethod, status }) => rpcMethod === "session/cancel" && status === 202)

/** The next message stays out of the run that goes on, and is answered after it. */
const sendsNextAfterRun = async (stack: PlainStack, thread: string, end: () => void) => {
  await stack.you.send(thread, "two")
  await stack.emulator.quiet(thread, 2500)
  assert.deepEqual(prompts(stack), ["one"])
  end()
  await stack.shows(thread, /Ended: two[^]*done ·/, 20_000)
  assert.deepEqual(prompts(stack), ["one", "two"])
}

describe.concurrent(
  "a first prompt that the service runs, and whose agent ignores the cancellation",
  { timeout: 60_000 },
  () => {
    it("is not told as stopped with its account", () => {
      const { end, script } = deaf()
      return withPlainStack({ ignoreCancel: true, script }, async (stack) => {
        const thread = await stack.start("one")
        await stack.shows(thread, /Begun: one/)
        const words = await disconnect(stack)
        assert.isTrue(hasCancel(stack))
        assert.match(words, /One task could not be stopped in time: the work may go on/)
        assert.notMatch(words, /was stopped/)
        await stack.connect()
        const transcript = await stack.shows(thread, /has not confirmed it/, 15_000)
        assert.notMatch(transcript, /stopped ·/)
        await sendsNextAfterRun(stack, thread, end)
      })
    }, 60_000)

    it("is not told as stopped with its account when the connection of a later prompt breaks meanwhile", () => {
      const { end, script } = deaf("two")
      return withPlainStack({ ignoreCancel: true, script }, async (stack) => {
        const { emulator, service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Ended: one[^]*done ·/)
        await you.send(thread, "two")
        await shows(thread, /Begun: two/)
        const words = disconnect(stack)
        await emulator.waitFor(() => hasCancel(stack), { what: "the cancellation" })
        service.cutStreams()
        assert.match(await words, /One task could not be stopped in time: the work may go on/)
        await stack.connect()
        assert.notMatch(await shows(thread, /has not confirmed it/, 15_000), /stopped ·/)
        end()
      })
    }, 60_000)

    it("is not told as stopped with its thread", () => {
      const { end, script } = deaf()
      return withPlainStack({ ignoreCancel: true, script }, async (stack) => {
        const { emulator } = stack
        const thread = await stack.start("one")
        await stack.shows(thread, /Begun: one/)
        await rest(emulator, "PATCH", `/channels/${thread}`, { locked: true })
        await emulator.waitFor(() => hasCancel(stack), { what: "the cancellation", timeoutMs: 20_000 })
        await rest(emulator, "PATCH", `/channels/${thread}`, { locked: false })
        const transcript = await stack.shows(thread, /has not confirmed it/, 20_000)
        assert.notMatch(transcript, /stopped ·/)
        await sendsNextAfterRun(stack, thread, end)
      })
    }, 60_000)
  }
)

describe.concurrent(
  "a first prompt that the service runs, when the account ends and no cancellation is taken",
  { timeout: 60_000 },
  () => {
    it("counts as received when it is stopped", () => {
      const { end, script } = deaf()
      return withPlainStack({ script }, async (stack) => {
        const { service, shows, start, you } = stack
        const thread = await start("one")
        await shows(thread, /Begun: one/)
        service.addFault({ rpcMethod: "session/cancel", when: "before", effect: { status: 503 }, times: 100 })
        assert.match(await disconnect(stack), /could not be stopped in time/)
        await shows(thread, /you have disconnected the account/)
        await (await you.command(thread, "task stop")).settled()
        const transcript = await shows(thread, /stopped while it waited for the account/)
        assert.match(transcript, /The agent had the message before: its work until then is charged/)
        assert.notMatch(transcript, /did not get your message/)
        end()
      })
    }, 60_000)
  }
)

describe.concurrent("a first prompt that is stopped before the service runs it", { timeout: 60_000 }, () => {
  it("is not told as over before its run has begun and ended", () => {
    const script: Script = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
      // A run that begins and ends between two looks at the task is told as not confirmed.
      await new Promise((resolve) => setTimeout(resolve, 3000))
      return { stopReason: "cancelled" }
    }
    return withPlainStack({ firstPrompt: "runsLater", laterMs: 5000, cancelGraceMs: 10_000, script }, async (stack) => {
      const { service, shows, start, you } = stack
      const thread = await start("one")
      await (await you.command(thread, "task stop")).settled()
      await shows(thread, /ended after the stop request/, 20_000)
      assert.deepEqual(
        service.rounds.map(({ end, text }) => [text, end !== undefined]),
        [["one", true]]
      )
    })
  }, 60_000)
})
