import { assert, describe, it } from "@effect/vitest"
import { type Stack, withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

const important = "my important message"
const file = { name: "a.txt", data: Buffer.from("x".repeat(5000)), contentType: "text/plain" }

/** Says something whose file comes so slowly that the bot has not given it to the agent yet. */
const held = async ({ emulator, you }: Stack, thread: string) => {
  let asked = 0
  const any = /./
  any.test = () => ++asked > 0
  const free = emulator.fault({ file: any, delayMs: 2500 })
  await you.send(thread, important, [file])
  await emulator.waitFor(() => asked > 0, { what: "the file is fetched" })
  return free
}

const isAnswered = async ({ service, shows }: Stack, thread: string) => {
  const transcript = await shows(thread, new RegExp(`answer to ${important}[^]*done ·`), 60_000)
  assert.deepEqual(service.prompts, ["go", important])
  assert.notMatch(transcript, /theirs/)
  assert.strictEqual(transcript.split("answer to").length - 1, 2, transcript)
}

describe.concurrent("another client's prompt before a message reaches the agent", () => {
  it(
    "is not mistaken for the message, and its answer is not shown",
    () =>
      withStack(echo, async (stack) => {
        const { service, shows, start } = stack
        const thread = await start("go")
        await shows(thread, /done ·/, 60_000)
        const free = await held(stack, thread)
        service.elsewhere("written elsewhere", "theirs")
        service.cutStreams()
        service.elsewhere("written again", "theirs")
        free()
        await isAnswered(stack, thread)
      }),
    120_000
  )

  it(
    "is not mistaken for it after a restart of the bot",
    () =>
      withStack(echo, async (stack) => {
        const { service, shows, start, startBot, stopBot } = stack
        const thread = await start("go")
        await shows(thread, /done ·/, 60_000)
        const free = await held(stack, thread)
        await stopBot()
        free()
        service.elsewhere("written elsewhere", "theirs")
        await startBot()
        await isAnswered(stack, thread)
      }),
    120_000
  )

  it.each([false, true])(
    "is not mistaken for it when the message was lost, which is told as unknown; with another start: %s",
    (restart) =>
      withStack(echo, async (stack) => {
        const { emulator, service, shows, start, startBot, stopBot, you } = stack
        const thread = await start("go")
        await shows(thread, /done ·/, 60_000)
        let lost = false
        service.state.losePrompt = () => {
          lost = true
          service.elsewhere("written elsewhere", "theirs")
          service.state.down = restart
        }
        await you.send(thread, important)
        await emulator.waitFor(() => lost, { what: "a lost prompt" })
        if (restart) {
          await stopBot()
          service.state.down = false
          await startBot()
        }
        const transcript = await shows(thread, /not known whether the agent got this message/, 60_000)
        assert.notMatch(transcript, /theirs[^]*done ·/)
        assert.notInclude(service.prompts, important)
      }),
    120_000
  )
})
