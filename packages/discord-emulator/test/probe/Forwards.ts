import assert from "node:assert/strict"
import {
  type APIMessage,
  AttachmentBuilder,
  ChannelType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  Routes
} from "discord.js"
import { type Behaviour, docs, type Json, refused } from "./ProbeContext.ts"

const message = (section: string): string => docs("resources/message", section)
const codes = docs("topics/opcodes-and-status-codes", "json")
const none = "100000000000000000"

/** Forwards, ids, and what a channel has no place for. */
export const forwards: ReadonlyArray<Behaviour> = [
  {
    it: "forwards a message as it was then",
    source: message("message-reference-types"),
    run: async ({ channel, client, discord }) => {
      const from = await channel()
      const to = await channel()
      const file = new AttachmentBuilder(Buffer.from("plan"), { name: "plan.txt" })
      const sent = await from.send({ content: "as it was", files: [file] })
      const forward = await sent.forward(to)
      await sent.edit("changed")
      await sent.delete()
      assert.deepEqual(
        [forward.type, forward.content, forward.flags.has(MessageFlags.HasSnapshot), forward.reference],
        [
          MessageType.Default,
          "",
          true,
          {
            type: MessageReferenceType.Forward,
            channelId: from.id,
            messageId: sent.id,
            guildId: discord.guildId
          }
        ]
      )
      const { message_snapshots: snapshots } = (await client.rest.get(
        Routes.channelMessage(to.id, forward.id)
      )) as APIMessage
      const shown = snapshots?.[0]?.message
      assert.equal(shown?.content, "as it was")
      const response = await fetch(shown.attachments[0]?.url ?? "")
      assert.equal(await response.text(), "plan")
      assert.match(discord.transcript(to.id), /\[forwarded\] as it was\n {2}\[file plan\.txt/)
    }
  },
  {
    it: "refuses a forward with content",
    source: "https://github.com/discord/discord-api-docs/issues/7574",
    run: async ({ channel, client }) => {
      const place = await channel()
      const sent = await place.send("x")
      const body = { content: "y", message_reference: { type: 1, channel_id: place.id, message_id: sent.id } }
      await refused(160_011, client.rest.post(Routes.channelMessages(place.id), { body }))
    }
  },
  {
    it: "forwards only readable messages",
    source: "https://github.com/discord/discord-api-docs/pull/8424",
    run: async ({ channel, client }) => {
      const from = await channel()
      const to = await channel()
      const sent = await from.send("secret")
      await from.permissionOverwrites.create(client.user.id, { ReadMessageHistory: false })
      await refused(160_009, sent.forward(to))
    }
  },
  {
    it: "refuses to forward system messages",
    source: message("message-reference-types"),
    run: async ({ channel }) => {
      const place = await channel()
      await (await place.send("keep")).pin()
      const told = (await place.messages.fetch({ limit: 1 })).first()
      assert.equal(told?.type, MessageType.ChannelPinnedMessage)
      await refused(50_021, told.forward(place))
    }
  },
  {
    it: "keeps tts",
    source: message("create-message-jsonform-params"),
    run: async ({ channel }) => assert.equal((await (await channel()).send({ content: "x", tts: true })).tts, true)
  },
  {
    it: "refuses stickers and polls",
    source: codes,
    run: async ({ channel }) => {
      const place = await channel()
      await refused(50_081, place.send({ content: "x", stickers: [none] }))
      const poll = { question: { text: "?" }, answers: [{ text: "a" }], duration: 1, allowMultiselect: false }
      await refused(520_002, place.send({ poll }))
    }
  },
  {
    it: "converts channels between text and announcement only",
    source: docs("resources/channel", "modify-channel-json-params-guild-channel"),
    run: async ({ channel }) => {
      const place = await channel()
      assert.equal((await place.edit({ type: ChannelType.GuildAnnouncement })).type, ChannelType.GuildAnnouncement)
      await refused(50_035, place.edit({ type: ChannelType.GuildForum as ChannelType.GuildText }), [
        "type BASE_TYPE_CHOICES"
      ])
    }
  },
  {
    it: "answers 50035 for an invalid id",
    source: docs("reference", "snowflakes"),
    run: async ({ channel, client }) => {
      const place = await channel()
      await refused(50_035, client.rest.get(Routes.channel("abc")), ["channel_id NUMBER_TYPE_COERCE"])
      const get = (query: string) =>
        client.rest.get(Routes.channelMessages(place.id), { query: new URLSearchParams(query) })
      for (const key of ["before", "after", "around"])
        await refused(50_035, get(`${key}=abc`), [`${key} NUMBER_TYPE_COERCE`])
    }
  },
  {
    it: "checks the kinds in allowed_mentions.parse",
    source: message("allowed-mentions-object-allowed-mention-types"),
    run: async ({ channel, client }) => {
      const body = { content: "x", allowed_mentions: { parse: ["users", "friends"] } }
      await refused(50_035, client.rest.post(Routes.channelMessages((await channel()).id), { body }), [
        "allowed_mentions.parse.1 BASE_TYPE_CHOICES"
      ])
    }
  },
  {
    it: "accepts overwrites of roles and members only",
    source: docs("resources/channel", "overwrite-object-overwrite-structure"),
    run: async ({ client, guild }) => {
      const body = { name: "x", permission_overwrites: [{ id: guild.id, type: 2, allow: "0", deny: "0" }] }
      await refused(50_035, client.rest.post(Routes.guildChannels(guild.id), { body }), [
        "permission_overwrites.0.type BASE_TYPE_CHOICES"
      ])
    }
  },
  {
    it: "answers 10014 for a custom emoji",
    source: codes,
    run: async ({ channel }) => refused(10_014, (await (await channel()).send("vote")).react(`nice:${none}`))
  },
  {
    it: "counts message_count and total_message_sent without the first message",
    source: docs("resources/channel", "channel-object-channel-structure"),
    run: async ({ channel, client, discord, forum, guild, sam }) => {
      const place = await channel()
      const thread = await (await place.send("start")).startThread({ name: "counted" })
      const counts = async (id: string) => {
        const found = (await client.rest.get(Routes.channel(id))) as Json
        return [found["message_count"], found["total_message_sent"]]
      }
      assert.deepEqual(await counts(thread.id), [0, 0])
      const sent = [await thread.send("1"), await thread.send("2"), await thread.send("3")]
      assert.deepEqual(await counts(thread.id), [3, 3])
      await sent[0]?.delete()
      await thread.bulkDelete(sent.slice(1))
      assert.deepEqual(await counts(thread.id), [0, 3])
      await guild.commands.create({ name: "hidden", description: "x" })
      client.once("interactionCreate", (one) => {
        if (one.isChatInputCommand()) void one.reply({ content: "psst", flags: MessageFlags.Ephemeral })
      })
      await sam.command(thread.id, "hidden")
      assert.deepEqual(await counts(thread.id), [0, 3])
      const post = await sam.post((await forum()).id, "Post", "first")
      assert.deepEqual(await counts(post.id), [0, 0])
      assert.equal(discord.messages(post.id).length, 1)
    }
  },
  {
    it: "creates each kind of thread in its channel type",
    source: docs("resources/channel", "channel-object-channel-types"),
    run: async ({ channel, client, guild }) => {
      const text = await channel()
      const news = await guild.channels.create({ name: "news", type: ChannelType.GuildAnnouncement })
      const open = (parent: string, type: ChannelType) =>
        client.rest.post(Routes.threads(parent), { body: { name: "x", type } })
      await refused(50_024, open(text.id, ChannelType.AnnouncementThread))
      await refused(50_024, open(news.id, ChannelType.PublicThread))
      await refused(50_024, open(news.id, ChannelType.PrivateThread))
      await open(news.id, ChannelType.AnnouncementThread)
    }
  }
]
