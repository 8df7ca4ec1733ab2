import { assert, describe, it } from "@effect/vitest"
import { among, startedByMention } from "../support/People.ts"
import { setRule } from "../support/Settings.ts"
import { buttonsOf } from "../support/Stack.ts"

describe("the settings of a server", () => {
  it("and shares appear on the card, apply at once, and stay in the audit log over a restart", () => {
    let go = () => {}
    return among(
      async ({ emulator, service, shows, startBot, stopBot }, { Admin: admin, Friend: friend, Owner: owner }) => {
        const thread = await startedByMention({ emulator, service } as never, owner, "work")
        const card = () => emulator.messages(thread).find(({ content }) => /account|账号/.test(content))?.content ?? ""
        const says = (words: string) =>
          emulator.waitFor(() => card().includes(words), { what: `${words} on the card, which says ${card()}` })
        await says(
          `Runs on the account of <@${owner.id}>, which is charged. It works only while <@${owner.id}> is in this server. Only <@${owner.id}> may write to it`
        )

        // What waits follows its author's edits only while they may write.
        const told = await (await owner.command(thread, "task share", { member: "Friend" })).settled()
        assert.match(told.content, new RegExp(`<@${friend.id}> may now write to this task.*Your account is charged`))
        await shows(thread, new RegExp(`<@${friend.id}> may now write to this task and stop its answers`))
        await says(`<@${owner.id}>, <@${friend.id}> may write to it while they are in this server.`)
        const kept = await friend.send(thread, "first words")
        const gone = await friend.send(thread, "to be deleted")
        await shows(thread, /1\. .*first words[^]*2\. .*to be deleted/)
        await friend.edit(thread, kept.id, "second words")
        await shows(thread, /1\. .*second words/)
        await (await owner.command(thread, "task unshare", { member: "Friend" })).settled()
        await says(`Only <@${owner.id}> may write to it`)
        await friend.edit(thread, kept.id, "third words")
        await friend.delete(thread, gone.id)
        await friend.send(thread, "not any more")
        await owner.send(thread, "last words")
        await shows(thread, /1\. .*second words\n[^]*2\. .*last words/)
        go()
        // A waiting message whose author may not write any more is reported and skipped; the queue continues.
        await emulator.waitFor(() => service.prompts.at(-1)?.includes("last words"), { what: "last words" })
        await shows(thread, new RegExp(`<@${friend.id}>, this message was not given to the agent.*belongs to`))
        const stopping = await (await owner.command(thread, "task stop")).settled()
        assert.strictEqual(stopping.content, "The agent is asked to stop. Its answer says when it has.")
        go()
        await shows(thread, /(done|stopped) ·[^]*(done|stopped) ·/)
        assert.strictEqual(service.prompts.length, 2)

        await setRule(emulator, admin, "allow", "reply", undefined, emulator.channelId)
        await says("By the settings of this server, everyone here may write to it.")
        await (await admin.command(emulator.channelId, "settings language", { language: "zh-CN" })).settled()
        await says("根据本服务器的设置，这里的所有人都可以回复它。")
        await (await admin.command(emulator.channelId, "settings language", { language: "discord" })).settled()
        await setRule(emulator, admin, "remove", "reply", undefined, emulator.channelId)
        await says(`Only <@${owner.id}> may write to it`)
        await owner.send(thread, "stop")
        await shows(thread, /Nothing is running here/)
        const idle = await (await owner.command(thread, "task stop")).settled()
        assert.strictEqual(idle.content, "Nothing is running here.")
        await (await admin.command(emulator.channelId, "settings welcome")).settled()
        for (let n = 0; n < 4; n++) {
          await (await admin.command(emulator.channelId, "settings language", { language: "en-US" })).settled()
        }

        const asked = await (await admin.command(emulator.channelId, "settings audit")).settled()
        const page = () => admin.ephemerals(emulator.channelId).find(({ id }) => id === asked.id)!
        assert.strictEqual(page().embeds[0]?.footer?.text, "Page 1 of 2 · 13 in all")
        assert.strictEqual(page().embeds[0]?.description?.split("\n").length, 12)
        await stopBot()
        await startBot()
        await admin.press(emulator.channelId, asked.id, buttonsOf(page())[0]!.custom_id)
        await emulator.waitFor(() => page().embeds[0]?.footer?.text.startsWith("Page 2"), { what: "another page" })
        assert.match(
          page().embeds[0]?.description ?? "",
          new RegExp(`^<t:\\d+:d> <t:\\d+:t> <@${owner.id}> started \\*\\*work\\*\\* · <#${thread}>$`)
        )
        await admin.press(emulator.channelId, asked.id, buttonsOf(page())[0]!.custom_id)
        await emulator.waitFor(() => page().embeds[0]?.footer?.text.startsWith("Page 1"), { what: "the first page" })
        const lines = page().embeds[0]?.description ?? ""
        for (const entry of [
          `<@${owner.id}> let <@${friend.id}> write to this task and stop its answers · <#${thread}>`,
          `<@${owner.id}> no longer lets <@${friend.id}> use the task`,
          `<@${admin.id}> allowed: everyone · write to tasks · <#${emulator.channelId}>`,
          `<@${admin.id}> removed the rule: everyone`,
          `<@${admin.id}> chose the language: Simplified Chinese`,
          `<@${admin.id}> had me introduce myself in <#${emulator.channelId}>`,
          `<@${owner.id}> stopped **work**`
        ]) {
          assert.include(lines, entry)
        }
        assert.strictEqual(
          lines.split("stopped **work**").length,
          2,
          "told once: where nothing ran, nothing was stopped"
        )
        const shown = await (await admin.command(emulator.channelId, "settings show")).settled()
        assert.match(shown.embeds[0]?.description ?? "", /There are no rules[^]*Everyone may start tasks/)
      },
      async (turn) => {
        turn.say(`On it: ${turn.text.slice(-5)}.`)
        await new Promise<void>((resolve) => (go = resolve))
        return "end_turn"
      }
    )
  }, 60_000)
})
