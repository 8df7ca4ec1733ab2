import { assert, describe, it } from "@effect/vitest"
import * as Pages from "@heddle/bot/text/Pages"
import { buttonsOf, withStack } from "./support/Stack.ts"

const emulator = { limits: "discord" } as const

describe("under Discord's limits", () => {
  it("sends the newest text after a rate limit, and no older text", () => {
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
        assert.match(said.join("\n"), /^one two three four five\n-# done · .*$/)
      },
      { emulator }
    )
  })

  it("posts a request during an answer, then completes the answer", () =>
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

  it("sends a full page at once, before its next edit is due", async () => {
    const { full, saidFull, second } = await turnAPage("x".repeat(1700))
    assert.isBelow(full.at - saidFull, 400)
    assert.isAbove(second.at - full.at, 600)
  })

  it("sends text at once that moves from a page to the next one", async () => {
    const { full, second } = await turnAPage(`${"x".repeat(1300)}\n\n${"y".repeat(600)}`)
    assert.notInclude(full.content, "y")
    assert.include(second.content, "y")
    assert.isBelow(second.at - full.at, 400)
  })
})

interface VisiblePage {
  readonly at: number
  readonly content: string
}

/** Says a text and then words until there is a second page. Gives what its two posts showed at the page rollover, and when. */
const turnAPage = async (text: string) => {
  let full: VisiblePage = { at: 0, content: "" }
  let saidFull = 0
  let second: VisiblePage | undefined
  const isOver = () => second !== undefined
  await withStack(
    async (turn) => {
      turn.say(text)
      const until = Date.now() + 10_000
      for (let length = text.length; !isOver() && Date.now() < until; length += 5) {
        turn.say(" word")
        if (length > Pages.limit) saidFull ||= Date.now()
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      return "end_turn"
    },
    async ({ emulator, shows, start }) => {
      const thread = await start("go")
      let pages = 0
      emulator.on((event) => {
        if (event.type !== "message_create" && event.type !== "message_update") return
        const { content } = event.message
        if (event.channelId !== thread || !/xxx|yyy|word/.test(content)) return
        if (event.type === "message_create") pages++
        if (pages === 1) full = { at: Date.now(), content }
        else second ??= { at: Date.now(), content }
      })
      await shows(thread, /done ·/, 15_000)
    },
    { emulator }
  )
  if (second === undefined) throw new Error("there is no second page")
  return { full, saidFull, second }
}
