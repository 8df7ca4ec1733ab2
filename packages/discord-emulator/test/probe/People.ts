import assert from "node:assert/strict"
import { PermissionFlagsBits, Routes } from "discord.js"
import { type Behaviour, docs, everything, refused } from "./ProbeContext.ts"

const guildPage = (section: string): string => docs("resources/guild", section)
const hierarchy = docs("topics/permissions", "permission-hierarchy")
const codes = docs("topics/opcodes-and-status-codes", "json")

/** Roles, members and direct messages. */
export const people: ReadonlyArray<Behaviour> = [
  {
    it: "makes roles at the bottom, named and permitted by default",
    source: guildPage("create-guild-role"),
    run: async ({ client, guild }) => {
      const made = (await client.rest.post(Routes.guildRoles(guild.id), { body: {} })) as Record<string, unknown>
      assert.deepEqual(
        [made["name"], made["position"], made["permissions"]],
        ["new role", 1, guild.roles.everyone.permissions.bitfield.toString()]
      )
    }
  },
  {
    it: "refuses edits of higher roles, and grants of permissions that the member lacks",
    source: hierarchy,
    run: async ({ guild, you }) => {
      const own = guild.members.me?.roles.highest
      assert.ok(own !== undefined)
      await refused(50_013, own.setName("more"))
      await refused(50_013, guild.roles.create({ permissions: PermissionFlagsBits.Administrator }))
      const above = (await you.request("POST", `/guilds/${guild.id}/roles`, { name: "above" })) as {
        readonly id: string
      }
      await you.request("PATCH", `/guilds/${guild.id}/roles`, [{ id: above.id, position: own.position + 2 }])
      await refused(50_013, guild.roles.delete(above.id))
    }
  },
  {
    it: "deletes no role of everyone and none of a bot",
    source: codes,
    run: async ({ client, guild }) => {
      await refused(50_028, client.rest.delete(Routes.guildRole(guild.id, guild.id)))
      await refused(50_028, client.rest.delete(Routes.guildRole(guild.id, guild.members.me?.roles.botRole?.id ?? "")))
      await refused(10_011, client.rest.delete(Routes.guildRole(guild.id, "100000000000000000")))
    }
  },
  {
    it: "tells of roles that members get and lose, also by their deletion",
    source: guildPage("add-guild-member-role"),
    run: async ({ guild, recordEvents, sam }) => {
      const member = await guild.members.fetch(sam.id)
      const role = await guild.roles.create({ name: "temporary" })
      const updates = recordEvents("GUILD_MEMBER_UPDATE")
      await member.roles.add(role)
      assert.ok(((await updates.first())["roles"] as ReadonlyArray<string>).includes(role.id))
      await role.delete()
      assert.equal((await guild.members.fetch({ user: sam.id, force: true })).roles.cache.has(role.id), false)
    }
  },
  {
    it: "never assigns the role of a bot",
    source: codes,
    run: async ({ client, guild, sam }) =>
      refused(
        50_028,
        client.rest.put(Routes.guildMemberRole(guild.id, sam.id, guild.members.me?.roles.botRole?.id ?? ""))
      )
  },
  {
    it: "counts the members of each role but everyone",
    source: guildPage("get-guild-role-member-counts"),
    run: async ({ client, guild }) => {
      const counts = (await client.rest.get(`/guilds/${guild.id}/roles/member-counts`)) as Record<string, number>
      assert.equal(counts[guild.members.me?.roles.botRole?.id ?? ""], 1)
      assert.equal(guild.id in counts, false)
    }
  },
  {
    it: "takes nicknames of 32 characters, and finds people by them",
    source: guildPage("search-guild-members"),
    run: async ({ guild, sam }) => {
      const member = await guild.members.fetch(sam.id)
      await refused(50_035, member.setNickname("x".repeat(33)), ["nick BASE_TYPE_MAX_LENGTH"])
      await member.setNickname("Zed")
      assert.deepEqual([...(await guild.members.search({ query: "ze" })).keys()], [sam.id])
      await member.setNickname(null)
    }
  },
  {
    it: "refuses moderation of higher members",
    source: hierarchy,
    run: async ({ guild, you }) => {
      const owner = await guild.members.fetch(you.id)
      await refused(50_013, owner.setNickname("less"))
      await refused(50_013, owner.kick())
      await refused(50_013, owner.timeout(60_000))
    }
  },
  {
    it: "lists members in pages by id",
    source: guildPage("list-guild-members"),
    run: async ({ guild }) => {
      const first = await guild.members.list({ limit: 1 })
      const next = await guild.members.list({ limit: 1000, after: first.firstKey() ?? "" })
      assert.equal(next.has(first.firstKey() ?? ""), false)
      assert.equal(first.size + next.size, guild.memberCount)
    }
  },
  {
    it: "silences a member during a timeout of at most 28 days",
    source: docs("topics/permissions", "permissions-for-timed-out-members"),
    run: async ({ channel, client, clock, guild, sam }) => {
      const place = await channel()
      const until = (ms: number) =>
        client.rest.patch(Routes.guildMember(guild.id, sam.id), {
          body: { communication_disabled_until: new Date(clock.now() + ms).toISOString() }
        })
      await refused(50_035, until(28 * 86_400_000 + 60_000))
      await until(60_000)
      await assert.rejects(sam.send(place.id, "hi"), /Missing Permissions/)
      clock.advance(60_001)
      await sam.send(place.id, "hi")
    }
  },
  {
    it: "tells of who comes and who goes, and knows who went no more",
    source: guildPage("remove-guild-member"),
    run: async ({ discord, guild, recordEvents }) => {
      const [came, went] = [recordEvents("GUILD_MEMBER_ADD"), recordEvents("GUILD_MEMBER_REMOVE")]
      const guest = discord.addUser("Guest")
      assert.equal(((await came.first())["user"] as { readonly id: string }).id, guest.id)
      await guild.members.kick(guest.id)
      assert.equal(((await went.first())["user"] as { readonly id: string }).id, guest.id)
      await refused(10_007, guild.members.fetch({ user: guest.id, force: true }))
      await guest.join()
      assert.equal((await guild.members.fetch({ user: guest.id, force: true })).id, guest.id)
    }
  },
  {
    it: "opens one direct channel with a person",
    source: docs("resources/user", "create-dm"),
    run: async ({ client, recordEvents, sam }) => {
      const user = await client.users.fetch(sam.id)
      const direct = await user.createDM(true)
      assert.equal((await user.createDM(true)).id, direct.id)
      const told = recordEvents("MESSAGE_CREATE")
      await sam.direct("psst")
      const message = await told.first()
      assert.deepEqual([message["channel_id"], "guild_id" in message], [direct.id, false])
      await direct.send("yes?")
    }
  },
  {
    it: "refuses direct messages to a user who blocks them or shares no guild",
    source: codes,
    run: async ({ client, discord }) => {
      const guest = discord.addUser("Closed")
      const user = await client.users.fetch(guest.id)
      guest.allowDirect(false)
      await refused(50_007, user.send("hi"))
      guest.allowDirect(true)
      await guest.leave()
      await refused(50_278, user.send("hi"))
    }
  },
  {
    it: "deletes direct messages one by one only",
    source: docs("resources/message", "bulk-delete-messages"),
    run: async ({ client, sam }) => {
      const direct = await (await client.users.fetch(sam.id)).createDM()
      const messages = [await direct.send("1"), await direct.send("2")].map(({ id }) => id)
      await refused(
        50_003,
        client.rest.post(`${Routes.channelMessages(direct.id)}/bulk-delete`, { body: { messages } })
      )
    }
  },
  {
    it: "tells the bot of all its permissions in the guild",
    source: docs("topics/permissions", "permission-overwrites"),
    run: async ({ guild }) => {
      const held = guild.members.me?.permissions
      assert.equal(held?.has(PermissionFlagsBits.Administrator), false)
      assert.equal(held?.bitfield, everything & ~PermissionFlagsBits.Administrator)
    }
  }
]
