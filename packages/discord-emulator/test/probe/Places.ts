import assert from "node:assert/strict"
import { ChannelType, EmbedBuilder, OverwriteType, PermissionFlagsBits, Routes } from "discord.js"
import { type Behaviour, docs, type Json, refused } from "./ProbeContext.ts"

const permissions = (section: string): string => docs("topics/permissions", section)
const channels = (section: string): string => docs("resources/channel", section)
const overwrites = permissions("permission-overwrites")

/** Channels, and who may do what in them. */
export const places: ReadonlyArray<Behaviour> = [
  {
    it: "gives text channels names in lower case with dashes, and leaves those of categories",
    source: docs("resources/guild", "create-guild-channel"),
    run: async ({ guild }) => {
      assert.equal((await guild.channels.create({ name: "Some Name" })).name, "some-name")
      const category = await guild.channels.create({ name: "Some Name", type: ChannelType.GuildCategory })
      assert.equal(category.name, "Some Name")
    }
  },
  {
    it: "puts channels below categories only, which hand their overwrites down",
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
    it: "leaves the channels of a category that is deleted, each with an event",
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
    it: "knows a deleted channel no more",
    source: channels("deleteclose-channel"),
    run: async ({ channel, client }) => {
      const { delete: remove, id } = await channel().then((one) => ({ id: one.id, delete: () => one.delete() }))
      await remove()
      await refused(10_003, client.rest.get(Routes.channel(id)))
    }
  },
  {
    it: "lets forums have guidelines of 4096 characters, other channels topics of 1024",
    source: channels("modify-channel-json-params-guild-channel"),
    run: async ({ channel, forum }) => {
      await (await forum()).setTopic("x".repeat(4096))
      await refused(50_035, (await channel()).setTopic("x".repeat(1025)), ["topic BASE_TYPE_MAX_LENGTH"])
    }
  },
  {
    it: "holds people to slow mode, but no bots",
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
    it: "hides a channel that one may not view, and what happens in it",
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
    it: "tells of the open threads of a channel once one may view it",
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
    it: "applies what a role denies before what another allows, and members last",
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
    it: "takes no embeds and no files from who may not send them",
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
    it: "pings nobody for everyone from who may not",
    source: permissions("permissions-bitwise-permission-flags"),
    run: async ({ channel, client }) => {
      const place = await channel()
      await place.permissionOverwrites.create(client.user.id, { MentionEveryone: false })
      assert.equal((await place.send("@everyone look")).mentions.everyone, false)
    }
  },
  {
    it: "shows no history to who may not read it",
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
    it: "lets who may not add reactions join one that is there",
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
    it: "lets nobody allow or deny what they do not hold themselves",
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
    it: "tells of overwrites as changes of the channel, and of none that is not there",
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
