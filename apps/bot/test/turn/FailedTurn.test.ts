import { scriptedAgent } from "@heddle/test-support/Agents"
import { assert, describe, it } from "@effect/vitest"
import { withRealStack } from "../support/RealStack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

describe("a turn that fails after it said something", () => {
  it(
    "does not say that its work is charged, which the service decides",
    () =>
      withRealStack(async ({ emulator, firstThread, link, you }) => {
        const prompt = "echo first words\nfail the model is overloaded"
        await link(await (await you.command(emulator.channelId, "task new", { prompt })).settled())
        const { shows } = await firstThread(20_000)
        const transcript = await shows(/first words[^]*This did not work[^]*overloaded/)
        assert.match(transcript, /What was done before is shown above\. <\/credit:\d+> tells what it cost/)
        assert.notMatch(transcript, /charged as usual/)
      }, scripted),
    60_000
  )
})

describe("an agent that never came up", () => {
  it(
    "has the same reason at every message, as the service's own words and nothing beside it",
    () =>
      withRealStack(
        async (stack) => {
          const { emulator, firstThread, link, you } = stack
          await link(await (await you.command(emulator.channelId, "task new", { prompt: "echo hello" })).settled())
          const { shows, thread } = await firstThread(20_000)
          await shows(/asks for a sign-in[^]*start a new one/)
          await stack.restart()
          await you.send(thread.id, "echo again")
          const transcript = await shows(/echo again[^]*asks for a sign-in[^]*start a new one/)
          const later = transcript.slice(transcript.indexOf("echo again"))
          assert.match(later, /The service reported: The agent/)
          assert.notMatch(later, /The agent reported|another message here|shown above/)
        },
        { server: { agents: [{ command: [process.execPath, scriptedAgent, "auth"], isolation: "none" }] } }
      ),
    60_000
  )
})
