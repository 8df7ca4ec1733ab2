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
