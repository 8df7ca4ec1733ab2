import { assert, describe, it } from "@effect/vitest"
import { withStack } from "./support/Stack.ts"

let release = () => {}

describe("the output in a thread", () => {
  it("says that a working agent is silent, until it says something", () =>
    withStack(
      async (turn) => {
        turn.say("Looking. ")
        await new Promise<void>((resolve) => (release = resolve))
        turn.say("Found.")
        return "end_turn"
      },
      async ({ emulator, shows, start }) => {
        const thread = await start("look")
        await shows(thread, /Looking[^]*The agent has said nothing for 1 second/)
        release()
        await shows(thread, /Found\.[^]*done/)
        await emulator.waitFor((e) => !/said nothing/.test(e.transcript(thread)), { what: "no notice of silence" })
      },
      { agentSilenceMs: 1000 }
    ))

  it("shows plan, tasks, picture and summary as one card each", () =>
    withStack(
      async (turn) => {
        const times = { createdAt: Date.now(), updatedAt: Date.now() }
        turn.artifact("created", {
          type: "plan",
          uri: "agent:///artifacts/plan",
          title: "Plan",
          text: "1. look",
          version: 1,
          ...times
        })
        const tasks = (status: string, updatedAt: number) => ({
          type: "tasks",
          uri: "agent:///artifacts/tasks",
          title: "Tasks",
          tasks: [
            { id: "1", content: "look", status, order: 1 },
            { id: "2", content: "tell", status: "pending", order: 2 }
          ],
          createdAt: times.createdAt,
          updatedAt
        })
        turn.artifact("created", tasks("in_progress", times.updatedAt))
        turn.say("I looked.")
        turn.artifact("updated", tasks("completed", times.updatedAt + 1))
        for (const name of ["chart.png", "copy.png"]) {
          turn.artifact("created", {
            type: "media",
            uri: `agent:///artifacts/${name}`,
            name,
            title: name,
            mimeType: "image/png",
            contentType: "image",
            size: 4,
            ...times
          })
        }
        turn.artifact("created", {
          type: "overview",
          uri: "agent:///artifacts/overview",
          title: "Summary",
          text: "All is well.",
          ...times
        })
        return { stopReason: "end_turn", usage: { totalTokens: 1234, inputTokens: 1000, outputTokens: 234 } }
      },
      async ({ emulator, service, shows, start }) => {
        for (const name of ["chart.png", "copy.png"])
          service.files.set(`agent:///artifacts/${name}`, new Uint8Array([1, 2, 3, 4]))
        const thread = await start("draw")
        const transcript = await shows(thread, /1,234 tokens/)
        assert.match(transcript, /1\. look/)
        assert.match(transcript, /1 of 2 done[^]*✅ look — \*done\*\n[^]*⬜ tell — \*to do\*/)
        assert.match(transcript, /All is well/)
        assert.match(transcript, /the same content as/)
        const embeds = emulator.messages(thread).flatMap((message) => message.embeds)
        assert.deepEqual(
          embeds.map((embed) => embed.title),
          ["📋 Plan", "☑️ Tasks", "🖼️ chart.png", "🏁 Summary"]
        )
        const picture = emulator.messages(thread).find((message) => message.embeds[0]?.title === "🖼️ chart.png")!
        const url = picture.attachments[0]?.url ?? picture.embeds[0]!.image!.url
        assert.deepEqual([...new Uint8Array(await (await fetch(url)).arrayBuffer())], [1, 2, 3, 4])
      }
    ))

  it("splits a long answer and keeps its code blocks whole", () => {
    const answer = `Here:\n\`\`\`js\n${Array.from({ length: 400 }, (_, line) => `const line${line} = ${line}`).join("\n")}\n\`\`\`\nThat was it.`
    return withStack(
      async (turn) => {
        for (let at = 0; at < answer.length; at += 37) turn.say(answer.slice(at, at + 37))
        return "end_turn"
      },
      async ({ emulator, shows, start }) => {
        const thread = await start("code")
        await shows(thread, /done ·/)
        const pages = emulator
          .messages(thread)
          .map((message) => message.content)
          .filter((content) => content.includes("const line") || content.includes("That was it."))
        assert.isAbove(pages.length, 2)
        for (const page of pages) {
          assert.isAtMost(page.length, 2000)
          assert.strictEqual((page.match(/```/g) ?? []).length % 2, 0)
        }
        assert.strictEqual(pages.join("\n").match(/const line\d+/g)?.length, 400)
      }
    )
  })

  it("shows entries with repeated ids, and late output, once", () => {
    let count = 0
    let sayLate = (_words: string): void => undefined
    return withStack(
      async (turn) => {
        count++
        const say = (text: string) =>
          turn.update({ sessionUpdate: "agent_message_chunk", messageId: "m1", content: { type: "text", text } })
        sayLate = say
        say(`Answer ${count}`)
        turn.update({ sessionUpdate: "tool_call", toolCallId: "tool", title: `Step ${count}`, status: "completed" })
        if (turn.text === "hold") await new Promise<void>((resolve) => (release = resolve))
        say(".")
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot, you }) => {
        const thread = await start("go")
        await shows(thread, /done ·/)
        await you.send(thread, "second")
        await shows(thread, /Answer 2\.[^]*Step 2[^]*done ·/)
        sayLate(" And this.")
        await you.send(thread, "hold")
        await shows(thread, /And this\.[^]*Answer 3[^]*Step 3/)
        await stopBot()
        await startBot()
        release()
        await shows(thread, /Answer 3\.[^]*done ·[^]*$/)
        await you.send(thread, "last")
        await shows(thread, /Answer 4\.[^]*Step 4[^]*done ·/)
        const said = emulator.messages(thread).map(({ content }) => content)
        const parts = said.filter((content) => /^(Answer|And|-# ✅)/.test(content.trim()))
        assert.deepStrictEqual(
          parts.map((content) => content.trim()),
          [
            "Answer 1.",
            "-# ✅ Step 1",
            "Answer 2.",
            "-# ✅ Step 2",
            "And this.",
            "Answer 3.",
            "-# ✅ Step 3",
            "Answer 4.",
            "-# ✅ Step 4"
          ]
        )
      }
    )
  }, 60_000)

  it("shows late output soon, below the answer and once, also after a restart", () => {
    let update: (update: object) => void = () => {}
    return withStack(
      async (turn) => {
        turn.say(`Answer to ${turn.text}.`)
        update = turn.update
        return "end_turn"
      },
      async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
        const thread = await start("one")
        await shows(thread, /done ·/)
        const word = (text: string) => ({
          sessionUpdate: "agent_message_chunk",
          messageId: "late",
          content: { type: "text", text }
        })
        update(word("I forgot"))
        await shows(thread, /done ·[^]*I forgot/)
        update(word(" this."))
        await shows(thread, /I forgot this\./)
        await you.send(thread, "two")
        await shows(thread, /Answer to two\.[^]*done ·/)
        update(word("Back to one:"))
        await shows(thread, /Back to one:/)
        await stopBot()
        const task = [...service.tasks.values()][0]!
        task.journal.push({ sessionId: task.id, update: word(" it holds.") })
        await startBot()
        await shows(thread, /it holds\./, 20_000)
        await you.send(thread, "three")
        await shows(thread, /Answer to three\.[^]*done ·/)
        const said = emulator
          .transcript(thread)
          .split("\n")
          .map((line) => (/^Bot \[bot\][^:]*: (.*)$/.exec(line)?.[1] ?? line).trim())
          .filter((line) => /^(Answer|I forgot|Back|it holds|-# done)/.test(line))
          .map((line) => line.replace(/ ·.*/, ""))
        assert.deepEqual(said, [
          "Answer to one.",
          "-# done",
          "I forgot this.",
          "Answer to two.",
          "-# done",
          "Back to one: it holds.",
          "Answer to three.",
          "-# done"
        ])
      }
    )
  }, 60_000)
})
