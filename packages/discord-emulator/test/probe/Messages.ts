import assert from "node:assert/strict"
import {
  AttachmentBuilder,
  ComponentType,
  ContainerBuilder,
  EmbedBuilder,
  FileBuilder,
  MessageFlags,
  MessageType,
  Routes,
  TextDisplayBuilder
} from "discord.js"
import { type Behaviour, docs, type Json, refused } from "./ProbeContext.ts"

const message = (section: string): string => docs("resources/message", section)
const codes = docs("topics/opcodes-and-status-codes", "json")
const layout = docs("components/reference", "component-object")

const text = (content: string): TextDisplayBuilder => new TextDisplayBuilder().setContent(content)
const emojis = [..."🍇🍈🍉🍊🍋🍌🍍🍎🍏🍐🍑🍒🍓🥝🍅🥥🥑🍆🥔🥕🌽"]

/** Messages, embeds, components of the newer layout, reactions and pins. */
export const messages: ReadonlyArray<Behaviour> = [
  {
    it: "limits content to 2000 characters",
    source: message("create-message"),
    run: async ({ channel }) => {
      const place = await channel()
      assert.equal((await place.send("x".repeat(2000))).content.length, 2000)
      await refused(50_035, place.send("x".repeat(2001)), ["content BASE_TYPE_MAX_LENGTH"])
    }
  },
  {
    it: "refuses an empty message",
    source: codes,
    run: async ({ channel, client }) =>
      refused(50_006, client.rest.post(Routes.channelMessages((await channel()).id), { body: { content: "" } }))
  },
  {
    it: "returns the first message for a repeated enforced nonce",
    source: message("create-message"),
    run: async ({ channel }) => {
      const place = await channel()
      const send = (enforceNonce: boolean, nonce: string) => place.send({ content: "once", nonce, enforceNonce })
      assert.equal((await send(true, "a")).id, (await send(true, "a")).id)
      assert.notEqual((await send(false, "b")).id, (await send(false, "b")).id)
    }
  },
  {
    it: "refuses 11 embeds and 6001 characters over all of them",
    source: message("embed-object-embed-limits"),
    run: async ({ channel }) => {
      const place = await channel()
      const many = Array.from({ length: 11 }, (_, index) => new EmbedBuilder().setTitle(`${index}`))
      await refused(50_035, place.send({ embeds: many }), ["embeds BASE_TYPE_MAX_LENGTH"])
      const long = [4096, 1905].map((size) => new EmbedBuilder().setDescription("x".repeat(size)))
      await refused(50_035, place.send({ embeds: long }), ["embeds MAX_EMBED_SIZE_EXCEEDED"])
    }
  },
  {
    it: "sets the type of embeds to rich",
    source: message("embed-object-embed-types"),
    run: async ({ channel }) => {
      const sent = await (await channel()).send({ embeds: [new EmbedBuilder().setTitle("x")] })
      assert.equal(sent.embeds[0]?.data.type, "rich")
    }
  },
  {
    it: "mentions all without allowed_mentions and none with empty ones",
    source: message("allowed-mentions-object"),
    run: async ({ channel, sam }) => {
      const place = await channel()
      const content = `<@${sam.id}> @everyone`
      const quiet = await place.send({ content, allowedMentions: { parse: [] } })
      assert.deepEqual([quiet.mentions.users.size, quiet.mentions.everyone], [0, false])
      const loud = await place.send(content)
      assert.deepEqual([loud.mentions.users.size, loud.mentions.everyone], [1, true])
    }
  },
  {
    it: "refuses allowed mentions that parse users and list them as well",
    source: message("allowed-mentions-object-allowed-mentions-examples"),
    run: async ({ channel, sam }) =>
      refused(
        50_035,
        (await channel()).send({ content: "x", allowedMentions: { parse: ["users"], users: [sam.id] } }),
        ["allowed_mentions MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"]
      )
  },
  {
    it: "mentions mentionable roles",
    source: message("allowed-mentions-object-allowed-mention-types"),
    run: async ({ channel, guild }) => {
      const role = await guild.roles.create({ name: "pinged", mentionable: true })
      const sent = await (await channel()).send(`<@&${role.id}>`)
      assert.deepEqual([...sent.mentions.roles.keys()], [role.id])
    }
  },
  {
    it: "mentions the replied author unless replied_user is false",
    source: message("allowed-mentions-object"),
    run: async ({ channel, sam }) => {
      const place = await channel()
      const { id } = await sam.send(place.id, "hello")
      const asked = await place.messages.fetch(id)
      assert.deepEqual([...(await asked.reply("yes")).mentions.users.keys()], [sam.id])
      const quiet = await asked.reply({ content: "yes", allowedMentions: { repliedUser: false } })
      assert.equal(quiet.mentions.users.size, 0)
      assert.equal(quiet.type, MessageType.Reply)
    }
  },
  {
    it: "keeps only the attachments that an edit lists",
    source: message("edit-message"),
    run: async ({ channel }) => {
      const file = (name: string) => new AttachmentBuilder(Buffer.from(name), { name })
      const sent = await (await channel()).send({ files: [file("a.txt"), file("b.txt")] })
      const [kept] = sent.attachments.values()
      assert.ok(kept !== undefined)
      const edited = await sent.edit({ attachments: [kept], files: [file("c.txt")] })
      assert.deepEqual(
        [...edited.attachments.values()].map(({ name }) => name),
        ["a.txt", "c.txt"]
      )
    }
  },
  {
    it: "lets moderators suppress the embeds of other members but not edit them",
    source: message("edit-message"),
    run: async ({ channel, sam }) => {
      const place = await channel()
      const theirs = await place.messages.fetch((await sam.send(place.id, "mine")).id)
      await refused(50_005, theirs.edit("yours"))
      assert.ok((await theirs.suppressEmbeds(true)).flags.has(MessageFlags.SuppressEmbeds))
    }
  },
  {
    it: "bulk deletes 2 to 100 messages with one event",
    source: message("bulk-delete-messages"),
    run: async ({ channel, client, recordEvents }) => {
      const place = await channel()
      const path = `${Routes.channelMessages(place.id)}/bulk-delete` as const
      const ids = (await Promise.all([place.send("1"), place.send("2")])).map(({ id }) => id)
      await refused(50_016, client.rest.post(path, { body: { messages: ids.slice(0, 1) } }))
      const bulk = recordEvents("MESSAGE_DELETE_BULK")
      await client.rest.post(path, { body: { messages: ids } })
      assert.deepEqual((await bulk.first())["ids"], ids)
    }
  },
  {
    it: "refuses to bulk delete messages older than two weeks",
    source: message("bulk-delete-messages"),
    run: async ({ channel, client, clock }) => {
      const place = await channel()
      const messages = (await Promise.all([place.send("1"), place.send("2")])).map(({ id }) => id)
      clock.advance(14 * 86_400_000 + 1)
      await refused(50_034, client.rest.post(`${Routes.channelMessages(place.id)}/bulk-delete`, { body: { messages } }))
    }
  },
  {
    it: "answers 10008 for an unknown message",
    source: codes,
    run: async ({ channel }) => refused(10_008, (await channel()).messages.fetch("100000000000000000"))
  },
  {
    it: "returns history before, after and around a message, newest first",
    source: message("get-channel-messages"),
    run: async ({ channel }) => {
      const place = await channel()
      const sent = []
      for (const content of ["a", "b", "c", "d", "e"]) sent.push(await place.send(content))
      const [, second, third, fourth] = sent.map(({ id }) => id)
      const read = async (options: { before?: string; after?: string; around?: string; limit: number }) =>
        [...(await place.messages.fetch(options)).values()].map(({ content }) => content).join("")
      assert.ok(second !== undefined && third !== undefined && fourth !== undefined)
      assert.equal(await read({ before: fourth, limit: 2 }), "cb")
      assert.equal(await read({ after: second, limit: 2 }), "dc")
      assert.equal(await read({ around: third, limit: 3 }), "dcb")
    }
  },
  {
    it: "refuses content and embeds with components V2",
    source: message("create-message"),
    run: async ({ channel }) =>
      refused(
        50_035,
        (await channel()).send({ flags: MessageFlags.IsComponentsV2, content: "x", components: [text("y")] }),
        ["content MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"]
      )
  },
  {
    it: "keeps components V2 once set, and sets it only without content",
    source: message("edit-message"),
    run: async ({ channel }) => {
      const place = await channel()
      const v2 = await place.send({ flags: MessageFlags.IsComponentsV2, components: [text("a")] })
      await refused(50_035, v2.edit("plain"))
      const plain = await place.send("plain")
      const flags = MessageFlags.IsComponentsV2
      await refused(50_035, plain.edit({ flags, components: [text("b")] }))
      assert.ok((await plain.edit({ flags, content: null, components: [text("b")] })).flags.has(flags))
    }
  },
  {
    it: "limits components V2 to 40 components and 4000 characters",
    source: layout,
    run: async ({ channel }) => {
      const place = await channel()
      const send = (...components: ReadonlyArray<ContainerBuilder>) =>
        place.send({ flags: MessageFlags.IsComponentsV2, components })
      const filled = (count: number, content = "x") =>
        new ContainerBuilder().addTextDisplayComponents(Array.from({ length: count }, () => text(content)))
      await send(filled(39))
      await refused(50_035, send(filled(20), filled(19)), ["components COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED"])
      await refused(50_035, send(filled(2, "x".repeat(2001))), ["components COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED"])
    }
  },
  {
    it: "accepts only files of the message in components",
    source: docs("components/reference", "file"),
    run: async ({ channel }) => {
      const place = await channel()
      const send = (url: string) =>
        place.send({
          flags: MessageFlags.IsComponentsV2,
          components: [new FileBuilder().setURL(url)],
          files: [new AttachmentBuilder(Buffer.from("plan"), { name: "plan.txt" })]
        })
      await refused(50_035, send("attachment://other.txt"))
      const shown = (await send("attachment://plan.txt")).components[0]?.toJSON()
      assert.deepEqual(shown?.type === ComponentType.File ? [shown.name, shown.size] : shown, ["plan.txt", 4])
    }
  },
  {
    it: "limits a message to 20 different reactions",
    source: codes,
    run: async ({ channel }) => {
      const sent = await (await channel()).send("vote")
      for (const emoji of emojis.slice(0, 20)) await sent.react(emoji)
      await refused(30_010, sent.react(emojis[20] ?? ""))
    }
  },
  {
    it: "answers 10014 for an unknown emoji",
    source: message("create-reaction"),
    run: async ({ channel, client }) => {
      const sent = await (await channel()).send("vote")
      await refused(10_014, client.rest.put(Routes.channelMessageOwnReaction(sent.channelId, sent.id, "nope")))
    }
  },
  {
    it: "sends one event when all reactions, or those of an emoji, are removed",
    source: message("delete-all-reactions-for-emoji"),
    run: async ({ channel, recordEvents }) => {
      const sent = await (await channel()).send("vote")
      await sent.react("👍")
      await sent.react("👎")
      const one = recordEvents("MESSAGE_REACTION_REMOVE_EMOJI")
      const all = recordEvents("MESSAGE_REACTION_REMOVE_ALL")
      await sent.reactions.resolve("👍")?.remove()
      assert.deepEqual((await one.first())["emoji"], { id: null, name: "👍" })
      await sent.reactions.removeAll()
      assert.equal((await all.first())["message_id"], sent.id)
    }
  },
  {
    it: "lists the users of a reaction in pages",
    source: message("get-reactions"),
    run: async ({ channel, client, sam, you }) => {
      const place = await channel()
      const sent = await place.send("vote")
      await sam.react(place.id, sent.id, "👍")
      await you.react(place.id, sent.id, "👍")
      await sent.react("👍")
      const path = Routes.channelMessageReaction(place.id, sent.id, encodeURIComponent("👍"))
      const page = async (query: string) =>
        ((await client.rest.get(path, { query: new URLSearchParams(query) })) as ReadonlyArray<Json>).map(
          (user) => user["id"]
        )
      const ids = await page("limit=100")
      assert.equal(ids.length, 3)
      assert.deepEqual(await page(`limit=1&after=${String(ids[0])}`), ids.slice(1, 2))
    }
  },
  {
    it: "creates a system message for a pin, which cannot be edited",
    source: message("message-object-message-types"),
    run: async ({ channel }) => {
      const place = await channel()
      const sent = await place.send("keep this")
      await sent.pin()
      const last = (await place.messages.fetch({ limit: 1 })).first()
      assert.equal(last?.type, MessageType.ChannelPinnedMessage)
      assert.equal(last?.reference?.messageId, sent.id)
      await refused(50_021, last.edit("x"))
    }
  },
  {
    it: "lists pins by pin time, in pages",
    source: message("get-channel-pins"),
    run: async ({ channel, clock }) => {
      const place = await channel()
      const first = await place.send("1")
      const second = await place.send("2")
      await second.pin()
      clock.advance(1000)
      await first.pin()
      const page = await place.messages.fetchPins({ limit: 1 })
      assert.deepEqual([page.items[0]?.message.id, page.hasMore], [first.id, true])
      const next = await place.messages.fetchPins({ before: page.items[0]?.pinnedAt ?? 0 })
      assert.deepEqual([next.items[0]?.message.id, next.hasMore], [second.id, false])
    }
  },
  {
    it: "sets last_pin_timestamp of the channel",
    source: docs("events/gateway-events", "channel-pins-update"),
    run: async ({ channel, recordEvents }) => {
      const place = await channel()
      const pins = recordEvents("CHANNEL_PINS_UPDATE")
      await (await place.send("keep")).pin()
      const told = await pins.first()
      assert.equal(told["channel_id"], place.id)
      assert.ok(typeof told["last_pin_timestamp"] === "string")
    }
  },
  {
    it: "limits a channel to 250 pins",
    source: codes,
    run: async ({ channel, you }) => {
      const place = await channel()
      const pin = async () => {
        const { id } = await you.send(place.id, "pin")
        return you.request("PUT", `/channels/${place.id}/messages/pins/${id}`)
      }
      for (let count = 0; count < 250; count++) await pin()
      await refused(30_003, (await place.send("one more")).pin())
    }
  },
  {
    it: "refuses messages in forums and lists none",
    // Seen on the live API; the code that the documentation has for forums is not the one that comes.
    source: "https://github.com/appwrite/grafana-oncall/pull/26",
    run: async ({ client, forum }) => {
      const path = Routes.channelMessages((await forum()).id)
      await refused(50_008, client.rest.post(path, { body: { content: "x" } }))
      assert.deepEqual(await client.rest.get(path), [])
    }
  }
]
