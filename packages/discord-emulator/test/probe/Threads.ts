import assert from "node:assert/strict"
import { ChannelFlags, ChannelType, MessageFlags, MessageType, Routes, type ThreadChannel } from "discord.js"
import { type Behaviour, docs, type Json, refused, type ProbeContext } from "./ProbeContext.ts"

const threadTopic = (section: string): string => docs("topics/threads", section)
const channels = (section: string): string => docs("resources/channel", section)
const active = threadTopic("active--archived-threads")

const open = async ({ channel }: Pick<ProbeContext, "channel">, name = "talk"): Promise<ThreadChannel<false>> =>
  (await channel()).threads.create({ name, type: ChannelType.PublicThread })

const hour = 3_600_000

/** Threads and posts in forums. */
export const threads: ReadonlyArray<Behaviour> = [
  {
    it: "gives a thread the id of its message, once per message",
    source: channels("start-thread-from-message"),
    run: async ({ channel, client }) => {
      const sent = await (await channel()).send("start")
      const thread = await sent.startThread({ name: "talk" })
      assert.equal(thread.id, sent.id)
      assert.ok((await sent.fetch(true)).flags.has(MessageFlags.HasThread))
      const path = Routes.threads(sent.channelId, sent.id)
      await refused(160_004, client.rest.post(path, { body: { name: "again" } }))
    }
  },
  {
    it: "opens a private thread when no type is given",
    source: channels("start-thread-without-message"),
    run: async ({ channel, client }) => {
      const { id } = await channel()
      const made = (await client.rest.post(Routes.threads(id), { body: { name: "talk" } })) as Json
      assert.equal(made["type"], ChannelType.PrivateThread)
    }
  },
  {
    it: "unarchives a thread for a message in it",
    source: active,
    run: async (scene) => {
      const thread = await open(scene)
      await thread.setArchived(true)
      await thread.send("back")
      assert.equal((await scene.guild.channels.fetch(thread.id, { force: true }))?.isThread(), true)
      assert.equal((await thread.fetch(true)).archived, false)
    }
  },
  {
    it: "allows nothing in an archived thread but deleting messages",
    source: active,
    run: async (scene) => {
      const thread = await open(scene)
      const sent = await thread.send("said")
      await thread.setArchived(true)
      await refused(50_083, sent.edit("other"))
      await refused(50_083, sent.react("👍"))
      await refused(50_083, thread.setName("other"))
      await refused(50_083, thread.members.add(scene.sam.id))
      await sent.delete()
    }
  },
  {
    it: "keeps people out of locked threads, and lets moderators in",
    source: threadTopic("locked-threads"),
    run: async (scene) => {
      const thread = await open(scene)
      await thread.setLocked(true)
      await assert.rejects(scene.sam.send(thread.id, "hi"), /Thread is locked/)
      await thread.send("moderating")
    }
  },
  {
    it: "archives a thread in which nothing happened for as long as it is set to",
    source: active,
    run: async (scene) => {
      const { clock } = scene
      const thread = await open(scene)
      await thread.setAutoArchiveDuration(60)
      clock.advance(hour / 2)
      await thread.send("still talking")
      clock.advance(hour / 2 + 120_000)
      assert.equal((await thread.fetch(true)).archived, false)
      const updates = scene.recordEvents("THREAD_UPDATE")
      clock.advance(hour / 2)
      assert.equal(((await updates.first())["thread_metadata"] as Json)["archived"], true)
    }
  },
  {
    it: "takes SEND_MESSAGES for nothing in threads, and SEND_MESSAGES_IN_THREADS for all",
    source: docs("topics/permissions", "inherited-permissions-threads"),
    run: async (scene) => {
      const thread = await open(scene)
      await thread.parent?.permissionOverwrites.create(scene.guild.id, { SendMessages: false })
      await scene.sam.send(thread.id, "may")
      await thread.parent?.permissionOverwrites.create(scene.guild.id, { SendMessagesInThreads: false })
      await assert.rejects(scene.sam.send(thread.id, "may not"), /Missing Permissions/)
    }
  },
  {
    it: "makes who writes in a thread a member of it",
    source: threadTopic("thread-membership"),
    run: async (scene) => {
      const thread = await open(scene)
      await scene.sam.send(thread.id, "hi")
      assert.ok((await thread.members.fetch()).has(scene.sam.id))
    }
  },
  {
    it: "writes into a thread who was brought in by others, and its new name",
    source: threadTopic("new-message-types"),
    run: async (scene) => {
      const thread = await open(scene)
      await thread.members.add(scene.sam.id)
      await thread.setName("renamed")
      const [renamed, added] = [...(await thread.messages.fetch()).values()]
      assert.deepEqual([added?.type, added?.mentions.users.first()?.id], [MessageType.RecipientAdd, scene.sam.id])
      assert.deepEqual([renamed?.type, renamed?.content], [MessageType.ChannelNameChange, "renamed"])
    }
  },
  {
    it: "returns only thread members, with the guild member on request",
    source: channels("get-thread-member"),
    run: async (scene) => {
      const thread = await open(scene)
      await refused(10_007, thread.members.fetch({ member: scene.sam.id, force: true }))
      await thread.members.add(scene.sam.id)
      const found = await thread.members.fetch({ member: scene.sam.id, force: true, withMember: true })
      assert.equal(found.guildMember?.user.username, "Sam")
    }
  },
  {
    it: "hides private threads from users who are not in them and are no moderators",
    source: threadTopic("public--private-threads"),
    run: async ({ channel, sam }) => {
      const place = await channel()
      const thread = await place.threads.create({ name: "private", type: ChannelType.PrivateThread })
      await assert.rejects(sam.send(thread.id, "hi"), /Unknown Channel/)
      await thread.members.add(sam.id)
      await sam.send(thread.id, "hi")
    }
  },
  {
    it: "lists archived threads by when they were archived, in pages",
    source: channels("list-public-archived-threads"),
    run: async ({ channel, clock }) => {
      const place = await channel()
      const made = []
      for (const name of ["a", "b", "c"])
        made.push(await place.threads.create({ name, type: ChannelType.PublicThread }))
      for (const thread of made.toReversed()) {
        clock.advance(1000)
        await thread.setArchived(true)
      }
      const page = await place.threads.fetchArchived({ limit: 2 })
      assert.deepEqual([[...page.threads.values()].map(({ name }) => name).join(""), page.hasMore], ["ab", true])
      const next = await place.threads.fetchArchived({ limit: 2, before: page.threads.last()?.archivedAt ?? 0 })
      assert.deepEqual([[...next.threads.values()].map(({ name }) => name).join(""), next.hasMore], ["c", false])
    }
  },
  {
    it: "sends an unarchived thread with the bot's membership",
    source: threadTopic("unarchiving-a-thread"),
    run: async (scene) => {
      const thread = await open(scene)
      await thread.setArchived(true)
      const member = scene.recordEvents("THREAD_MEMBER_UPDATE")
      await thread.setArchived(false)
      assert.equal((await member.first())["id"], thread.id)
    }
  },
  {
    it: "sends a thread to a bot that is added to it",
    source: threadTopic("gaining-access-to-private-threads"),
    run: async ({ channel, client, recordEvents, you }) => {
      const place = await channel()
      const made = (await you.request("POST", `/channels/${place.id}/threads`, { name: "private", type: 12 })) as Json
      const created = recordEvents("THREAD_CREATE")
      await you.request("PUT", `/channels/${String(made["id"])}/thread-members/${client.user.id}`)
      assert.equal((await created.first())["id"], made["id"])
    }
  },
  {
    it: "gives a post in a forum the id of its first message",
    source: channels("start-thread-in-forum-or-media-channel"),
    run: async ({ forum }) => {
      const post = await (await forum()).threads.create({ name: "post", message: { content: "first" } })
      assert.equal((await post.fetchStarterMessage())?.id, post.id)
    }
  },
  {
    it: "demands a tag where a forum requires one, and one that the forum has",
    source: threadTopic("forum-and-media-channel-fields"),
    run: async ({ forum }) => {
      const place = await forum({ availableTags: [{ name: "bug" }] })
      await place.edit({ flags: ChannelFlags.RequireTag })
      const post = (appliedTags: ReadonlyArray<string>) =>
        place.threads.create({ name: "post", message: { content: "first" }, appliedTags: [...appliedTags] })
      await refused(40_067, post([]))
      await refused(10_087, post(["100000000000000000"]))
      const [tag] = place.availableTags
      assert.deepEqual((await post([tag?.id ?? ""])).appliedTags, [tag?.id])
    }
  },
  {
    it: "leaves moderated tags to who manages threads",
    source: channels("forum-tag-object-forum-tag-structure"),
    run: async ({ forum, sam }) => {
      const place = await forum({ availableTags: [{ name: "done", moderated: true }] })
      const tags = place.availableTags.map(({ id }) => id)
      await assert.rejects(sam.post(place.id, "post", "first", { tags }), /Missing Permissions/)
      await place.threads.create({ name: "post", message: { content: "first" }, appliedTags: tags })
    }
  },
  {
    it: "takes 20 tags of 20 characters, each once, and 5 of them on a post",
    source: channels("modify-channel-json-params-guild-channel"),
    run: async ({ forum }) => {
      const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `tag ${index}` }))
      const place = await forum({ availableTags: names(20) })
      await refused(50_035, place.setAvailableTags(names(21)), ["available_tags BASE_TYPE_MAX_LENGTH"])
      await refused(50_035, place.setAvailableTags([{ name: "x".repeat(21) }]))
      await refused(40_061, place.setAvailableTags([{ name: "a" }, { name: "a" }]))
      const appliedTags = place.availableTags.slice(0, 6).map(({ id }) => id)
      await refused(50_035, place.threads.create({ name: "post", message: { content: "first" }, appliedTags }), [
        "applied_tags BASE_TYPE_MAX_LENGTH"
      ])
    }
  },
  {
    it: "copies the slow mode for posts from their forum when they are made",
    source: threadTopic("forum-and-media-channel-fields"),
    run: async ({ forum }) => {
      const place = await forum({ defaultThreadRateLimitPerUser: 30 })
      const post = await place.threads.create({ name: "post", message: { content: "first" } })
      assert.equal(post.rateLimitPerUser, 30)
    }
  },
  {
    it: "has one post at the top of a forum, which archives itself never and loses its place when archived",
    source: threadTopic("forum-and-media-channel-thread-fields"),
    run: async ({ clock, forum }) => {
      const place = await forum()
      const make = (name: string) =>
        place.threads.create({ name, message: { content: "first" }, autoArchiveDuration: 60 })
      const [top, other] = [await make("top"), await make("other")]
      await top.pin()
      await refused(30_047, other.pin())
      clock.advance(2 * hour)
      assert.deepEqual([(await top.fetch(true)).archived, (await other.fetch(true)).archived], [false, true])
      await top.setArchived(true)
      assert.equal((await top.fetch(true)).flags.has(ChannelFlags.Pinned), false)
    }
  }
]
