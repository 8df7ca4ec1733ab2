import assert from "node:assert/strict"
import { AttachmentBuilder, EmbedBuilder, Events, type GuildTextBasedChannel, type Message } from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Stage, stage } from "./support/Bot.ts"

/** The smallest PNG: one grey pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  "base64"
)

describe("a bot and a person in one channel", () => {
  let on: Stage
  let channel: GuildTextBasedChannel
  beforeAll(async () => {
    on = await stage()
    channel = (await on.client.channels.fetch(on.emulator.channelId)) as GuildTextBasedChannel
  })
  afterAll(() => on.close())

  const heard = (text: string): Promise<Message> =>
    new Promise((resolve) => {
      const listen = (message: Message): void => {
        if (message.content !== text) return
        on.client.off(Events.MessageCreate, listen)
        resolve(message)
      }
      on.client.on(Events.MessageCreate, listen)
    })

  it("delivers a message to the bot and its reply to the person", async () => {
    const { client, emulator } = on
    assert.equal(client.user.id, emulator.applicationId)
    assert.deepEqual(
      client.guilds.cache.map((guild) => guild.name),
      ["Local server"]
    )
    const hearing = heard("hello")
    const sent = await emulator.user().send(emulator.channelId, "hello")
    await (await hearing).reply("You said hello")
    const answer = await emulator.waitFor(() => emulator.messages(emulator.channelId)[1])
    assert.equal(answer.content, "You said hello")
    assert.equal(answer.message_reference?.message_id, sent.id)
    assert.equal(emulator.transcript(emulator.channelId), "You: hello\nBot [bot] → You: You said hello")
  })

  it("shows a streamed answer growing in one message", async () => {
    const message = await channel.send("one")
    const seen: Array<string> = []
    const stop = on.emulator.on((event) => {
      if (event.type === "message_update" && event.message.id === message.id) seen.push(event.message.content)
    })
    for (const text of ["one two", "one two three"]) await message.edit(text)
    stop()
    assert.deepEqual(seen, ["one two", "one two three"])
    const now = on.emulator.messages(channel.id).find(({ id }) => id === message.id)
    assert.notEqual(now?.edited_timestamp, null)
  })

  it("tells the bot about edits, deletions, reactions and typing of people", async () => {
    const { client, emulator } = on
    const sam = emulator.user("Sam")
    const once = <A>(event: string, read: (...args: Array<never>) => A): Promise<A> =>
      new Promise((resolve) => client.once(event, (...args) => resolve(read(...(args as Array<never>)))))
    const hearing = heard("draft")
    const sent = await sam.send(emulator.channelId, "draft")
    await hearing
    const edited = once(Events.MessageUpdate, (_before: Message, after: Message) => after.content)
    await sam.edit(emulator.channelId, sent.id, "final")
    assert.equal(await edited, "final")
    const added = once(
      Events.MessageReactionAdd,
      (reaction: { emoji: { name: string } }, user: { username: string }) => [reaction.emoji.name, user.username]
    )
    await sam.react(emulator.channelId, sent.id, "👍")
    assert.deepEqual(await added, ["👍", "Sam"])
    const removed = once(Events.MessageReactionRemove, (reaction: { emoji: { name: string } }) => reaction.emoji.name)
    await sam.unreact(emulator.channelId, sent.id, "👍")
    assert.equal(await removed, "👍")
    const typing = once(Events.TypingStart, (typed: { user: { id: string } }) => typed.user.id)
    await sam.typing(emulator.channelId)
    assert.equal(await typing, sam.id)
    const gone = once(Events.MessageDelete, (message: Message) => message.id)
    await sam.delete(emulator.channelId, sent.id)
    assert.equal(await gone, sent.id)
  })

  it("shows the bot's typing, reactions and deletions", async () => {
    const { emulator } = on
    const typing = emulator.waitFor(
      ((seen) => {
        emulator.on((event) => (seen ||= event.type === "typing" && event.userId === emulator.applicationId))
        return () => seen
      })(false)
    )
    await channel.sendTyping()
    await typing
    const message = await channel.send("soon gone")
    await message.react("🎉")
    assert.deepEqual(
      emulator
        .messages(channel.id)
        .find(({ id }) => id === message.id)
        ?.reactions?.map((one) => [one.emoji.name, one.count]),
      [["🎉", 1]]
    )
    await message.delete()
    assert.equal(
      emulator.messages(channel.id).some(({ id }) => id === message.id),
      false
    )
  })

  it("keeps files byte for byte, tells their type and never serves them as pages", async () => {
    const { emulator } = on
    const page = Buffer.from("<script>alert(1)</script>")
    const message = await channel.send({
      files: [
        new AttachmentBuilder(png, { name: "dot.png" }),
        new AttachmentBuilder(page, { name: "../../evil name.html" })
      ]
    })
    const [dot, evil] = [...message.attachments.values()]
    assert.deepEqual([dot?.contentType, dot?.width, dot?.height, dot?.size], ["image/png", 1, 1, png.length])
    assert.equal(evil?.name, "evil_name.html")
    const image = await fetch(dot?.url ?? "")
    assert.equal(image.headers.get("content-type"), "image/png")
    assert.deepEqual(Buffer.from(await image.arrayBuffer()), png)
    const served = await fetch(evil?.url ?? "")
    assert.match(served.headers.get("content-security-policy") ?? "", /^sandbox/)
    assert.equal(served.headers.get("content-disposition"), "attachment")
    assert.equal(await served.text(), "<script>alert(1)</script>")
    const kept = await message.edit({
      content: "still here",
      attachments: [...message.attachments.values()],
      files: [new AttachmentBuilder(page, { name: "more.txt" })]
    })
    assert.deepEqual(
      kept.attachments.map((file) => file.name),
      ["dot.png", "evil_name.html", "more.txt"]
    )
    const fewer = await kept.edit({
      attachments: [...kept.attachments.filter((file) => file.name === "more.txt").values()]
    })
    assert.deepEqual(
      fewer.attachments.map((file) => file.name),
      ["more.txt"]
    )
    const [fromPerson] = (
      await emulator.user().send(channel.id, "", [{ name: "a.csv", data: Buffer.from("a,b\n1,2\n") }])
    ).attachments
    assert.equal(fromPerson?.content_type, "text/csv; charset=utf-8")
    assert.equal(await (await fetch(fromPerson?.url ?? "")).text(), "a,b\n1,2\n")
  })

  it("shows a file inside an embed once, also after an edit", async () => {
    const embed = new EmbedBuilder().setTitle("Chart").setDescription("by month").setImage("attachment://chart.png")
    const message = await channel.send({ embeds: [embed], files: [new AttachmentBuilder(png, { name: "chart.png" })] })
    assert.equal(message.attachments.size, 0)
    const shown = message.embeds[0]?.image?.url ?? ""
    assert.deepEqual(Buffer.from(await (await fetch(shown)).arrayBuffer()), png)
    const first = message.embeds[0]
    assert.ok(first)
    const edited = await message.edit({ embeds: [EmbedBuilder.from(first).setDescription("by year")] })
    assert.equal(edited.embeds[0]?.image?.url, shown)
    assert.equal(edited.embeds[0]?.description, "by year")
    assert.match(on.emulator.transcript(channel.id), /│ # Chart\n {2}│ by year/)
  })

  it("lets bot and person talk in private", async () => {
    const { client, emulator } = on
    const sam = emulator.user("Sam")
    const user = await client.users.fetch(sam.id)
    const direct = await user.createDM()
    await direct.send("just us")
    assert.equal(emulator.messages(direct.id)[0]?.content, "just us")
    const hearing = heard("secret")
    await sam.send(direct.id, "secret")
    assert.equal((await hearing).guild, null)
    await assert.rejects(emulator.user("You").send(direct.id, "let me in"), /Unknown Channel/)
  })

  it("reads history around, before and after a message", async () => {
    const sent: Array<Message> = []
    for (const text of ["m1", "m2", "m3", "m4", "m5"]) sent.push(await channel.send(text))
    const texts = async (options: object): Promise<ReadonlyArray<string>> =>
      [...(await channel.messages.fetch({ cache: false, ...options })).values()].map((message) => message.content)
    assert.deepEqual(await texts({ limit: 2 }), ["m5", "m4"])
    assert.deepEqual(await texts({ after: sent[1]?.id, limit: 2 }), ["m4", "m3"])
    assert.deepEqual(await texts({ before: sent[2]?.id, limit: 2 }), ["m2", "m1"])
    assert.deepEqual(await texts({ around: sent[2]?.id, limit: 3 }), ["m4", "m3", "m2"])
  })
})
