import { assert, describe, it } from "@effect/vitest"
import { chinese } from "@heddle/bot/messages/Translations"
import { withStack } from "../support/Stack.ts"

describe("/credit", () => {
  it(
    "shows the remaining credits with a bar, and hints once in private when a fifth is left",
    () =>
      withStack(
        async (turn) => {
          turn.say("worked")
          return { stopReason: "end_turn", usage: { totalTokens: 1234, inputTokens: 1000, outputTokens: 234 } }
        },
        async ({ emulator, service, shows, start, you }) => {
          const credit = async () =>
            (await (await you.command(emulator.channelId, "credit")).settled()).embeds[0]?.description ?? ""
          assert.match(await credit(), /^`█████░{15}` 25 % used\n\*\*750\*\* left · 250 of 1,000 used$/)

          const direct: Array<string> = []
          emulator.on((event) => {
            if (event.type !== "message_create" || event.message.author.bot !== true) return
            if (/running low|积分不多了/.test(event.message.content)) direct.push(event.channelId)
          })
          service.state.creditsUsed = 800
          const thread = await start("one")
          const transcript = await shows(thread, /done · [\d.]+ s · 1,234 tokens/)
          await emulator.waitFor(() => direct.length > 0, { what: "a direct message" })
          await you.send(thread, "two")
          await shows(thread, /1,234 tokens[^]*1,234 tokens/)
          assert.match(await credit(), /80 % used[^]*⚠️ A fifth or less is left/)
          const everybody = emulator.transcript(emulator.channelId) + transcript
          assert.lengthOf(direct, 1)
          assert.notMatch(everybody, /running low/)

          // From now on in the language of the person, whatever the server's is.
          service.state.creditsUsed = 0
          you.speak("zh-CN")
          await credit()
          service.state.creditsUsed = 999
          await you.send(thread, "three")
          await emulator.waitFor(() => direct.length > 1, { what: "a direct message after there was more in between" })
          assert.match(emulator.messages(direct[1]!).at(-1)?.content ?? "", /积分不多了/)
          await you.direct("hello")
          await emulator.waitFor((e) => e.messages(direct[1]!).at(-1)?.content === chinese.onlyInServers, {
            what: "an answer in Chinese"
          })
          assert.isTrue(direct.every((channel) => channel !== thread && channel !== emulator.channelId))
        }
      ),
    60_000
  )
})
