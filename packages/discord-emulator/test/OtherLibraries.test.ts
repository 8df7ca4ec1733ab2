import assert from "node:assert/strict"
import { GatewayIntentBits } from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { ready } from "./support/RawClient.ts"

/** The forms that clients in other languages use, such as discord.py, which sends ids as numbers. */
describe("a client in another language", () => {
  let emulator: Emulator
  beforeAll(async () => {
    emulator = await startEmulator({ limits: "fast" })
  })
  afterAll(() => emulator.close())

  /** Sends a body as it is: an id in it may be a number that JavaScript cannot hold. */
  const call = async (method: string, path: string, body?: string, version = "v10") => {
    const response = await fetch(`${emulator.api}/${version}${path}`, {
      method,
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body })
    })
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Record<string, unknown> }
  }
  const messages = () => `/channels/${emulator.channelId}/messages`

  it("replies to a message whose id is a number, and keeps such digits in a text", async () => {
    const { id } = await emulator.user().send(emulator.channelId, "hello")
    const text = `${id} "${id}" \\\\" ${id}`
    const content = JSON.stringify(text)
    const body = `{"content": ${content}, "nonce": 12345678901234567890, "message_reference": {"message_id": ${id}}}`
    const answer = await call("POST", messages(), body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body["content"], text)
    assert.deepEqual((answer.body["referenced_message"] as Record<string, unknown>)["id"], id)
  })

  it("opens a direct channel and gives a role by numbers", async () => {
    const sam = emulator.user("Sam")
    const direct = await call("POST", "/users/@me/channels", `{"recipient_id": ${sam.id}}`)
    assert.equal(direct.status, 200)
    assert.deepEqual(
      (direct.body["recipients"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id),
      [sam.id]
    )
    const role = await call("POST", `/guilds/${emulator.guildId}/roles`, `{"name": "helpers"}`)
    const member = await call(
      "PATCH",
      `/guilds/${emulator.guildId}/members/${sam.id}`,
      `{"roles": [${String(role.body["id"])}]}`
    )
    assert.deepEqual(member.body["roles"], [role.body["id"]])
  })

  it("finds members by numbers over the gateway", async () => {
    const raw = await ready(emulator, GatewayIntentBits.Guilds)
    const { id } = emulator.user("Sam")
    raw.send(`{"op": 8, "d": {"guild_id": ${emulator.guildId}, "user_ids": [${id}], "limit": 0}}`)
    const { d = {} } = await raw.event("GUILD_MEMBERS_CHUNK")
    assert.deepEqual(
      (d["members"] as ReadonlyArray<{ readonly user: { readonly id: string } }>).map(({ user }) => user.id),
      [id]
    )
    raw.socket.close()
  })

  it.each(["true", "True", "1"])("writes a boolean of a query as %s", async (value) => {
    const { body } = await call("GET", `/guilds/${emulator.guildId}?with_counts=${value}`)
    assert.equal(typeof body["approximate_member_count"], "number")
  })

  it("is refused with an old version, and served with the last two", async () => {
    assert.deepEqual(
      await Promise.all(
        ["v6", "v8", "v9", "v10"].map(async (v) => (await call("GET", "/users/@me", undefined, v)).status)
      ),
      [400, 400, 200, 200]
    )
    assert.equal((await call("GET", "/users/@me", undefined, "v6")).body["code"], 50_041)
  })

  it("sees discriminators of bots, nonces of people's messages, and who joined a thread", async () => {
    const me = await call("GET", "/users/@me")
    assert.match(String(me.body["discriminator"]), /^(?!0000)\d{4}$/)
    const { Guilds, GuildMembers, GuildMessages, MessageContent } = GatewayIntentBits
    const raw = await ready(emulator, Guilds | GuildMembers | GuildMessages | MessageContent)
    await emulator.user().send(emulator.channelId, "with a nonce")
    const { d: message } = await raw.event("MESSAGE_CREATE")
    assert.match(String(message?.["nonce"]), /^\d{17,19}$/)
    const thread = await call("POST", `/channels/${emulator.channelId}/threads`, `{"name": "talk", "type": 11}`)
    const { id } = emulator.user("Sam")
    await call("PUT", `/channels/${String(thread.body["id"])}/thread-members/${id}`)
    const added = await raw.until(() =>
      raw.frames
        .filter(({ t }) => t === "THREAD_MEMBERS_UPDATE")
        .flatMap(({ d }) => d?.["added_members"] as ReadonlyArray<Record<string, unknown>>)
        .find((each) => each["user_id"] === id)
    )
    assert.equal((added["member"] as { readonly user: { readonly username: string } }).user.username, "Sam")
    assert.equal(added["presence"], null)
    raw.socket.close()
  })
})
