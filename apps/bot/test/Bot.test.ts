import { assert, describe, it } from "@effect/vitest"
import { confirm, startStack } from "./support/Stack.ts"

describe("Bot", () => {
  it("asks a new person to connect, then starts the task and streams the answer", async () => {
    const stack = await startStack(async (turn) => {
      turn.say("You said: ")
      turn.say(turn.text)
      return "end_turn"
    })
    try {
      const { emulator, you } = stack
      const asked = await you.command(emulator.channelId, "task new", { prompt: "hello there" })
      const message = await asked.settled()
      assert.include(message.content, "Connect your account")
      assert.include((await confirm(emulator, message)).content, "Your account is connected")
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      await stack.shows(thread.id, /You said: hello there/)
      await stack.shows(thread.id, /done ·/)
      const [reply] = you.ephemerals(emulator.channelId).slice(-1)
      await emulator.waitFor(
        () => you.ephemerals(emulator.channelId).some((each) => each.content.includes(`<#${thread.id}>`)),
        {
          what: "the link to the thread"
        }
      )
      assert.isDefined(reply)
      await you.send(thread.id, "and now?")
      await stack.shows(thread.id, /You said: and now\?/)
      assert.deepEqual(stack.service.prompts, ["hello there", "and now?"])
    } finally {
      await stack.close()
    }
  })
})
