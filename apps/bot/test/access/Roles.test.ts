import { assert, describe, it } from "@effect/vitest"
import { among, startedByMention } from "../support/People.ts"
import { rest } from "../support/Rest.ts"
import { setRule } from "../support/Settings.ts"
import { hideMember } from "../support/HideMember.ts"

describe("rules for roles", () => {
  it(
    "extend the rights of members with the role, also for messages during an absence of the bot",
    () =>
      among(async (stack, { Admin: admin, Friend: friend, Member: member, Owner: owner }) => {
        const { emulator, service, shows, startBot, stopBot } = stack
        const guild = `/guilds/${emulator.guildId}`
        const { id: role } = await rest(emulator, "POST", `${guild}/roles`, { name: "Staff" })
        const give = (who: string, method: string) =>
          fetch(`${emulator.api}/v10${guild}/members/${who}/roles/${role}`, {
            method,
            headers: { authorization: `Bot ${emulator.botToken}` }
          })
        const thread = await startedByMention(stack, owner, "work")
        await shows(thread, /done ·/)
        await give(friend.id, "PUT")
        await setRule(emulator, admin, "allow", "reply", { role })
        await setRule(emulator, admin, "deny", "start", { role })
        await shows(thread, new RegExp(`<@${owner.id}>, <@&${role}> may write to it`))

        await member.send(thread, "from a member")
        await friend.send(thread, "from the staff")
        await shows(thread, /Done: [^]*from the staff\./)
        const refused = await (await friend.command(emulator.channelId, "task new", { prompt: "x" })).settled()
        assert.match(refused.content, /settings of this server do not let you/)
        const allowed = await (await member.command(emulator.channelId, "task new", { prompt: "x" })).settled()
        assert.match(allowed.content, /Connect your account first/)

        await stopBot()
        await member.send(thread, "late, from a member")
        await friend.send(thread, "late, from the staff")
        await startBot()
        await shows(thread, /Done: [^]*late, from the staff\./)
        await give(friend.id, "DELETE")
        await friend.send(thread, "not any more")
        await owner.send(thread, "the last one")
        await shows(thread, /Done: [^]*the last one\./)

        // Where a rule forbids, nothing goes on before Discord tells who has which role, and nothing is lost.
        await setRule(emulator, admin, "deny", "spend", { role })
        await stopBot()
        await owner.send(thread, "late, with roles that nobody knows")
        hideMember(emulator, owner.id, { times: 6 })
        await startBot()
        await shows(thread, /Done: [^]*nobody knows\./)
        await owner.send(thread, "again")
        await shows(thread, /Done: [^]*again\./)
        assert.deepEqual(
          service.prompts.map((words) => words.split("\n").at(-1)),
          [
            "work",
            "from the staff",
            "late, from the staff",
            "the last one",
            "late, with roles that nobody knows",
            "again"
          ]
        )
      }),
    60_000
  )
})
