import assert from "node:assert/strict"
import { ChannelType, GuildDefaultMessageNotifications, Locale, MessageFlags, Routes } from "discord.js"
import { type Behaviour, docs, refused } from "./ProbeContext.ts"

const codes = docs("topics/opcodes-and-status-codes", "json")

/** The guild, the application and the bot itself, and the files. */
export const routes: ReadonlyArray<Behaviour> = [
  {
    it: "renames the bot with USER_UPDATE",
    source: docs("resources/user", "modify-current-user"),
    run: async ({ client, discord, recordEvents }) => {
      const told = recordEvents("USER_UPDATE")
      await client.user.setUsername("Robin")
      assert.equal((await told.first())["username"], "Robin")
      assert.equal((await client.users.fetch(discord.applicationId, { force: true })).username, "Robin")
      await refused(50_035, client.rest.patch(Routes.user(), { body: { username: "x" } }), [
        "username BASE_TYPE_BAD_LENGTH"
      ])
      await client.user.setUsername("Bot")
    }
  },
  {
    it: "describes the application",
    source: docs("resources/application", "edit-current-application"),
    run: async ({ client }) => {
      await client.application.edit({ description: "Helps", tags: ["work"] })
      const found = await client.application.fetch()
      assert.deepEqual([found.description, found.tags], ["Helps", ["work"]])
      await refused(50_035, client.application.edit({ tags: ["1", "2", "3", "4", "5", "6"] }), [
        "tags BASE_TYPE_MAX_LENGTH"
      ])
    }
  },
  {
    it: "modifies the guild with GUILD_UPDATE",
    source: docs("resources/guild", "modify-guild"),
    run: async ({ guild, recordEvents, sam }) => {
      const told = recordEvents("GUILD_UPDATE")
      const { name } = guild
      const changed = await guild.edit({
        name: "Another name",
        preferredLocale: Locale.German,
        defaultMessageNotifications: GuildDefaultMessageNotifications.OnlyMentions
      })
      assert.deepEqual([changed.name, changed.preferredLocale], ["Another name", Locale.German])
      assert.equal((await told.first())["default_message_notifications"], 1)
      await guild.edit({ name, preferredLocale: Locale.EnglishUS })
      await assert.rejects(sam.request("PATCH", `/guilds/${guild.id}`, { name: "Mine" }), /Missing Permissions/)
    }
  },
  {
    it: "returns a guild preview",
    source: docs("resources/guild", "get-guild-preview"),
    run: async ({ client, guild }) => {
      const preview = await client.fetchGuildPreview(guild.id)
      assert.deepEqual([preview.name, preview.approximateMemberCount], [guild.name, 3])
    }
  },
  {
    it: "crossposts an announcement once",
    source: docs("resources/message", "crosspost-message"),
    run: async ({ channel, guild }) => {
      const news = await guild.channels.create({ name: "news", type: ChannelType.GuildAnnouncement })
      const sent = await news.send("news")
      assert.ok((await sent.crosspost()).flags.has(MessageFlags.Crossposted))
      await refused(40_033, sent.crosspost())
      await refused(50_024, (await (await channel()).send("x")).crosspost())
    }
  },
  {
    it: "lists no application emojis",
    source: docs("resources/emoji", "list-application-emojis"),
    run: async ({ client }) => assert.equal((await client.application.emojis.fetch()).size, 0)
  },
  {
    it: "has no command permissions, and bots cannot set them",
    source: docs("interactions/application-commands", "get-guild-application-command-permissions"),
    run: async ({ client, discord, guild }) => {
      assert.equal((await guild.commands.permissions.fetch({})).size, 0)
      const command = await guild.commands.create({ name: "allowed", description: "x" })
      await refused(10_066, guild.commands.permissions.fetch({ command }))
      const path = Routes.applicationCommandPermissions(discord.applicationId, guild.id, command.id)
      await refused(20_001, client.rest.put(path, { body: { permissions: [] } }))
    }
  },
  {
    it: "serves byte ranges and HEAD requests of files",
    source: codes,
    run: async ({ channel }) => {
      const sent = await (await channel()).send({ files: [{ attachment: Buffer.from("0123456789"), name: "n.txt" }] })
      const url = sent.attachments.first()?.url ?? ""
      const head = await fetch(url, { method: "HEAD" })
      assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "10", ""])
      const part = async (range: string) => {
        const response = await fetch(url, { headers: { range } })
        return [response.status, response.headers.get("content-range"), await response.text()]
      }
      assert.deepEqual(await part("bytes=2-4"), [206, "bytes 2-4/10", "234"])
      assert.deepEqual(await part("bytes=8-"), [206, "bytes 8-9/10", "89"])
      assert.deepEqual(await part("bytes=-3"), [206, "bytes 7-9/10", "789"])
      assert.deepEqual(await part("bytes=10-"), [416, "bytes */10", ""])
    }
  },
  {
    it: "lets a bot leave",
    source: docs("resources/user", "leave-guild"),
    run: async ({ client, guild, recordEvents, discord }) => {
      const told = recordEvents("GUILD_DELETE")
      await client.rest.delete(Routes.userGuild(guild.id))
      assert.deepEqual(await told.first(), { id: discord.guildId })
      await refused(50_001, client.rest.get(Routes.guildChannels(guild.id)))
    }
  }
]
