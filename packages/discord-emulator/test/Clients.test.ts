import assert from "node:assert/strict"
import { API, Client, GatewayDispatchEvents, GatewayIntentBits, MessageFlags } from "@discordjs/core"
import { DiscordAPIError, REST } from "@discordjs/rest"
import { WebSocketManager } from "@discordjs/ws"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { contents, ready, resumed, sessionOf } from "./support/RawClient.ts"

describe("@discordjs/core", () => {
  let emulator: Emulator
  let gateway: WebSocketManager
  let client: Client
  let api: API
  beforeAll(async () => {
    emulator = await startEmulator({ limits: "fast" })
    const rest = new REST({ api: emulator.api }).setToken(emulator.botToken)
    const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits
    gateway = new WebSocketManager({
      token: emulator.botToken,
      intents: Guilds | GuildMessages | MessageContent,
      rest
    })
    client = new Client({ rest, gateway })
    api = client.api
    const guild = new Promise<void>((resolve) => client.once(GatewayDispatchEvents.GuildCreate, () => resolve()))
    await gateway.connect()
    await guild
  })
  afterAll(async () => {
    await gateway.destroy()
    await emulator.close()
  })

  it("receives messages and replies", async () => {
    client.once(GatewayDispatchEvents.MessageCreate, ({ data }) => {
      void api.channels.createMessage(data.channel_id, {
        content: `you said ${data.content}`,
        message_reference: { message_id: data.id }
      })
    })
    await emulator.user("Sam").send(emulator.channelId, "hello")
    const answer = await emulator.waitFor(() =>
      emulator.messages(emulator.channelId).find(({ content }) => content === "you said hello")
    )
    assert.equal(answer.referenced_message?.content, "hello")
  })

  it("registers a command, defers and edits the response", async () => {
    await api.applicationCommands.createGuildCommand(emulator.applicationId, emulator.guildId, {
      name: "core",
      description: "Answers"
    })
    client.once(GatewayDispatchEvents.InteractionCreate, ({ data }) => {
      void api.interactions
        .defer(data.id, data.token, { flags: MessageFlags.Ephemeral })
        .then(() => api.interactions.editReply(data.application_id, data.token, { content: "done" }))
    })
    const answer = await emulator.user("Sam").command(emulator.channelId, "core")
    assert.equal((await answer.settled()).content, "done")
  })

  it("reads the guild, members and roles with Discord's types", async () => {
    const guild = await api.guilds.get(emulator.guildId, { with_counts: true })
    assert.deepEqual([guild.owner_id, guild.approximate_member_count], [emulator.user("You").id, 3])
    const role = await api.guilds.createRole(emulator.guildId, { name: "core" })
    await api.guilds.addRoleToMember(emulator.guildId, emulator.user("Sam").id, role.id)
    const member = await api.guilds.getMember(emulator.guildId, emulator.user("Sam").id)
    assert.deepEqual(member.roles, [role.id])
  })

  it("creates and archives a thread, which then refuses edits", async () => {
    const { id } = await api.channels.createMessage(emulator.channelId, { content: "start" })
    const thread = await api.channels.createThread(emulator.channelId, { name: "talk" }, id)
    const said = await api.channels.createMessage(thread.id, { content: "said" })
    await api.channels.edit(thread.id, { archived: true })
    await assert.rejects(
      api.channels.editMessage(thread.id, said.id, { content: "other" }),
      (error) => error instanceof DiscordAPIError && error.code === 50_083
    )
  })
})

describe("a bare WebSocket", () => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator({ limits: "fast" })
  })
  afterAll(() => emulator.close())

  it("receives HELLO, READY and GUILD_CREATE in sequence", async () => {
    const raw = await ready(emulator)
    assert.equal(raw.frames[0]?.op, 10)
    assert.deepEqual(
      raw.frames.filter(({ op }) => op === 0).map(({ s, t }) => [s, t]),
      [
        [1, "READY"],
        [2, "GUILD_CREATE"]
      ]
    )
    raw.socket.close(1000)
  })

  it("receives role and overwrite events as documented", async () => {
    const raw = await ready(emulator)
    const you = emulator.user("You")
    const role = (await you.request("POST", `/guilds/${emulator.guildId}/roles`, { name: "raw" })) as { id: string }
    const created = await raw.event("GUILD_ROLE_CREATE")
    const made = created.d?.["role"] as { id: string } | undefined
    assert.deepEqual([created.d?.["guild_id"], made?.id], [emulator.guildId, role.id])
    await you.request("PUT", `/channels/${emulator.channelId}/permissions/${role.id}`, { type: 0, deny: "64" })
    const updated = await raw.event("CHANNEL_UPDATE")
    assert.deepEqual(updated.d?.["permission_overwrites"], [{ id: role.id, type: 0, allow: "0", deny: "64" }])
    await you.request("DELETE", `/guilds/${emulator.guildId}/roles/${role.id}`)
    assert.equal((await raw.event("GUILD_ROLE_DELETE")).d?.["role_id"], role.id)
    raw.socket.close(1000)
  })

  it("receives missed events on resume", async () => {
    const raw = await ready(emulator)
    const { id, sequence } = sessionOf(raw)
    raw.socket.terminate()
    await raw.closed()
    await emulator.user("Sam").send(emulator.channelId, "missed")
    const again = await resumed(emulator, id, sequence)
    assert.deepEqual(contents(again), ["missed"])
    again.socket.close(1000)
  })
})
