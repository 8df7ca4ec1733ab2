import assert from "node:assert/strict"
import {
  ChannelType,
  type DiscordAPIError,
  Events,
  type ForumChannel,
  MessageType,
  type TextChannel,
  ThreadAutoArchiveDuration,
  type ThreadChannel
} from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Stage, stage } from "./support/Bot.ts"

describe("threads", () => {
  let on: Stage
  let channel: TextChannel
  beforeAll(async () => {
    on = await stage()
    channel = (await on.client.channels.fetch(on.emulator.channelId)) as TextChannel
  })
  afterAll(() => on.close())

  const code = (run: Promise<unknown>): Promise<unknown> =>
    run.then(
      () => "accepted",
      (error: DiscordAPIError) => error.code
    )
  const createForum = async (name: string, tag: string): Promise<ForumChannel> =>
    (await channel.guild.channels.create({
      name,
      type: ChannelType.GuildForum,
      availableTags: [{ name: tag }]
    })) as ForumChannel
  const created = (): Promise<ThreadChannel> => new Promise((resolve) => on.client.once(Events.ThreadCreate, resolve))

  it("starts one thread from a message, with the id of the message", async () => {
    const { emulator } = on
    const message = await channel.send("a task")
    const announced = created()
    const thread = await message.startThread({ name: "Task 1", autoArchiveDuration: ThreadAutoArchiveDuration.OneDay })
    assert.equal((await announced).id, thread.id)
    assert.equal(thread.id, message.id)
    assert.equal(
      await code(
        on.client.rest.post(`/channels/${channel.id}/messages/${message.id}/threads`, { body: { name: "again" } })
      ),
      160_004
    )
    assert.deepEqual(emulator.threads(), [
      { id: thread.id, name: "Task 1", parentId: channel.id, archived: false, locked: false }
    ])
    await thread.send("working on it")
    await emulator.user().send(thread.id, "thanks")
    assert.equal(
      emulator.transcript(thread.id),
      "Bot [bot]: (start of the thread) a task\nBot [bot]: working on it\nYou: thanks"
    )
    const [starter] = emulator.messages(thread.id)
    assert.equal(starter?.type, MessageType.ThreadStarterMessage)
    assert.equal(starter?.message_reference?.message_id, message.id)
    assert.equal(starter?.referenced_message?.content, "a task")
    const parent = emulator.messages(channel.id).find(({ id }) => id === message.id)
    assert.equal(parent?.thread?.name, "Task 1")
  })

  it("starts a thread without a message and announces it", async () => {
    const thread = await channel.threads.create({ name: "Loose", type: ChannelType.PublicThread })
    assert.notEqual(thread.type, ChannelType.PrivateThread)
    const last = on.emulator.messages(channel.id).at(-1)
    assert.equal(last?.type, MessageType.ThreadCreated)
    assert.equal(last?.message_reference?.channel_id, thread.id)
  })

  it("hides a private thread from non-members", async () => {
    const thread = await channel.threads.create({ name: "Hidden", type: ChannelType.PrivateThread })
    const sam = on.emulator.user("Sam")
    await assert.rejects(sam.send(thread.id, "hi"), /Unknown Channel/)
    await thread.members.add(sam.id)
    await sam.send(thread.id, "hi")
    assert.equal(on.emulator.transcript(thread.id), "Bot [bot]: added Sam\nSam: hi")
  })

  it("renames, archives, unarchives on a message, and refuses edits while archived", async () => {
    const { emulator } = on
    const thread = await channel.threads.create({ name: "Work", type: ChannelType.PublicThread })
    const message = await thread.send("status")
    await thread.setName("Work done")
    await thread.setArchived(true)
    const state = () => emulator.threads().find(({ id }) => id === thread.id)
    assert.deepEqual([state()?.name, state()?.archived], ["Work done", true])
    assert.equal(await code(message.edit("late")), 50_083)
    assert.equal(await code(thread.setName("No")), 50_083)
    const archived = await channel.threads.fetchArchived()
    assert.deepEqual(
      archived.threads.map((one) => one.name),
      ["Work done"]
    )
    const opened = new Promise<boolean | null>((resolve) =>
      on.client.once(Events.ThreadUpdate, (_, after) => resolve(after.archived))
    )
    await emulator.user("Sam").send(thread.id, "one more thing")
    assert.equal(await opened, false)
    assert.equal(state()?.archived, false)
    await message.edit("in time")
  })

  it("lets only moderators write in a locked thread", async () => {
    const { emulator } = on
    const thread = await channel.threads.create({ name: "Locked", type: ChannelType.PublicThread })
    await thread.setLocked(true)
    await assert.rejects(emulator.user("Sam").send(thread.id, "hello?"), /Thread is locked/)
    await emulator.user("You").send(thread.id, "I may")
    await thread.send("me too")
    assert.equal(emulator.transcript(thread.id), "You: I may\nBot [bot]: me too")
  })

  it("sends forum posts to the bot and keeps the ids of existing tags", async () => {
    const { client, emulator } = on
    const forum = await createForum("questions", "urgent")
    const [urgent] = forum.availableTags
    const announced = created()
    const first = new Promise<string>((resolve) =>
      client.once(Events.MessageCreate, (message) => resolve(`${message.id === message.channelId} ${message.content}`))
    )
    const post = await emulator.user().post(forum.id, "Why", "why so", { tags: [urgent?.id ?? ""] })
    assert.deepEqual((await announced).appliedTags, [urgent?.id])
    assert.equal(await first, "true why so")
    const { availableTags } = await forum.setAvailableTags([...forum.availableTags, { name: "done" }])
    assert.deepEqual(
      availableTags.map(({ name }) => name),
      ["urgent", "done"]
    )
    assert.equal(availableTags[0]?.id, urgent?.id)
    await assert.rejects(emulator.user().post(channel.id, "Why", "here"), /not a forum/)
    await emulator.user().send(post.id, "and more")
  })

  it("opens a forum post with its first message, tags and all", async () => {
    const { client, emulator } = on
    const forum = await createForum("Ideas", "new")
    const tag = forum.availableTags[0]?.id ?? ""
    const post = await forum.threads.create({ name: "An idea", message: { content: "what if" }, appliedTags: [tag] })
    assert.deepEqual(post.appliedTags, [tag])
    assert.deepEqual(
      emulator.messages(post.id).map(({ content, id }) => [id === post.id, content]),
      [[true, "what if"]]
    )
    assert.equal(await code(client.rest.post(`/channels/${forum.id}/messages`, { body: { content: "no" } })), 50_008)
    assert.equal(await code(forum.threads.create({ name: "Empty", message: { content: "" } })), 50_006)
    assert.equal(
      emulator.threads().some(({ name }) => name === "Empty"),
      false
    )
  })

  it("sends THREAD_DELETE", async () => {
    const thread = await channel.threads.create({ name: "Short", type: ChannelType.PublicThread })
    const gone = new Promise<string>((resolve) => on.client.once(Events.ThreadDelete, (one) => resolve(one.id)))
    await thread.delete()
    assert.equal(await gone, thread.id)
    assert.equal(await code(thread.send("anyone?")), 10_003)
  })
})
