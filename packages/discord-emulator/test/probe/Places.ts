import assert from "node:assert/strict"
import { ChannelType, EmbedBuilder, OverwriteType, PermissionFlagsBits, Routes } from "discord.js"
import { type Behaviour, docs, type Json, refused } from "./ProbeContext.ts"

const permissions = (section: string): string => docs("topics/permissions", section)
const channels = (section: string): string => docs("resources/channel", section)
const overwrites = permissions("permission-overwrites")

/** Channels, and who may do what in them. */
export const places: ReadonlyArray<Behaviour> = [
  {
    it: "normalizes the names of text channels, not of categories",
    source: docs("resources/guild", "create-guild-channel"),
    run: async ({ guild }) => {
      assert.equal((await guild.channels.create({ name: "Some Name" })).name, "some-name")
      const category = await guild.channels.create({ name: "Some Name", type: ChannelType.GuildCategory })
      assert.equal(category.name, "Some Name")
    }
  },
  {
    it: "nests channels only in categories and inherits their overwrites",
    source: docs("resources/guild", "create-guild-channel"),
    run: async ({ channel, guild }) => {
      const other = await channel()
      await refused(50_035, guild.channels.create({ name: "x", parent: other.id }), [
        "parent_id CHANNEL_PARENT_INVALID_TYPE"
      ])
      const category = await guild.channels.create({
        name: "c",
        type: ChannelType.GuildCategory,
        permissionOverwrites: [{ id: guild.id, deny: PermissionFlagsBits.AddReactions }]
      })
      const child = await guild.channels.create({ name: "x", parent: category.id })
      assert.equal(child.permissionsLocked, true)
    }
  },
  {
    it: "keeps the channels of a deleted category, with an event for each",
    source: channels("deleteclose-channel"),
    run: async ({ guild, recordEvents }) => {
      const category = await guild.channels.create({ name: "c", type: ChannelType.GuildCategory })
      const child = await guild.channels.create({ name: "x", parent: category.id })
      const updates = recordEvents("CHANNEL_UPDATE")
      await category.delete()
      const told = await updates.first()
      assert.deepEqual([told["id"], told["parent_id"]], [child.id, null])
    }
  },
  {
    it: "answers 10003 for a deleted channel",
    source: channels("deleteclose-channel"),
    run: async ({ channel, client }) => {
      const { delete: remove, id } = await channel().then((one) => ({ id: one.id, delete: () => one.delete() }))
      await remove()
      await refused(10_003, client.rest.get(Routes.channel(id)))
    }
  },
  {
    it: "limits forum guidelines to 4096 characters and topics to 1024",
    source: channels("modify-channel-json-params-guild-channel"),
    run: async ({ channel, forum }) => {
      await (await forum()).setTopic("x".repeat(4096))
      await refused(50_035, (await channel()).setTopic("x".repeat(1025)), ["topic BASE_TYPE_MAX_LENGTH"])
    }
  },
  {
    it: "applies slowmode to people but not to bots",
    source: channels("modify-channel-json-params-guild-channel"),
    run: async ({ channel, clock, sam }) => {
      const place = await channel()
      await place.setRateLimitPerUser(30)
      await sam.send(place.id, "1")
      await assert.rejects(sam.send(place.id, "2"), /slowmode/)
      await place.send("1")
      await place.send("2")
      clock.advance(30_000)
      await sam.send(place.id, "3")
    }
  },
  {
    it: "moves channels and syncs them with their new category",
    source: docs("resources/guild", "modify-guild-channel-positions"),
    run: async ({ channel, client, guild }) => {
      const category = await guild.channels.create({
        name: "c",
        type: ChannelType.GuildCategory,
        permissionOverwrites: [{ id: guild.id, deny: PermissionFlagsBits.AddReactions }]
      })
      const [a, b] = [await channel(), await channel()]
      const move = (...ids: ReadonlyArray<string>) =>
        client.rest.patch(Routes.guildChannels(guild.id), {
          body: ids.map((id) => ({ id, parent_id: category.id, lock_permissions: true }))
        })
      await refused(40_009, move(a.id, b.id))
      await move(a.id)
      assert.equal((await a.fetch(true)).permissionOverwrites.cache.size, 1)
    }
  },
  {
    it: "hides a channel and its events without View Channel",
    source: permissions("implicit-permissions"),
    run: async ({ channel, client, recordEvents, sam, you }) => {
      const [open, hidden] = [await channel(), await channel()]
      await you.request("PUT", `/channels/${hidden.id}/permissions/${client.user.id}`, {
        type: OverwriteType.Member,
        deny: String(PermissionFlagsBits.ViewChannel)
      })
      const told = recordEvents("MESSAGE_CREATE")
      await sam.send(hidden.id, "secret")
      await sam.send(open.id, "open")
      assert.equal((await told.first())["content"], "open")
      await refused(50_001, client.rest.get(Routes.channel(hidden.id)))
      await refused(50_001, hidden.send("x"))
    }
  },
  {
    it: "sends THREAD_LIST_SYNC when the bot gains access to a channel",
    source: docs("topics/threads", "gaining-access-to-channels"),
    run: async ({ channel, client, recordEvents, you }) => {
      const place = await channel()
      const thread = await place.threads.create({ name: "inside", type: ChannelType.PublicThread })
      const path = `/channels/${place.id}/permissions/${client.user.id}`
      await you.request("PUT", path, { type: 1, deny: String(PermissionFlagsBits.ViewChannel) })
      const sync = recordEvents("THREAD_LIST_SYNC")
      await you.request("DELETE", path)
      const told = await sync.first()
      assert.deepEqual(told["channel_ids"], [place.id])
      assert.deepEqual(
        (told["threads"] as ReadonlyArray<Json>).map(({ id }) => id),
        [thread.id]
      )
    }
  },
  {
    it: "applies role denies before role allows, and member overwrites last",
    source: overwrites,
    run: async ({ channel, guild, sam }) => {
      const [no, yes] = [await guild.roles.create({ name: "no" }), await guild.roles.create({ name: "yes" })]
      const member = await guild.members.fetch(sam.id)
      await member.roles.add([no, yes])
      const place = await channel()
      await place.permissionOverwrites.create(no, { SendMessages: false })
      await assert.rejects(sam.send(place.id, "1"), /Missing Permissions/)
      await place.permissionOverwrites.create(yes, { SendMessages: true })
      await sam.send(place.id, "2")
      await place.permissionOverwrites.create(sam.id, { SendMessages: false })
      await assert.rejects(sam.send(place.id, "3"), /Missing Permissions/)
      await place.permissionOverwrites.delete(sam.id)
      await member.roles.remove([no, yes])
    }
  },
  {
    it: "lets owners and administrators pass every overwrite",
    source: overwrites,
    run: async ({ channel, guild, you }) => {
      const place = await channel()
      await place.permissionOverwrites.create(guild.id, { SendMessages: false })
      await you.send(place.id, "still here")
    }
  },
  {
    it: "requires the permissions for embeds and files",
    source: permissions("permissions-bitwise-permission-flags"),
    run: async ({ channel, client }) => {
      const place = await channel()
      await place.permissionOverwrites.create(client.user.id, { EmbedLinks: false, AttachFiles: false })
      await place.send("words")
      await refused(50_013, place.send({ embeds: [new EmbedBuilder().setTitle("x")] }))
      await refused(50_013, place.send({ files: [Buffer.from("x")] }))
    }
  },
  {
    it: "ignores @everyone without Mention Everyone",
    source: permissions("permissions-bitwise-permission-flags"),
    run: async ({ channel, client }) => {
      const place = await channel()
      await place.permissionOverwrites.create(client.user.id, { MentionEveryone: false })
      assert.equal((await place.send("@everyone look")).mentions.everyone, false)
    }
  },
  {
    it: "returns no history without Read Message History",
    source: docs("resources/message", "get-channel-messages"),
    run: async ({ channel, client }) => {
      const place = await channel()
      const sent = await place.send("past")
      await place.permissionOverwrites.create(client.user.id, { ReadMessageHistory: false })
      assert.equal((await place.messages.fetch({ limit: 10 })).size, 0)
      await refused(160_002, sent.reply("x"))
    }
  },
  {
    it: "allows an existing reaction without Add Reactions",
    source: docs("resources/message", "create-reaction"),
    run: async ({ channel, client, sam }) => {
      const place = await channel()
      const sent = await place.send("vote")
      await sam.react(place.id, sent.id, "👍")
      await place.permissionOverwrites.create(client.user.id, { AddReactions: false })
      await sent.react("👍")
      await refused(50_013, sent.react("👎"))
    }
  },
  {
    it: "refuses overwrites of permissions that the user does not hold",
    source: channels("edit-channel-permissions"),
    run: async ({ channel, client, guild }) => {
      const place = await channel()
      await refused(
        50_013,
        client.rest.put(Routes.channelPermission(place.id, guild.id), {
          body: { type: OverwriteType.Role, allow: String(PermissionFlagsBits.Administrator) }
        })
      )
    }
  },
  {
    it: "sends CHANNEL_UPDATE for overwrites and 10009 for unknown ones",
    source: channels("edit-channel-permissions"),
    run: async ({ channel, client, guild, recordEvents }) => {
      const place = await channel()
      const updates = recordEvents("CHANNEL_UPDATE")
      await place.permissionOverwrites.create(guild.id, { SendMessages: false })
      assert.equal(((await updates.first())["permission_overwrites"] as ReadonlyArray<Json>)[0]?.["id"], guild.id)
      await refused(10_009, client.rest.delete(Routes.channelPermission(place.id, client.user.id)))
    }
  }
]
