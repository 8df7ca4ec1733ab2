import { createConnection } from "node:net"
import assert from "node:assert/strict"
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "vitest"
import { type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"

const minute = { limit: 2, windowMs: 60_000 }

describe("limits", () => {
  const withLimits = async (
    limits: EmulatorOptions["limits"],
    run: (
      call: (method: string, path: string, body?: object, token?: string) => Promise<Response>,
      on: Emulator
    ) => Promise<void>,
    options: EmulatorOptions = {}
  ): Promise<void> => {
    const emulator = await startEmulator({ ...options, ...(limits === undefined ? {} : { limits }) })
    try {
      await run(
        (method, path, body, token = emulator.botToken) =>
          fetch(`${emulator.api}/v10${path}`, {
            method,
            headers: { authorization: `Bot ${token}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          }),
        emulator
      )
    } finally {
      await emulator.close()
    }
  }
  const headersOf = ({ headers }: Response, ...names: ReadonlyArray<string>): Record<string, string | null> =>
    Object.fromEntries(names.map((name) => [name, headers.get(name)]))
  const bodyOf = async (response: Response): Promise<{ retry_after: number; message: string }> =>
    (await response.json()) as { retry_after: number; message: string }

  it("of a route refuse with headers and scope", () =>
    withLimits({ profile: "fast", buckets: { messages: minute } }, async (call, { channelId }) => {
      const send = () => call("POST", `/channels/${channelId}/messages`, { content: "hi" })
      const first = await send()
      await send()
      const refused = await send()
      const { retry_after: seconds, ...body } = await bodyOf(refused)
      assert.equal(refused.status, 429)
      assert.deepEqual(body, { message: "You are being rate limited.", global: false })
      assert.ok(seconds > 59 && seconds <= 60 && Number((seconds * 1000).toFixed(6)) % 1 === 0, String(seconds))
      const names = ["limit", "remaining", "scope", "global"].map((name) => `x-ratelimit-${name}`)
      assert.deepEqual(headersOf(refused, "retry-after", "via", ...names), {
        "retry-after": "60",
        via: "1.1 google",
        "x-ratelimit-limit": "2",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-scope": "user",
        "x-ratelimit-global": null
      })
      assert.equal(refused.headers.get("x-ratelimit-bucket"), first.headers.get("x-ratelimit-bucket"))
      assert.equal((await call("GET", `/channels/${channelId}`)).status, 200)
    }))

  it("of one route do not affect the bucket of another", () =>
    withLimits("discord", async (call, { channelId, guildId }) => {
      const paths = [`/channels/${channelId}`, `/guilds/${guildId}`, `/guilds/${guildId}/roles`, "/users/@me"]
      const answers = await Promise.all(paths.map((path) => call("GET", path)))
      const buckets = answers.map(({ headers }) => headers.get("x-ratelimit-bucket"))
      assert.equal(new Set(buckets).size, paths.length)
      assert.ok(buckets.every((bucket) => /^[\da-f]{32}$/.test(bucket ?? "")))
      const again = await call("GET", `/channels/${channelId}`)
      assert.equal(again.headers.get("x-ratelimit-remaining"), "48")
    }))

  it("of the whole bot refuse without the headers of a route", () =>
    withLimits({ profile: "fast", global: minute }, async (call) => {
      await call("GET", "/users/@me")
      await call("GET", "/gateway/bot")
      const refused = await call("GET", "/users/@me")
      assert.equal((await bodyOf(refused)).message, "You are being rate limited.")
      assert.deepEqual(
        headersOf(refused, "x-ratelimit-scope", "x-ratelimit-global", "x-ratelimit-limit", "retry-after"),
        {
          "x-ratelimit-scope": "global",
          "x-ratelimit-global": "true",
          "x-ratelimit-limit": null,
          "retry-after": "60"
        }
      )
    }))

  it("of renames are shared, and hidden until they are hit", () =>
    withLimits({ buckets: { rename: minute } }, async (call, { channelId }) => {
      const rename = (name: string) => call("PATCH", `/channels/${channelId}`, { name })
      const first = await rename("one")
      assert.deepEqual(headersOf(first, "x-ratelimit-limit", "x-ratelimit-remaining"), {
        "x-ratelimit-limit": "5",
        "x-ratelimit-remaining": "4"
      })
      await rename("two")
      const refused = await rename("three")
      assert.deepEqual(
        headersOf(refused, "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-scope", "retry-after"),
        {
          "x-ratelimit-limit": "5",
          "x-ratelimit-remaining": "2",
          "x-ratelimit-scope": "shared",
          "retry-after": "60"
        }
      )
      assert.equal((await bodyOf(refused)).message, "The resource is being rate limited.")
      assert.equal((await call("PATCH", `/channels/${channelId}`, { position: 0 })).status, 200)
    }))

  it("of edits hold for messages older than an hour", async () => {
    const data = await mkdtemp(join(tmpdir(), "discord-emulator-"))
    const first = await startEmulator({ data, limits: "fast" })
    await first.close()
    const log = join(data, "events.jsonl")
    const realm = (await readFile(log, "utf8")).split("\n").find((line) => line.includes('"realm"')) ?? ""
    const { value } = JSON.parse(realm) as { value: { botId: string; channelId: string } }
    const id = String((BigInt(Date.now() - 2 * 3_600_000) - 1_420_070_400_000n) << 22n)
    const old = {
      id,
      channelId: value.channelId,
      authorId: value.botId,
      type: 0,
      content: "old",
      flags: 0,
      timestamp: new Date(Date.now() - 2 * 3_600_000).toISOString(),
      editedTimestamp: null,
      embeds: [],
      components: [],
      attachments: [],
      mentionIds: [],
      mentionEveryone: false,
      reactions: [],
      pinned: false
    }
    await appendFile(log, `${JSON.stringify({ kind: "message", value: old })}\n`)
    await withLimits(
      { profile: "fast", buckets: { oldEdit: minute } },
      async (call, { channelId }) => {
        const edit = (content: string) => call("PATCH", `/channels/${channelId}/messages/${id}`, { content })
        assert.deepEqual([(await edit("1")).status, (await edit("2")).status], [200, 200])
        const refused = await edit("3")
        const { retry_after: _, ...body } = await bodyOf(refused)
        assert.equal(refused.status, 429)
        assert.deepEqual(body, {
          message: "Maximum number of edits to messages older than 1 hour reached. Try again later.",
          global: false,
          code: 30_046
        })
      },
      { data }
    )
    await rm(data, { recursive: true })
  })

  it("of invalid requests ban an address; shared limits do not count", () =>
    withLimits(
      {
        profile: "fast",
        invalidRequests: { limit: 4, windowMs: 60_000 },
        buckets: { rename: { limit: 0, windowMs: 60_000 } }
      },
      async (call, emulator) => {
        for (let count = 0; count < 5; count++)
          assert.equal((await call("PATCH", `/channels/${emulator.channelId}`, { name: "x" })).status, 429)
        for (let count = 0; count < 4; count++)
          assert.equal((await call("GET", "/users/@me", undefined, "wrong")).status, 401)
        const banned = await call("GET", "/users/@me")
        assert.equal(banned.status, 429)
        assert.equal(await banned.text(), "error code: 1015")
        assert.deepEqual(headersOf(banned, "content-type", "via", "x-ratelimit-scope", "retry-after"), {
          "content-type": "text/plain; charset=UTF-8",
          via: null,
          "x-ratelimit-scope": null,
          "retry-after": "60"
        })
        assert.equal((await fetch(emulator.page)).status, 200)
      }
    ))

  it("ban an address after 10,000 invalid requests", () =>
    withLimits("discord", async (call, { api }) => {
      const { hostname, port } = new URL(api)
      const socket = createConnection({ host: hostname, port: Number(port) })
      socket.setEncoding("latin1")
      const refusal = "HTTP/1.1 401 "
      let tail = ""
      let refused = 0
      const all = new Promise<void>((resolve) => {
        socket.on("data", (chunk: string) => {
          refused += (tail + chunk).split(refusal).length - 1
          tail = chunk.slice(1 - refusal.length)
          if (refused === 9999) resolve()
        })
      })
      socket.write(`GET /api/v10/users/@me HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`.repeat(9999))
      await all
      socket.destroy()
      assert.equal((await call("GET", "/users/@me", undefined, "wrong")).status, 401)
      assert.equal((await call("GET", "/users/@me")).status, 429)
    }))

  it("do not exist in the fast profile, whose headers say so", () =>
    withLimits("fast", async (call, { channelId }) => {
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, index) => call("PATCH", `/channels/${channelId}`, { name: `name-${index}` }))
      )
      assert.ok(answers.every(({ status }) => status === 200))
      assert.equal(answers[0]?.headers.get("x-ratelimit-remaining"), "999999")
    }))
})
