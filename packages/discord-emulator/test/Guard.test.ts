import assert from "node:assert/strict"
import { request } from "node:http"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import { spawnEmulator } from "./support/Cli.ts"
import { ready } from "./support/RawClient.ts"

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({
    limits: { profile: "fast", invalidRequests: { limit: 20, windowMs: 600_000 } }
  })
})
afterAll(() => emulator.close())

interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

/** Asks with headers that `fetch` would not send. */
const ask = (path: string, { body, headers = {}, method = "GET" }: RequestOptions = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request(new URL(path, emulator.page), { method, headers }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += String(chunk)))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }))
    })
    asked.on("error", reject)
    asked.end(body)
  })

const authorized = () => ({ authorization: `Bot ${emulator.botToken}` })
const json = () => ({ ...authorized(), "content-type": "application/json" })
const messages = () => `/api/v10/channels/${emulator.channelId}/messages`
const codeOf = ({ body, status }: { readonly status: number; readonly body: string }) => ({
  status,
  code: (JSON.parse(body) as { readonly code: number }).code
})

describe("a foreign web page", () => {
  const foreign: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ["a request with its origin", { origin: "https://evil.example" }],
    ["a picture or a script, which has no origin", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { "sec-fetch-site": "same-site" }],
    ["a page without an origin", { origin: "null" }],
    ["a link into it", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }]
  ]
  it.each(foreign)("cannot reach the API, with or without a token: %s", async (_name, headers) => {
    for (const path of ["/api/v10/gateway", "/api/v10/users/@me", "/api/v10/webhooks/1/x", "/api"])
      for (const method of ["GET", "POST"]) {
        const refused = await ask(path, { method, headers: { ...headers, ...authorized() } })
        assert.equal(refused.status, 403)
        assert.match(refused.body, /other pages/)
      }
  })

  it("does not count towards the invalid requests of the bot", async () => {
    for (let count = 0; count < 30; count++)
      await ask("/api/v10/users/@me", { headers: { "sec-fetch-site": "cross-site" } })
    assert.equal((await ask("/api/v10/users/@me", { headers: authorized() })).status, 200)
  })

  it("is refused before its body is read", async () => {
    const headers = { origin: "https://evil.example", "content-length": String(20 * 1024 * 1024) }
    const refused = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(new URL(messages(), emulator.page), { method: "POST", headers }, (response) => {
        resolve(response.statusCode)
        asked.destroy()
      })
      asked.on("error", reject)
      asked.write("[")
    })
    assert.equal(refused, 403)
  })

  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
  it("can link to the page, but not frame it, post a form or act", async () => {
    assert.equal((await ask("/", { headers: link })).status, 200)
    const act = { headers: { ...link, origin: "https://evil.example" }, method: "POST" }
    const refused: ReadonlyArray<readonly [string, RequestOptions]> = [
      ["/", { headers: { ...link, "sec-fetch-dest": "iframe" } }],
      ["/", { headers: { ...link, "sec-fetch-mode": "no-cors" } }],
      ["/", { headers: { ...link, origin: "https://evil.example" } }],
      ["/", act],
      [`/page/api/messages?channel=${emulator.channelId}`, { headers: link }],
      ["/page/api/events", { headers: link }],
      [`/page/api/messages?channel=${emulator.channelId}`, act]
    ]
    for (const [path, asked] of refused)
      assert.equal((await ask(path, asked)).status, 403, JSON.stringify([path, asked]))
  })
})

describe("a large body", () => {
  const wide = (bytes: number): string => `[${"[],".repeat(bytes / 3)}[]]`

  it("is not read without the token", async () => {
    const body = wide(20 * 1024 * 1024)
    const before = process.cpuUsage()
    const answer = await ask(messages(), { method: "POST", headers: { ...json(), authorization: "Bot no" }, body })
    const spent = process.cpuUsage(before)
    assert.equal(answer.status, 401)
    // Reading it as JSON takes seconds; the client of this test runs in the same process.
    assert.ok(spent.user + spent.system < 1_000_000, JSON.stringify(spent))
  })

  it("is refused above 1 MiB of JSON, also in a form, and above 25 MiB with files", async () => {
    const tooLarge = { status: 413, code: 40_005 }
    const text = (size: number) => JSON.stringify({ content: "x".repeat(size) })
    const post = (body: string | Buffer, headers: Record<string, string> = json()) =>
      ask(messages(), { method: "POST", headers, body }).then(codeOf)
    assert.deepEqual(await post(text(1024 * 1024)), tooLarge)
    assert.deepEqual(await post(text(1000 * 1024)), { status: 400, code: 50_035 })
    const boundary = "-".repeat(10) + "b".repeat(20)
    const form = { ...authorized(), "content-type": `multipart/form-data; boundary=${boundary}` }
    const part = (name: string, value: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; ${name}\r\n\r\n${value}\r\n`
    const end = `--${boundary}--\r\n`
    assert.deepEqual(await post(part('name="payload_json"', text(1024 * 1024)) + end, form), tooLarge)
    assert.deepEqual(
      await post(part('name="files[0]"; filename="a.txt"', "x".repeat(25 * 1024 * 1024)) + end, form),
      tooLarge
    )
    const file = part('name="files[0]"; filename="a.txt"', "x".repeat(2 * 1024 * 1024))
    assert.equal((await ask(messages(), { method: "POST", headers: form, body: file + end })).status, 200)
    const pieces = part('name="x"', "x").repeat(100_000)
    assert.deepEqual(await post(pieces + end, form), tooLarge)
  })

  it("is accepted on routes with pictures", async () => {
    const avatar = `data:image/png;base64,${"A".repeat(4 * 1024 * 1024)}`
    const body = JSON.stringify({ name: "Webhook", avatar })
    const path = `/api/v10/channels/${emulator.channelId}/webhooks`
    assert.equal((await ask(path, { method: "POST", headers: json(), body })).status, 200)
  })
})

describe("values of the wrong type", () => {
  const odd: unknown = { toString: 1, valueOf: 1 }
  const values = [odd, [odd], { x: odd }, [[[]]], "__proto__", -1, 1e21, true, ["abc"]]
  it("cause no server error in any field of any route", { timeout: 60_000 }, async () => {
    // Its exchanges are not checked: Discord's description does not cover them.
    const child = await spawnEmulator(["--limits", "fast"], { HEDDLE_RECORD: "" })
    const { api, applicationId, botToken, channelId, guildId } = child.ready
    const headers = { authorization: `Bot ${botToken}`, "content-type": "application/json" }
    const send = async (method: string, path: string, body: unknown) => {
      const answer = await fetch(`${api}/v10${path}`, { method, headers, body: JSON.stringify(body) })
      return { status: answer.status, body: await answer.text() }
    }
    const made = async (path: string, body: object): Promise<{ id: string; token?: string }> =>
      JSON.parse((await send("POST", path, body)).body) as { id: string; token?: string }
    const message = await made(`/channels/${channelId}/messages`, { content: "x" })
    const thread = await made(`/channels/${channelId}/threads`, { name: "x", type: 11 })
    const forum = await made(`/guilds/${guildId}/channels`, { name: "x", type: 15 })
    const role = await made(`/guilds/${guildId}/roles`, { name: "x" })
    const hook = await made(`/channels/${channelId}/webhooks`, { name: "x" })
    const words = (text: string): ReadonlyArray<string> => text.split(" ")
    const routes: ReadonlyArray<readonly [string, string, string]> = [
      [
        "POST",
        `/channels/${channelId}/messages`,
        "content embeds components attachments flags nonce message_reference allowed_mentions"
      ],
      ["PATCH", `/channels/${channelId}/messages/${message.id}`, "content embeds components attachments flags"],
      ["POST", `/channels/${channelId}/messages/bulk-delete`, "messages"],
      [
        "PATCH",
        `/channels/${channelId}`,
        "topic parent_id position permission_overwrites rate_limit_per_user nsfw default_auto_archive_duration"
      ],
      ["PATCH", `/channels/${thread.id}`, "name archived locked auto_archive_duration applied_tags flags"],
      ["PATCH", `/channels/${forum.id}`, "available_tags default_reaction_emoji default_sort_order flags"],
      ["POST", `/channels/${forum.id}/threads`, "name message applied_tags auto_archive_duration"],
      ["PUT", `/channels/${channelId}/permissions/${role.id}`, "allow deny type"],
      ["PATCH", `/guilds/${guildId}/roles/${role.id}`, "name permissions color colors hoist"],
      ["PATCH", `/guilds/${guildId}/members/@me`, "nick roles communication_disabled_until"],
      ["PATCH", `/webhooks/${hook.id}`, "name channel_id avatar"],
      ["POST", `/webhooks/${hook.id}/${hook.token}`, "content username avatar_url thread_name embeds"],
      ["POST", "/users/@me/channels", "recipient_id"],
      [
        "POST",
        `/applications/${applicationId}/guilds/${guildId}/commands`,
        "name description type options default_member_permissions name_localizations"
      ]
    ]
    const base = { name: "x", description: "x", content: "x", message: { content: "x" } }
    const within: Readonly<Record<string, ReadonlyArray<(value: unknown) => unknown>>> = {
      message_reference: [(value) => ({ message_id: value })],
      allowed_mentions: words("parse users roles").map((key) => (value) => ({ [key]: value })),
      attachments: words("id filename description").map((key) => (value) => [{ [key]: value }]),
      embeds: words("title timestamp color footer image fields").map((key) => (value) => [
        { title: "x", [key]: value }
      ]),
      options: words("name type choices min_value max_length channel_types")
        .map((key) => (value: unknown): unknown => [{ name: "x", description: "x", type: 3, [key]: value }])
        .concat([
          (value) => [{ name: "x", description: "x", type: 3, choices: [{ name: "x", value }] }],
          (value) => [{ name: "x", description: "x", type: 4, min_value: value, choices: [{ name: value, value: 1 }] }]
        ]),
      permission_overwrites: words("id type allow deny").map((key) => (value) => [{ id: role.id, [key]: value }])
    }
    const broken: Array<string> = []
    for (const [method, path, keys] of routes)
      for (const key of words(keys))
        for (const value of values)
          for (const wrap of [(one: unknown) => one, ...(within[key] ?? [])]) {
            const body = { ...base, [key]: wrap(value) }
            const { status } = await send(method, path, body)
            if (status >= 500) broken.push(`${method} ${path} ${JSON.stringify(body)}: ${status}`)
          }
    for (const value of values)
      for (const path of [`/guilds/${guildId}/channels`, `/guilds/${guildId}/roles`])
        if ((await send("PATCH", path, [{ id: value, position: value }])).status >= 500) broken.push(path)
    assert.deepEqual(broken, [])
    const recipient = await send("POST", "/users/@me/channels", { recipient_id: odd })
    assert.deepEqual(codeOf(recipient), { status: 400, code: 50_035 })
    child.kill("SIGTERM")
    assert.equal((await child.exited).stderr, "")
  })

  it("cannot pollute prototypes", async () => {
    const path = `/applications/${emulator.applicationId}/commands`
    const body = `{"name":"x","description":"x","name_localizations":{"__proto__":"x","constructor":"x"}}`
    const answer = await ask(`/api/v10${path}`, { method: "POST", headers: json(), body })
    assert.equal(answer.status, 400)
    assert.match(answer.body, /"__proto__":\{"_errors"/)
    assert.equal("_errors" in {}, false)
  })

  it.each(["x.constructor", "x.__proto__", "x.toString", "constructor"])("are served as a file: %s", async (name) => {
    const file = { name, data: Buffer.from("x") }
    const { attachments } = await emulator.user().send(emulator.channelId, "", [file])
    const served = await fetch(attachments[0]?.url ?? "")
    assert.deepEqual([served.status, served.headers.get("content-type")], [200, "application/octet-stream"])
  })
})

describe("records of other users", () => {
  it("protects ephemeral messages of other users from bulk deletion", async () => {
    const other = await startEmulator({ limits: "fast" })
    const sam = other.user("Sam")
    const command = async (): Promise<string> => {
      const asked = sam.command(other.channelId, "hello")
      const { id, token } = await other.waitFor(() => interactions.shift())
      const body = JSON.stringify({ type: 4, data: { content: "only for Sam", flags: 64 } })
      const headers = { "content-type": "application/json" }
      await fetch(`${other.api}/v10/interactions/${id}/${token}/callback`, { method: "POST", headers, body })
      return (await asked).message?.id ?? ""
    }
    const interactions: Array<{ id: string; token: string }> = []
    const raw = await ready(other)
    raw.socket.on("message", (data) => {
      const frame = JSON.parse(String(data)) as { t: string; d: { id: string; token: string } }
      if (frame.t === "INTERACTION_CREATE") interactions.push(frame.d)
    })
    const headers = { authorization: `Bot ${other.botToken}`, "content-type": "application/json" }
    const commands = `${other.api}/v10/applications/${other.applicationId}/commands`
    await fetch(commands, { method: "POST", headers, body: JSON.stringify({ name: "hello", description: "x" }) })
    const hidden = await command()
    const shown = await other.user("You").send(other.channelId, "for all")
    const path = `/channels/${other.channelId}/messages/bulk-delete`
    await other.user("You").request("POST", path, { messages: [hidden, shown.id] })
    await fetch(`${other.api}/v10${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ messages: [hidden, shown.id] })
    })
    assert.deepEqual(other.messages(other.channelId), [])
    assert.deepEqual(
      sam.ephemerals(other.channelId).map(({ content }) => content),
      ["only for Sam"]
    )
    raw.socket.terminate()
    await other.close()
  })

  it("opens no direct channel between two people", async () => {
    const [you, sam] = [emulator.user("You"), emulator.user("Sam")]
    const { id: botId } = JSON.parse((await ask("/api/v10/users/@me", { headers: authorized() })).body) as {
      id: string
    }
    const open = (by: typeof sam, recipient: string) =>
      by.request("POST", "/users/@me/channels", { recipient_id: recipient }) as Promise<{
        id: string
        recipients: ReadonlyArray<{ id: string }>
      }>
    await assert.rejects(open(sam, you.id), /Cannot send messages to this user/)
    await assert.rejects(open(sam, sam.id), /Cannot send messages to this user/)
    const own = await open(sam, botId)
    assert.equal(own.id, await sam.openDirect())
    assert.deepEqual(
      own.recipients.map(({ id }) => id),
      [botId]
    )
    const body = JSON.stringify({ recipient_id: sam.id })
    const asBot = JSON.parse((await ask("/api/v10/users/@me/channels", { method: "POST", headers: json(), body })).body)
    assert.equal(asBot.id, own.id)
    assert.equal(asBot.recipients[0].id, sam.id)
  })
})
