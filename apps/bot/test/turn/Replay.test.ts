import { assert, describe, it } from "@effect/vitest"
import { echo, type Script } from "../support/Agents.ts"
import { type Stack, withStack } from "../support/Stack.ts"

const patience = 60_000

/** From now on the session replays what the agent said, and no messages of users. */
const omitUserMessages = ({ service }: Stack) => {
  for (const { journal } of service.tasks.values()) {
    const kept = journal.filter((params) => !JSON.stringify(params).includes("user_message_chunk"))
    journal.splice(0, journal.length, ...kept)
  }
}

describe.concurrent("a replay without user messages", () => {
  it(
    "shows the answer to a first prompt that the service ran at once, and sends nothing",
    () =>
      withStack(echo, async (stack) => {
        const { service, shows, start } = stack
        service.state.runAtOnce = async (turn) => {
          omitUserMessages(stack)
          return echo(turn)
        }
        const thread = await start("go")
        await shows(thread, /answer to go[^]*done ·/, patience)
        assert.deepEqual(service.prompts, ["go"])
      }),
    120_000
  )

  it("shows the answer to a message that ran during a restart, and sends nothing", () => {
    let go = () => {}
    const waiting: Script = async (turn) => {
      if (turn.text === "two") await new Promise<void>((resolve) => (go = resolve))
      return echo(turn)
    }
    return withStack(waiting, async (stack) => {
      const { service, shows, start, startBot, stopBot, you } = stack
      const thread = await start("go")
      await shows(thread, /answer to go[^]*done ·/, patience)
      await you.send(thread, "two")
      while (!service.prompts.includes("two")) await new Promise((resolve) => setTimeout(resolve, 20))
      await stopBot()
      omitUserMessages(stack)
      go()
      await startBot()
      const transcript = await shows(thread, /answer to two[^]*done ·/, patience)
      assert.strictEqual(transcript.match(/answer to two/g)?.length, 1)
      assert.deepEqual(service.prompts, ["go", "two"])
    })
  }, 120_000)

  it(
    "leaves a message to its author that may have been sent and has no answer",
    () =>
      withStack(echo, async (stack) => {
        const { service, shows, start, startBot, stopBot, you } = stack
        const thread = await start("go")
        await shows(thread, /answer to go[^]*done ·/, patience)
        omitUserMessages(stack)
        const lost = new Promise<void>((resolve) => {
          service.state.losePrompt = () => {
            service.state.down = true
            resolve()
          }
        })
        await you.send(thread, "two")
        await lost
        await stopBot()
        service.state.down = false
        await startBot()
        await shows(thread, /It is not known whether the agent got this message/, patience)
        assert.deepEqual(service.prompts, ["go"])
        await you.send(thread, "two")
        await shows(thread, /answer to two[^]*done ·/, patience)
        assert.deepEqual(service.prompts, ["go", "two"])
      }),
    120_000
  )

  it(
    "leaves a message to its author whose connection broke",
    () =>
      withStack(echo, async (stack) => {
        const { service, shows, start, you } = stack
        const thread = await start("go")
        await shows(thread, /answer to go[^]*done ·/, patience)
        omitUserMessages(stack)
        const lost = new Promise<void>((resolve) => (service.state.losePrompt = resolve))
        await you.send(thread, "two")
        await lost
        await shows(thread, /It is not known whether the agent got this message/, patience)
        assert.deepEqual(service.prompts, ["go"])
      }),
    120_000
  )
})
