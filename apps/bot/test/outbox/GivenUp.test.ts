import { assert, describe, it } from "@effect/vitest"
import { echo, type Script } from "../support/Agents.ts"
import { patience, withStack } from "../support/Stack.ts"

/** Says its prompt, and the rest when the test goes on. */
const inTwoParts = () => {
  const steps: Array<() => void> = []
  const script: Script = async (turn) => {
    turn.say(`begin ${turn.text}`)
    if (turn.text === "one") await new Promise<void>((resolve) => steps.push(resolve))
    turn.say(` end ${turn.text}`)
    return "end_turn"
  }
  return { script, goOn: () => steps.shift()?.() }
}

/** Why the bot is not ready. */
const why = async (health: string) => (await fetch(health.replace("healthz", "readyz"))).text()

describe.concurrent("a post that Discord keeps failing", { timeout: 60_000 }, () => {
  it("is given up in words, and the thread goes on", () => {
    const { goOn, script } = inTwoParts()
    return withStack(
      script,
      async ({ bot, emulator, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /begin one/, patience)
        const post = emulator.messages(thread).find(({ content }) => content.startsWith("begin one"))!
        emulator.fault({ method: "PATCH", route: new RegExp(`/messages/${post.id}$`), status: 500 })
        goOn()
        await shows(thread, /Discord does not accept this post \(HTTP 500\)\. It stays in the task\.[^]*done ·/, 15_000)
        await you.send(thread, "two")
        await shows(thread, /begin two end two[^]*done ·/, patience)
        assert.strictEqual((await fetch(bot.health.replace("healthz", "readyz"))).status, 200)
      },
      { stuckAfterMs: 1000 }
    )
  }, 30_000)

  for (const [what, route] of [
    ["header", /\/channels\/\d+\/messages$/],
    ["thread", /\/messages\/\d+\/threads$/]
  ] as const)
    it(`is given up in words where a task gets no ${what}, and leaves no post`, () =>
      withStack(
        () => Promise.resolve("end_turn"),
        async ({ bot, emulator, you }) => {
          emulator.fault({ method: "POST", route, status: 500 })
          const reply = await you.command(emulator.channelId, "task new", { prompt: "one" })
          const { content } = await reply.settled()
          assert.match(content, /Your task \*\*one\*\* exists[^]*\/task open[^]*Discord did not accept this/)
          assert.deepEqual(emulator.messages(emulator.channelId), [])
          assert.strictEqual((await fetch(bot.health.replace("healthz", "readyz"))).status, 200)
        },
        { stuckAfterMs: 1000 }
      ))

  it("does not keep later messages from the agent, also where no post passes", () => {
    const { goOn, script } = inTwoParts()
    return withStack(
      script,
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /begin one/, patience)
        const repair = emulator.fault({
          method: "POST",
          route: new RegExp(`/channels/${thread}/messages$`),
          status: 500
        })
        await you.send(thread, "two")
        await you.send(thread, "three")
        goOn()
        await emulator.waitFor(() => service.prompts.length === 3, { what: "all prompts", timeoutMs: 20_000 })
        repair()
        await you.send(thread, "four")
        await shows(thread, /begin four end four[^]*done ·/, patience)
      },
      { stuckAfterMs: 1000 }
    )
  }, 40_000)

  it("waits while Discord fails every call", () => {
    const { goOn, script } = inTwoParts()
    return withStack(
      script,
      async ({ bot, emulator, shows, start }) => {
        const thread = await start("one")
        await shows(thread, /begin one/, patience)
        const repair = emulator.fault({ route: new RegExp(`/channels/${thread}`), status: 500 })
        goOn()
        // The bot has been not ready for longer than a post that fails alone is tried.
        while (!/A post in thread \d+ does not get on for ([6-9]|\d\d) s/.test(await why(bot.health)))
          await new Promise((resolve) => setTimeout(resolve, 100))
        repair()
        await shows(thread, /begin one end one[^]*done ·/, 15_000)
        assert.notMatch(emulator.transcript(thread), /does not accept/)
      },
      { stuckAfterMs: 1000 }
    )
  }, 40_000)

  it("waits while the server has as many active threads as Discord allows", () =>
    withStack(
      echo,
      async ({ bot, emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /answer to one[^]*done ·/, patience)
        const route = new RegExp(`/channels/${thread}/messages$`)
        const repair = emulator.fault({ method: "POST", route, status: 400, code: 160_006 })
        await you.send(thread, "two")
        await emulator.waitFor(() => service.prompts.length === 2, { what: "the prompt", timeoutMs: patience })
        // Longer than a post that fails alone is tried.
        while (!/A post in thread \d+ does not get on for ([6-9]|\d\d) s/.test(await why(bot.health)))
          await new Promise((resolve) => setTimeout(resolve, 100))
        repair()
        await shows(thread, /answer to two[^]*done ·/, patience)
        assert.deepEqual(service.prompts, ["one", "two"])
        assert.notMatch(emulator.transcript(thread), /does not accept/)
      },
      { stuckAfterMs: 1000 }
    ))
})
