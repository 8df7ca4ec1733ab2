import assert from "node:assert/strict"
import { ChannelType, type Message, Routes, WebhookClient } from "discord.js"
import { type Behaviour, docs, type Json, refused, type ProbeContext } from "./ProbeContext.ts"

const webhookPage = (section: string): string => docs("resources/webhook", section)
const codes = docs("topics/opcodes-and-status-codes", "json")

const hooked = async ({ channel }: Pick<ProbeContext, "channel">) => {
  const place = await channel()
  return { place, hook: await place.createWebhook({ name: "News" }) }
}

/** Webhooks of channels. */
export const webhooks: ReadonlyArray<Behaviour> = [
  {
    it: "refuses names with Discord in them, and a sixteenth webhook in a channel",
    source: webhookPage("create-webhook"),
    run: async ({ channel }) => {
      const place = await channel()
      await refused(50_035, place.createWebhook({ name: "My Discord" }), ["name USERNAME_INVALID_CONTAINS"])
      for (let count = 0; count < 15; count++) await place.createWebhook({ name: `hook ${count}` })
      await refused(30_007, place.createWebhook({ name: "too many" }))
      assert.equal((await place.fetchWebhooks()).size, 15)
    }
  },
  {
    it: "returns the message only with wait=true",
    source: webhookPage("execute-webhook"),
    run: async ({ discord, ...scene }) => {
      const { hook } = await hooked(scene)
      const say = (query: string) =>
        fetch(`${discord.api}/v10${Routes.webhook(hook.id, hook.token ?? "")}${query}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ content: "news" })
        })
      assert.equal((await say("")).status, 204)
      const waited = await say("?wait=true")
      assert.equal(waited.status, 200)
      assert.equal(((await waited.json()) as Json)["webhook_id"], hook.id)
    }
  },
  {
    it: "sends under any name",
    source: webhookPage("execute-webhook"),
    run: async (scene) => {
      const { hook, place } = await hooked(scene)
      const said = await hook.send({ content: "news", username: "Reporter" })
      assert.deepEqual([said.webhookId, said.author.id, said.author.username], [hook.id, hook.id, "Reporter"])
      await refused(50_005, (await place.messages.fetch(said.id)).edit("other"))
      const edited = await hook.editMessage(said.id, "newer")
      assert.equal(edited.content, "newer")
      await hook.deleteMessage(said.id)
      await refused(10_008, place.messages.fetch({ message: said.id, force: true }))
    }
  },
  {
    it: "is authorized by its own token alone",
    source: webhookPage("get-webhook-with-token"),
    run: async ({ discord, ...scene }) => {
      const { hook } = await hooked(scene)
      const rest = { api: discord.api }
      const alone = new WebhookClient({ id: hook.id, token: hook.token ?? "" }, { rest })
      assert.equal((await alone.fetchMessage((await alone.send("hi")).id)).content, "hi")
      await alone.edit({ name: "Newer" })
      await refused(50_027, new WebhookClient({ id: hook.id, token: "x".repeat(68) }, { rest }).send("hi"))
    }
  },
  {
    it: "sends to threads of its channel",
    source: webhookPage("execute-webhook"),
    run: async (scene) => {
      const { hook, place } = await hooked(scene)
      const thread = await place.threads.create({ name: "talk", type: ChannelType.PublicThread })
      const said = (await hook.send({ content: "here", threadId: thread.id })) as Message
      assert.equal(said.channelId, thread.id)
      assert.equal((await hook.fetchMessage(said.id, { threadId: thread.id })).content, "here")
    }
  },
  {
    it: "creates forum posts, which need a thread_name or thread_id",
    source: webhookPage("execute-webhook"),
    run: async ({ channel, forum }) => {
      const hook = await (await forum()).createWebhook({ name: "News" })
      await refused(220_001, hook.send("news"))
      const said = await hook.send({ content: "news", threadName: "today" })
      assert.equal(said.channelId, said.id)
      const plain = await (await channel()).createWebhook({ name: "News" })
      await refused(220_003, plain.send({ content: "news", threadName: "today" }))
    }
  },
  {
    it: "mentions only users without allowed_mentions",
    source: docs("resources/message", "allowed-mentions-object"),
    run: async (scene) => {
      const { hook } = await hooked(scene)
      const content = `<@${scene.sam.id}> @everyone`
      const said = await hook.send(content)
      assert.deepEqual([said.mentions.users.size, said.mentions.everyone], [1, false])
      const allowed = await hook.send({ content, allowedMentions: { parse: ["everyone"] } })
      assert.deepEqual([allowed.mentions.users.size, allowed.mentions.everyone], [0, true])
    }
  },
  {
    it: "is deleted with its channel and sends WEBHOOKS_UPDATE",
    source: docs("events/gateway-events", "webhooks-update"),
    run: async ({ client, recordEvents, ...scene }) => {
      const updates = recordEvents("WEBHOOKS_UPDATE")
      const { hook, place } = await hooked(scene)
      assert.equal((await updates.first())["channel_id"], place.id)
      await place.delete()
      await refused(10_015, client.rest.get(Routes.webhook(hook.id)))
    }
  },
  {
    it: "requires Manage Webhooks",
    source: webhookPage("create-webhook"),
    run: async ({ channel, client }) => {
      const place = await channel()
      await place.permissionOverwrites.create(client.user.id, { ManageWebhooks: false })
      await refused(50_013, place.createWebhook({ name: "News" }))
    }
  },
  {
    it: "answers 10015 for an unknown webhook",
    source: codes,
    run: async ({ client }) => refused(10_015, client.rest.get(Routes.webhook("100000000000000000")))
  }
]
