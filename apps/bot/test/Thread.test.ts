import { assert, describe, it } from "@effect/vitest"
import { buttonsOf, withStack } from "./support/Stack.ts"

const write = { toolCallId: "t1", title: "Write report.md", kind: "edit" }

describe.concurrent("a thread", () => {
  it("shows a permission request, accepts only the owner's answer, and shows the outcome", () =>
    withStack(
      async (turn) => {
        turn.say("Let me write.")
        turn.update({ sessionUpdate: "tool_call", ...write, status: "pending" })
        const choice = await turn.ask({
          ...write,
          content: [{ type: "diff", path: "report.md", oldText: "a\nb", newText: "a\nc" }]
        })
        turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
        turn.say(`You chose ${choice}.`)
        return "end_turn"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("write it")
        await shows(thread, /Permission needed: Write report\.md/)
        const card = emulator.messages(thread).find((message) => JSON.stringify(message.embeds).includes("Permission"))!
        assert.include(card.embeds[0]!.description, "+c")
        const buttons = buttonsOf(card)
        assert.deepEqual(
          buttons.map((each) => each.label),
          ["Allow once", "Reject"]
        )
        const foreign = await emulator.user("Sam").press(thread, card.id, buttons[0]!.custom_id)
        assert.strictEqual(foreign.type, "deferred")
        const told = await emulator.waitFor(() => emulator.user("Sam").ephemerals(thread)[0], { what: "words for Sam" })
        assert.include(told.content, "Only")
        await you.press(thread, card.id, buttons[0]!.custom_id)
        await shows(thread, /You chose allow\./)
        const transcript = await shows(thread, /done ·/)
        assert.match(transcript, /Allowed: Write report\.md/)
        assert.match(transcript, /✅ Write report/)
      }
    ))

  it("closes an unanswered permission card when the person stops the turn", () =>
    withStack(
      async (turn) => {
        turn.update({ sessionUpdate: "tool_call", ...write, status: "pending" })
        const choice = await turn.ask(write)
        turn.say(`choice: ${choice}`)
        return "cancelled"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("write it")
        await shows(thread, /Permission needed/)
        const status = await (await you.command(thread, "task status")).settled()
        assert.match(status.content, /is \*pending\*/)
        assert.match(
          status.content,
          /waits for <@\d+> to press a button above in this thread: \*\*Write report\.md\*\*/
        )
        await you.send(thread, "Stop")
        const transcript = await shows(thread, /stopped ·/)
        assert.match(transcript, /No longer open: Write report\.md\n.*A stop was requested before this was answered/)
        assert.match(transcript, /✖ Write report/)
        assert.notMatch(transcript, /Permission needed/)
        await emulator.quiet(thread, 200)
        await you.send(thread, "stop")
        await shows(thread, /Nothing is running/)
        assert.strictEqual(emulator.threads().length, 1)
      }
    ))

  it("says that it is too late to stop an answer that is only being posted", () =>
    withStack(
      async (turn) => {
        turn.say("word ".repeat(1200))
        return "end_turn"
      },
      async ({ emulator, shows, start, you }) => {
        emulator.fault({ method: "POST", route: /^\/channels\/\d+\/messages$/, delayMs: 700 })
        const thread = await start("tell me a lot")
        await shows(thread, /word word/)
        await you.send(thread, "stop")
        await shows(thread, /no longer at work; if much of its answer is still to be posted, that comes as a file/)
        await shows(thread, /done ·/)
      }
    ))

  it.skipIf(process.env["HEDDLE_ROUNDS"] === undefined)("does not wait for an agent that ignores a stop", () =>
    withStack(
      async (turn) => {
        turn.say(`I hear nothing of ${turn.text}.`)
        await new Promise(() => {})
        return "end_turn"
      },
      async ({ service, shows, start, startBot, stopBot, you }) => {
        const own = await start("stopping")
        await shows(own, /I hear nothing of stopping/)
        await you.send(own, "stop")
        await shows(own, /stopped ·/, 20_000)
        const followed = await start("following")
        await shows(followed, /I hear nothing of following/)
        await stopBot()
        await startBot()
        await you.send(followed, "stop")
        await shows(followed, /stopped ·/, 20_000)
        assert.strictEqual(service.prompts.length, 2)
      }
    )
  )

  it("shows a followed turn as stopped when the person stops it", () =>
    withStack(
      async () => "end_turn",
      async ({ service, shows, start, you }) => {
        service.state.runAtOnce = async (turn) => {
          turn.say("I began by myself.")
          await turn.cancelled
          return "cancelled"
        }
        const thread = await start("go")
        await shows(thread, /I began by myself/)
        await you.send(thread, "stop")
        const transcript = await shows(thread, /stopped ·/)
        assert.notMatch(transcript, /done ·/)
      }
    ))

  it("tells another person once that the task belongs to someone else", () =>
    withStack(
      async () => "end_turn",
      async ({ emulator, service, shows, start }) => {
        const thread = await start("mine")
        await shows(thread, /done ·/)
        await emulator.user("Sam").send(thread, "hello?")
        await shows(thread, /belongs to/)
        await emulator.user("Sam").send(thread, "hello??")
        await emulator.quiet(thread, 300)
        assert.strictEqual(emulator.transcript(thread).match(/belongs to/g)?.length, 1)
        assert.deepEqual(service.prompts, ["mine"])
      }
    ))

  it("passes files to the agent", () =>
    withStack(
      async (turn) => {
        const resource = turn.blocks.find((block) => block.type === "resource")?.resource
        turn.say(`${turn.text} / ${resource?.uri} / ${resource?.text ?? resource?.blob}`)
        return "end_turn"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("look", {
          file: { name: "data.csv", data: new TextEncoder().encode("a,b\n1,2"), contentType: "text/csv" }
        })
        assert.match(emulator.transcript(thread), /started a task.*\n.*📎 data\.csv/)
        await shows(thread, /look \/ attachment:\/\/\/data\.csv \/ a,b/)
        await you.send(thread, "bytes", [
          { name: "x.bin", data: new Uint8Array([0, 1, 2]), contentType: "application/octet-stream" }
        ])
        await shows(thread, /bytes \/ attachment:\/\/\/x\.bin \/ AAEC/)
        await you.send(thread, "", [
          { name: "message.txt", data: new TextEncoder().encode("a long pasted text"), contentType: "text/plain" }
        ])
        await shows(thread, /a long pasted text \/ undefined/)
        assert.strictEqual(emulator.threads().length, 1)
      }
    ))

  it("explains unsupported content, and refuses too many files", () =>
    withStack(
      async (turn) => {
        turn.say(turn.blocks.map((block) => `${block.type} ${block.text ?? block.mimeType}`).join(" / "))
        return "end_turn"
      },
      async ({ emulator, service, shows, start, you }) => {
        service.state.promptCapabilities = { image: true }
        const thread = await start("look")
        await shows(thread, /done ·/)
        const file = (name: string, text: string, contentType: string) => ({
          name,
          data: new TextEncoder().encode(text),
          contentType
        })
        await you.send(thread, "at these", [
          file("a.csv", "a,b", "text/csv"),
          { name: "x.bin", data: new Uint8Array([0, 1]), contentType: "application/octet-stream" },
          { name: "p.png", data: new Uint8Array([0, 1, 2]), contentType: "image/png" }
        ])
        await shows(thread, /at these[^]*The attached file "a\.csv":[^]*a,b[^]*"x\.bin" \(application.*2 B\)/)
        await shows(thread, /image image\/png/)
        await shows(thread, /does not take files of this kind.*x\.bin/)
        const large = { name: "large.bin", data: new Uint8Array(9 * 1024 * 1024), contentType: "application/zip" }
        await you.send(thread, "all of it", [large, large, large])
        await shows(thread, /large\.bin.* your message has 28 MB of files/)
        assert.strictEqual(service.prompts.length, 2)
        assert.strictEqual(emulator.threads().length, 1)
      }
    ))

  it("keeps a task that the service already works on, and follows it", () =>
    withStack(
      async () => "end_turn",
      async ({ service, shows, start }) => {
        service.state.runAtOnce = async (turn) => {
          turn.say("I began by myself.")
          await new Promise((resolve) => setTimeout(resolve, 300))
          turn.say(" Finished.")
          return "end_turn"
        }
        const thread = await start("go")
        await shows(thread, /I began by myself\. Finished\./)
        await shows(thread, /done ·/)
        assert.deepEqual(service.prompts, ["go"])
      }
    ))
})
