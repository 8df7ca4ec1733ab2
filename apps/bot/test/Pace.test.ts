import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, withStack } from "./support/Stack.ts"

const emulator = { limits: "discord" } as const

describe("under Discord's limits", () => {
  it("says the newest when Discord takes calls again, and nothing that is older", () => {
    let more = () => {}
    return withStack(
      async (turn) => {
        turn.say("one ")
        await new Promise<void>((resolve) => {
          more = resolve
        })
        for (const word of ["two ", "three ", "four ", "five"]) {
          turn.say(word)
          await new Promise((resolve) => setTimeout(resolve, 150))
        }
        return "end_turn"
      },
      async ({ emulator, shows, start }) => {
        const thread = await start("go")
        await shows(thread, /one/)
        const said: Array<string> = []
        emulator.on((event) => {
          if (event.type === "message_update" && event.channelId === thread) said.push(event.message.content)
        })
        // Discord names a second; all of the answer is said within it.
        emulator.fault({ method: "PATCH", route: new RegExp(`/channels/${thread}/messages/`), status: 429, times: 1 })
        const began = Date.now()
        more()
        await shows(thread, /one two three four five\n[^]*done ·/)
        assert.isAtLeast(Date.now() - began, 1000)
        assert.deepEqual(said, ["one two three four five"])
      },
      { emulator }
    )
  })

  it("asks while the answer grows, and completes it", () =>
    withStack(
      async (turn) => {
        const toolCall = { toolCallId: "t1", title: "Write report.md", kind: "edit" }
        for (let word = 0; word < 30; word++) {
          turn.say(`word${word} `)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        turn.update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" })
        await turn.ask(toolCall)
        turn.say("The last word.")
        return "end_turn"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("go")
        await shows(thread, /Permission needed/)
        const card = emulator.messages(thread).find((message) => buttonsOf(message).length > 0)
        await you.press(thread, card?.id ?? "", buttonsOf(card ?? {})[0]?.custom_id ?? "")
        const transcript = await shows(thread, /Allowed[^]*The last word\.[^]*done ·/, 15_000)
        assert.match(transcript, /word0 [^]*word29\n/)
      },
      { emulator }
    ))
})
