import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { among, startedByMention } from "../support/People.ts"
import { hideMember } from "../support/HideMember.ts"

describe("answers by several people", () => {
  it(
    "are sent without those of people who lost access, and the audit log names the authors",
    () =>
      among(async (stack, { Admin: admin, Friend: friend, Owner: owner }) => {
        const { emulator, service, shows } = stack
        const audit = async () =>
          (await (await admin.command(emulator.channelId, "settings audit")).settled()).embeds[0]?.description ?? ""
        const card = (thread: string) =>
          emulator.messages(thread).findLast(({ components }) => (components ?? []).length > 0)!
        const use = (thread: string) => /"(q1:[^:"]+):/.exec(JSON.stringify(card(thread).components))?.[1] ?? ""
        /** The friend answers the first question and the owner the second one. */
        const drafted = async () => {
          const thread = await startedByMention(stack, owner, "ask")
          await shows(thread, /Question 1 of 2/)
          await (await owner.command(thread, "task share", { member: "Friend", may: "approve" })).settled()
          await pick(friend, thread)
          await owner.submit(await owner.press(thread, card(thread).id, `${use(thread)}:w:1`), { text: "mine" })
          await shows(thread, /> mine/)
          return thread
        }
        const pick = async (who: Actor, thread: string) => {
          await who.select(thread, card(thread).id, `${use(thread)}:s:0:0`, ["0"])
          await shows(thread, /Question 2 of 2/)
        }
        const send = (thread: string) => owner.press(thread, card(thread).id, `${use(thread)}:f`)
        const answered = (count: number) =>
          emulator.waitFor(() => service.answers.length === count, { what: `${count} answers` })

        const together = await drafted()
        await send(together)
        await answered(1)
        assert.match(JSON.stringify(service.answers[0]), /"a"[^]*"mine"/)
        assert.include(
          await audit(),
          `<@${owner.id}> allowed **Ask**, with answers of <@${friend.id}> · <#${together}>`
        )

        const unknown = await drafted()
        const showMember = hideMember(emulator, friend.id)
        await send(unknown)
        await emulator.waitFor(
          () =>
            owner
              .ephemerals(unknown)
              .find(({ content }) => /could not check with Discord[^]*all answers are kept/.test(content)),
          { what: "the words about the answers" }
        )
        assert.strictEqual(service.answers.length, 1)
        showMember()
        await send(unknown)
        await answered(2)
        assert.match(JSON.stringify(service.answers[1]), /"a"[^]*"mine"/)

        const alone = await drafted()
        await (await owner.command(alone, "task unshare", { member: "Friend" })).settled()
        await send(alone)
        const told = await emulator.waitFor(() =>
          owner.ephemerals(alone).find(({ content }) => /were removed/.test(content))
        )
        assert.match(told.content, new RegExp(`^The answers of <@${friend.id}> were removed.*Nothing was sent yet`))
        await shows(alone, /Question 1 of 2/)
        assert.strictEqual(service.answers.length, 2)
        await pick(owner, alone)
        await shows(alone, /> mine/)
        await send(alone)
        await answered(3)
        assert.include(await audit(), `<@${owner.id}> allowed **Ask** · <#${alone}>`)
      }),
    60_000
  )
})
