import { assert, describe, it } from "@effect/vitest"
import { commands } from "@heddle/bot/commands/Commands"
import { withStack } from "./support/Stack.ts"

const asks = async (turn: { readonly text: string; readonly say: (text: string) => void }) => {
  turn.say(`answer to ${turn.text}`)
  return "end_turn"
}

describe("the language of the bot", () => {
  it("is the server's in public and the person's in private, with command mentions", () =>
    withStack(
      asks,
      async ({ bot, emulator, service, shows, start, you }) => {
        const page = await fetch(bot.callback, { headers: { "accept-language": "zh-CN,zh;q=0.9" } })
        assert.match(await page.text(), /<html lang="zh-CN">[^]*请在 Discord 中用 \/connect 获取新链接。/)

        const mine = await (await you.command(emulator.channelId, "task status")).settled()
        assert.match(mine.content, /这个子区里没有任务[^]*<\/task list:\d+>/)
        const theirs = await (await emulator.user("Sam").command(emulator.channelId, "task list")).settled()
        assert.match(theirs.content, /Your account is not connected\. <\/connect:\d+>/)

        const thread = await start("数一数")
        await shows(thread, /-# 完成 · [\d.]+ 秒/)
        assert.match(emulator.transcript(emulator.channelId), /发起了任务/)
        const told = await emulator.waitFor(() => you.ephemerals().find(({ content }) => content.includes(thread)), {
          what: "the private answer"
        })
        assert.match(told.content, /你的任务正在/)

        const sam = emulator.user("Sam")
        await sam.send(thread, "me too")
        await shows(thread, /这个任务属于/)

        service.tasks.clear()
        await you.send(thread, "还有吗")
        const transcript = await shows(thread, /这次没有成功[^]*已经找不到这个任务，无法继续。[^]*<\/task new:\d+>/)
        assert.notMatch(transcript, /Nothing|This did not work/)
      },
      { emulator: { guildLocale: "zh-CN", locales: { You: "zh-CN" } } }
    ))
})

describe("the first contact", () => {
  it("explains itself by topic in private, and lists every command", () =>
    withStack(asks, async ({ emulator, you }) => {
      const asked = await you.command(emulator.channelId, "help", { topic: "account" })
      const message = await asked.settled()
      assert.match(message.embeds[0]?.description ?? "", /<\/connect:\d+> connects your account/)
      await you.select(emulator.channelId, message.id, "h1:topic", ["commands"])
      const all = await emulator.waitFor(
        () =>
          you.ephemerals().find(({ embeds, id }) => id === message.id && /All commands/.test(embeds[0]?.title ?? "")),
        { what: "the list of commands" }
      )
      for (const { path } of commands) assert.match(all.embeds[0]?.description ?? "", new RegExp(`</${path}:\\d+>`))
      assert.deepEqual(emulator.messages(emulator.channelId), [])
    }))

  it("introduces itself in a channel only when an admin asks for it", () =>
    withStack(
      asks,
      async ({ emulator, you }) => {
        // Discord does not even show it to others.
        const refused = await emulator
          .user("Sam")
          .command(emulator.channelId, "settings welcome")
          .catch((error: unknown) => String(error))
        assert.match(String(refused), /no command \/settings/)
        assert.deepEqual(emulator.messages(emulator.channelId), [])
        const asked = await (await you.command(emulator.channelId, "settings welcome")).settled()
        assert.include(asked.content, `<#${emulator.channelId}>`)
        const [said, ...more] = emulator.messages(emulator.channelId)
        assert.match(said?.content ?? "", /大家好[^]*<\/task new:\d+>[^]*请提到我或回复我/)
        assert.deepEqual(more, [])
      },
      { emulator: { guildLocale: "zh-CN", refusedIntents: 1 << 15 } }
    ))

  it("without the message content intent, explains mentions and replies and answers both", () =>
    withStack(
      asks,
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /I only see messages that mention me[^]*answer to one[^]*done ·/)
        await you.send(thread, "unseen")
        await you.send(thread, "unseen too")
        await shows(thread, /I cannot see what this message says/)
        await you.send(thread, `<@${emulator.applicationId}> two`)
        await shows(thread, /answer to two[^]*done ·/)
        const answer = emulator.messages(thread).findLast(({ content }) => content.includes("answer to two"))!
        await you.send(thread, "three", [], { replyTo: answer.id })
        const transcript = await shows(thread, /answer to three[^]*done ·/)
        assert.deepEqual(service.prompts, ["one", "two", "three"])
        assert.strictEqual(transcript.match(/I cannot see/g)?.length, 1)
      },
      { emulator: { refusedIntents: 1 << 15 } }
    ))
})
