import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, codeOf, confirm, linkOf, withStack } from "./support/Stack.ts"
import { echo } from "./support/Agents.ts"

const write = { toolCallId: "t1", title: "Write report.md", kind: "edit" }

describe.concurrent("a restarted bot", () => {
  it("continues the running turn in the same messages", () => {
    let go = () => {}
    return withStack(
      async (turn) => {
        turn.say("First half,")
        turn.update({ sessionUpdate: "tool_call", toolCallId: "t9", title: "Read data.csv", status: "in_progress" })
        await new Promise<void>((resolve) => {
          go = resolve
        })
        turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t9", status: "completed" })
        turn.say("second half.")
        return "end_turn"
      },
      async ({ emulator, service, shows, start, startBot, stopBot }) => {
        const thread = await start("go")
        await shows(thread, /▸ Read data/)
        const before = emulator.messages(thread).map((message) => message.id)
        await stopBot()
        go()
        await startBot()
        const transcript = await shows(thread, /done ·/)
        assert.match(transcript, /First half,[^]*✅ Read data[^]*second half\./)
        assert.deepEqual(
          emulator
            .messages(thread)
            .map((message) => message.id)
            .slice(0, before.length),
          before
        )
        for (const once of [/First half/g, /Read data/g, /second half/g, /done ·/g]) {
          assert.strictEqual(transcript.match(once)?.length, 1, String(once))
        }
        assert.deepEqual(service.prompts, ["go"])
      }
    )
  })

  for (const status of ["completed", "failed"]) {
    it(`says that a turn was cut off when the service closed it meanwhile, and is then ${status}`, () => {
      let crash = () => {}
      return withStack(
        async (turn) => {
          turn.update({ sessionUpdate: "tool_call", ...write, status: "pending" })
          const answer = turn.ask(write)
          await new Promise<void>((resolve) => {
            crash = resolve
          })
          turn.update({
            sessionUpdate: "agent_message_chunk",
            messageId: "n",
            content: { type: "text", text: "The service was interrupted." },
            _meta: { "heddle/notice": true }
          })
          void answer
          return "cancelled"
        },
        async ({ emulator, service, shows, start, startBot, stopBot }) => {
          const thread = await start("write")
          await shows(thread, /Permission needed/)
          await stopBot()
          for (const task of service.tasks.values()) task.pending.clear()
          crash()
          const tasks = [...service.tasks.values()]
          await emulator.waitFor(() => tasks.every((task) => task.status === "completed"), { what: "the end" })
          for (const task of tasks) task.status = status
          await startBot()
          const transcript = await shows(thread, /stopped before it was finished ·/)
          assert.match(transcript, /The service was interrupted\./)
          assert.match(transcript, /No longer open: Write report\.md[^]*was interrupted before this was answered/)
          assert.match(transcript, /This was the answer to: “write”/)
          assert.match(transcript, /✖ Write report/)
          assert.notMatch(transcript, /done ·|▢|▸|did not work/)
        }
      )
    })
  }

  it("reads missed messages once and in order", () =>
    withStack(echo, async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
      const thread = await start("one")
      await shows(thread, /done ·/)
      await stopBot()
      await you.send(thread, "two")
      await you.send(thread, "three")
      await startBot()
      await shows(thread, /answer to three/)
      await you.send(thread, "four")
      await shows(thread, /answer to four/)
      await stopBot()
      await startBot()
      await emulator.quiet(thread, 500)
      assert.deepEqual(service.prompts, ["one", "two", "three", "four"])
      assert.strictEqual(emulator.transcript(thread).match(/done ·/g)?.length, 4)
    }))

  it("keeps a permission request with working buttons", () =>
    withStack(
      async (turn) => {
        turn.update({ sessionUpdate: "tool_call", ...write, status: "pending" })
        turn.say(`You chose ${await turn.ask(write)}.`)
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot, you }) => {
        const thread = await start("write")
        await shows(thread, /Permission needed/)
        const card = emulator.messages(thread).find((message) => buttonsOf(message).length > 0)!
        await stopBot()
        // Discord shows the failure to that person only. The card remains and works again.
        const missed = await you.press(thread, card.id, buttonsOf(card)[0]!.custom_id).catch((error: Error) => error)
        assert.match(String(missed), /did not respond/)
        await startBot()
        await you.press(thread, card.id, buttonsOf(card)[1]!.custom_id)
        const transcript = await shows(thread, /You chose deny\./)
        await shows(thread, /done ·/)
        assert.strictEqual(transcript.match(/Write report\.md/g)?.length, 2)
        assert.match(emulator.transcript(thread), /Not allowed: Write report\.md/)
      },
      { emulator: { interactionMs: 3000 } }
    ))

  it("starts a task that was requested before the connection", () =>
    withStack(echo, async ({ emulator, shows, startBot, stopBot }) => {
      const sam = emulator.user("Sam")
      const asked = await sam.command(emulator.channelId, "task new", { prompt: "later" })
      const message = await asked.settled()
      const url = new URL(linkOf(message))
      await stopBot()
      const bot = await startBot()
      // The port of the callback is another one after the restart; a real bot has a public address.
      const callback = new URL(bot.callback)
      callback.searchParams.set("code", "oa_code_1")
      callback.searchParams.set("state", url.searchParams.get("state")!)
      const page = async () => codeOf(await (await fetch(callback)).text())
      await confirm(emulator, message, page, sam)
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      await shows(thread.id, /answer to later/)
      const again = await fetch(callback)
      assert.strictEqual(again.status, 400)
      assert.include(await again.text(), "used before")
    }))
})
