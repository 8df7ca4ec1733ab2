import { assert, describe, it } from "@effect/vitest"
import { withStack } from "./support/Stack.ts"

const asks = async (turn: { readonly text: string; readonly say: (text: string) => void }) => {
  turn.say(`answer to ${turn.text}`)
  return "end_turn"
}

describe("the language of the bot", () => {
  it("is the server's for everybody and each person's own in private, and commands can be clicked", () =>
    withStack(
      asks,
      async ({ emulator, service, shows, start, you }) => {
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
        const transcript = await shows(thread, /这次没有成功[^]*已经不存在，无法继续。[^]*<\/task new:\d+>/)
        assert.notMatch(transcript, /Nothing|This did not work/)
      },
      { emulator: { guildLocale: "zh-CN", locales: { You: "zh-CN" } } }
    ))
})
