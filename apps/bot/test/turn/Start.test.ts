import { assert, describe, it } from "@effect/vitest"
import { rest } from "../support/Rest.ts"
import { confirm, press, withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

describe("a task starts", () => {
  it("by a message that mentions the bot, in a thread on that message", () =>
    withStack(echo, async ({ emulator, service, shows, you }) => {
      await you.send(emulator.channelId, "no task")
      const asked = await you.send(emulator.channelId, `<@${emulator.applicationId}> count the files`)
      await shows(asked.id, /answer to count the files[^]*done ·/)
      await you.send(asked.id, "and the folders")
      await shows(asked.id, /answer to and the folders/)
      await you.send(emulator.channelId, `<@${emulator.applicationId}>`)
      await shows(emulator.channelId, /Say what should be done in the same message/)
      const thread = emulator.threads()[0]!
      assert.deepEqual([thread.name, emulator.threads().length], ["count the files", 1])
      const sam = emulator.user("Sam")
      await sam.send(emulator.channelId, `<@${emulator.applicationId}> mine too`)
      const told = await emulator.waitFor(
        (e) => e.messages(emulator.channelId).find(({ content }) => content.includes("Connect your account first")),
        { what: "the way to connect" }
      )
      const link = await press(sam, told)
      await confirm(emulator, link, undefined, sam)
      await emulator.waitFor((e) => e.threads().length === 2, { what: "Sam's thread" })
      await shows(emulator.threads()[1]!.id, /answer to mine too/)
      assert.isUndefined(
        emulator.messages(emulator.channelId).find(({ id }) => id === told.id),
        "nothing is offered in public that is over"
      )
      assert.deepEqual(service.prompts, ["count the files", "and the folders", "mine too"])
    }))

  it("once by a mention during an absence of the bot", () =>
    withStack(echo, async ({ emulator, service, shows, startBot, stopBot, you }) => {
      const before = await you.send(emulator.channelId, `<@${emulator.applicationId}> count the files`)
      await shows(before.id, /answer to count the files[^]*done ·/)
      await stopBot()
      const asked = await you.send(emulator.channelId, `<@${emulator.applicationId}> and the folders`)
      await startBot()
      await shows(asked.id, /answer to and the folders[^]*done ·/)
      await stopBot()
      await startBot()
      await emulator.quiet(asked.id, 300)
      assert.deepEqual(service.prompts, ["count the files", "and the folders"])
      assert.strictEqual(emulator.threads().length, 2)
    }))

  it("not by direct messages, which get one hint a day in the language of the last command", () =>
    withStack(echo, async ({ emulator, service, shows, start, you }) => {
      const sam = emulator.user("Sam")
      const first = await sam.direct("and mine?")
      await shows(first.channel_id, /Tasks are started in a server/)
      you.speak("zh-CN")
      await shows(await start("count the files"), /answer to count the files[^]*done ·/)
      const asked = await you.direct("summarise my file")
      await shows(asked.channel_id, /只能在服务器里新建/)
      await you.direct("hello?")
      await emulator.quiet(asked.channel_id, 300)
      assert.strictEqual(emulator.transcript(asked.channel_id).match(/只能在服务器里新建/g)?.length, 1)
      assert.deepEqual(service.prompts, ["count the files"])
    }))

  it("by a message's menu, with the message's text", () =>
    withStack(echo, async ({ emulator, shows, you }) => {
      const sam = emulator.user("Sam")
      const words = await sam.send(emulator.channelId, "the build is red")
      // One call that fails is tried four times; then the start goes on from its row.
      emulator.fault({ method: "POST", route: /\/threads$/, status: 503, times: 4 })
      const used = await you.messageCommand(emulator.channelId, words.id, "Start a task with this message")
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      assert.strictEqual(thread.id, words.id)
      await shows(thread.id, new RegExp(`\\[Sam, Discord user ${sam.id}\\]\\s+the build is red[^]*done ·`))
      assert.include((await used.settled()).content, thread.id)
      // The message has a thread already: the next task gets one of its own.
      await you.messageCommand(emulator.channelId, words.id, "Start a task with this message")
      await emulator.waitFor((e) => e.threads().length === 2, { what: "another thread" })
    }))

  it("by a post in a forum whose guidelines mention the bot; its tags show the status", () => {
    let go = () => {}
    return withStack(
      async (turn) => {
        turn.say(`answer to ${turn.text}`)
        await new Promise<void>((resolve) => (go = resolve))
        return "end_turn"
      },
      async ({ emulator, service, shows, you }) => {
        const forum = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, {
          name: "tasks",
          type: 15,
          topic: `Every post here is a task for <@${emulator.applicationId}>.`,
          available_tags: [{ name: "urgent" }]
        })
        const other = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, { name: "talk", type: 15 })
        const talk = await you.post(other["id"], "Hello", "only talk")
        const post = await you.post(forum["id"], "Count", "count the files", {
          tags: [forum["available_tags"][0].id]
        })
        await you.send(post.id, "and the folders")
        await shows(post.id, /answer to count the files/)
        await shows(post.id, /1\. and the folders/)
        const tags = async () => {
          const { available_tags: all } = await rest(emulator, "GET", `/channels/${forum["id"]}`)
          const { applied_tags: applied } = await rest(emulator, "GET", `/channels/${post.id}`)
          return applied.map((id: string) => all.find((tag: { id: string }) => tag.id === id)?.name)
        }
        const become = async (...names: ReadonlyArray<string>) => {
          for (let tries = 0; tries < 100; tries++) {
            if (JSON.stringify(await tags()) === JSON.stringify(names)) return
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
          assert.deepEqual(await tags(), names)
        }
        await become("urgent", "working")
        go()
        await shows(post.id, /answer to and the folders/)
        go()
        await shows(post.id, /done ·[^]*done ·/)
        await become("urgent", "done")
        await you.send(talk.id, "still talking")
        await you.send(talk.id, `<@${emulator.applicationId}> sum it up`)
        await shows(talk.id, /answer to sum it up/)
        await you.send(talk.id, `<@${emulator.applicationId}> stop.`)
        await shows(talk.id, /asked to stop/)
        go()
        await shows(talk.id, /done ·|stopped ·/)
        assert.deepEqual(service.prompts, ["count the files", "and the folders", "sum it up"])
        assert.strictEqual(emulator.threads().length, 2)
      }
    )
  })
})
