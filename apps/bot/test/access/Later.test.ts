import { assert, describe, it } from "@effect/vitest"
import { among, startedByMention } from "../support/People.ts"
import { setRule } from "../support/Settings.ts"
import { buttonsOf, confirm } from "../support/Stack.ts"

describe("a waiting message", () => {
  it("is dropped with an explanation when its author or the owner has left or lost access; the others continue", () => {
    let go = () => {}
    return among(
      async ({ emulator, service, shows }, { Admin: admin, Friend: friend, Owner: owner }) => {
        const thread = await startedByMention({ emulator, service } as never, owner, "work")
        const words = () => service.prompts.map((each) => each.split("\n").at(-1))
        const runs = (text: string) => emulator.waitFor(() => words().at(-1) === text, { what: `${text} to run` })
        const queued = async (who: typeof owner, text: string) => {
          await who.send(thread, text)
          await shows(thread, new RegExp(`⏳ Waiting[^]*${text}`))
        }
        const dropped = (who: typeof owner, why: string) =>
          shows(
            thread,
            new RegExp(`<@${who.id}>, this message was not given to the agent when its turn came\\. ${why}`)
          )
        await shows(thread, /On it/)
        await (await owner.command(thread, "task share", { member: "Friend", may: "both" })).settled()

        await queued(friend, "from somebody who leaves")
        await queued(owner, "the next one")
        await friend.leave()
        go()
        await runs("the next one")
        await dropped(friend, "You are no longer in this server, so you cannot do this here")

        await friend.join()
        await queued(friend, "spends")
        await queued(owner, "spends, too")
        await queued(friend, "goes on")
        await setRule(emulator, admin, "deny", "spend", owner.id)
        go()
        await runs("spends")
        go()
        await runs("goes on")
        await dropped(owner, "The settings of this server do not let you")

        await queued(friend, "on whose account?")
        await owner.leave()
        go()
        await dropped(friend, `This task runs on the account of <@${owner.id}>, who is not in this server any more`)
        // Discord is asked each time: nothing tells a bot who leaves.
        await friend.send(thread, "and now?")
        await shows(thread, /and now\?[^]*who is not in this server any more/)
        await owner.join()
        await setRule(emulator, admin, "remove", "spend", owner.id)
        assert.deepEqual(words(), ["work", "the next one", "spends", "goes on"])

        // What waits longest is asked about last: while the account has to be connected again, a share may end.
        service.state.refuseTokens = true
        await friend.send(thread, "while nobody is connected")
        await shows(thread, /connected again/)
        const suggested = await owner.autocomplete(emulator.channelId, "task unshare", { task: "wor" }, "task")
        assert.deepEqual(suggested, [{ name: "work", value: [...service.tasks.keys()][0]! }])
        const elsewhere = { member: "Friend", task: String(suggested[0]!.value) }
        const unshared = await (await owner.command(emulator.channelId, "task unshare", elsewhere)).settled()
        assert.strictEqual(unshared.content, `<@${friend.id}> may no longer use this task.`)
        await shows(thread, new RegExp(`-# <@${friend.id}> may no longer use this task`))
        const foreign = await (await friend.command(emulator.channelId, "task unshare", elsewhere)).settled()
        assert.match(foreign.content, /^This task belongs to/)
        assert.deepEqual(await owner.autocomplete(emulator.channelId, "task unshare", { task: "" }, "task"), [])
        const notice = emulator.messages(thread).findLast((message) => buttonsOf(message).length > 0)!
        const pressed = await owner.press(thread, notice.id, buttonsOf(notice)[0]!.custom_id)
        await confirm(emulator, await pressed.settled(), undefined, owner)
        await shows(thread, /This did not work[^]*was not given to the agent when its turn came\. This task belongs to/)
        await owner.send(thread, "the last one")
        await runs("the last one")
        assert.strictEqual(service.prompts.length, 5)
        go()
      },
      async (turn) => {
        turn.say(`On it.`)
        await new Promise<void>((resolve) => (go = resolve))
        return "end_turn"
      }
    )
  }, 60_000)
})
