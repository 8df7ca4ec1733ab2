import assert from "node:assert/strict"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, manualClock, startEmulator } from "@heddle/discord-emulator"

/** A bare client, so that what is asserted is what goes over the wire. */
interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

const clientOf =
  (emulator: Emulator) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const form = body instanceof FormData
    const response = await fetch(`${emulator.api}/v10${path}`, {
      method,
      headers: {
        authorization: `Bot ${emulator.botToken}`,
        ...(form || body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: form ? body : typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
    }
  }

describe("refusals", () => {
  let emulator: Emulator
  let call: ReturnType<typeof clientOf>
  const logged: Array<string> = []
  beforeAll(async () => {
    emulator = await startEmulator({ limits: "fast", log: (line) => logged.push(line) })
    call = clientOf(emulator)
  })
  afterAll(() => emulator.close())

  const send = (body: unknown): Promise<Answer> => call("POST", `/channels/${emulator.channelId}/messages`, body)
  const button = (change: object = {}): object => ({ type: 2, style: 1, label: "Go", custom_id: "go", ...change })
  const rows = (...buttons: ReadonlyArray<object>): object => ({
    content: "x",
    components: [{ type: 1, components: buttons }]
  })

  it("names every faulty field with Discord's codes", async () => {
    const { body, status } = await send({
      content: "x".repeat(2001),
      embeds: [
        { title: "t".repeat(257), fields: [{ name: "", value: "v".repeat(1025) }], footer: { text: "f".repeat(2049) } },
        {},
        { description: "d", url: "ftp://example.com" }
      ]
    })
    assert.equal(status, 400)
    assert.deepEqual([body["code"], body["message"]], [50_035, "Invalid Form Body"])
    const tooLong = (max: number) => ({
      _errors: [{ code: "BASE_TYPE_MAX_LENGTH", message: `Must be ${max} or fewer in length.` }]
    })
    const required = { _errors: [{ code: "BASE_TYPE_REQUIRED", message: "This field is required" }] }
    assert.deepEqual(body["errors"], {
      content: tooLong(2000),
      embeds: {
        0: {
          title: tooLong(256),
          footer: { text: tooLong(2048) },
          fields: { 0: { name: required, value: tooLong(1024) } }
        },
        1: { description: required },
        2: {
          url: {
            _errors: [
              {
                code: "URL_TYPE_INVALID_SCHEME",
                message: `Scheme "ftp" is not supported. Scheme must be one of ('http', 'https').`
              }
            ]
          }
        }
      }
    })
    assert.equal(emulator.messages(emulator.channelId).length, 0)
  })

  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["11 embeds", { embeds: Array.from({ length: 11 }, () => ({ title: "x" })) }, "embeds BASE_TYPE_MAX_LENGTH"],
    [
      "6001 characters of embeds",
      { embeds: [{ description: "x".repeat(4000) }, { description: "x".repeat(2001) }] },
      "embeds MAX_EMBED_SIZE_EXCEEDED"
    ],
    [
      "26 fields",
      { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: "n", value: "v" })) }] },
      "embeds.0.fields BASE_TYPE_MAX_LENGTH"
    ],
    [
      "6 buttons in a row",
      rows(...Array.from({ length: 6 }, (_, index) => button({ custom_id: `b${index}` }))),
      "components.0.components BASE_TYPE_BAD_LENGTH"
    ],
    [
      "6 rows",
      {
        content: "x",
        components: Array.from({ length: 6 }, (_, index) => ({
          type: 1,
          components: [button({ custom_id: `b${index}` })]
        }))
      },
      "components BASE_TYPE_MAX_LENGTH"
    ],
    [
      "a custom id twice",
      rows(button(), button()),
      "components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED"
    ],
    [
      "a custom id of 101",
      rows(button({ custom_id: "c".repeat(101) })),
      "components.0.components.0.custom_id BASE_TYPE_BAD_LENGTH"
    ],
    ["a label of 81", rows(button({ label: "l".repeat(81) })), "components.0.components.0.label BASE_TYPE_MAX_LENGTH"],
    ["a button without a row", { content: "x", components: [button()] }, "components.0.type UNION_TYPE_CHOICES"],
    [
      "a select beside a button",
      rows(button(), { type: 3, custom_id: "s", options: [{ label: "a", value: "a" }] }),
      "components.0.components COMPONENT_LAYOUT_WIDTH_EXCEEDED"
    ],
    [
      "26 choices",
      rows({
        type: 3,
        custom_id: "s",
        options: Array.from({ length: 26 }, (_, index) => ({ label: "a", value: `${index}` }))
      }),
      "components.0.components.0.options BASE_TYPE_BAD_LENGTH"
    ],
    [
      "the newer layout with content",
      { content: "x", flags: 32_768, components: [{ type: 10, content: "y" }] },
      "content MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
    ],
    [
      "a reply to nothing",
      { content: "x", message_reference: { message_id: "1" } },
      "message_reference REPLIES_UNKNOWN_MESSAGE"
    ],
    ["a nonce of 26", { content: "x", nonce: "n".repeat(26) }, "nonce BASE_TYPE_MAX_LENGTH"]
  ]
  it.each(cases)("refuses %s", async (_name, body, expected) => {
    const answer = await send(body)
    assert.equal(answer.body["code"], 50_035, JSON.stringify(answer.body))
    const found = (errors: Record<string, unknown>, path: string): ReadonlyArray<string> =>
      Object.entries(errors).flatMap(([key, below]) =>
        key === "_errors"
          ? (below as ReadonlyArray<{ code: string }>).map((one) => `${path} ${one.code}`)
          : found(below as Record<string, unknown>, path === "" ? key : `${path}.${key}`)
      )
    assert.ok(
      found(answer.body["errors"] as Record<string, unknown>, "").includes(expected),
      JSON.stringify(answer.body)
    )
  })

  it("accepts values exactly at the limits", async () => {
    const answer = await send({
      content: "x".repeat(2000),
      embeds: [{ title: "t".repeat(256), description: "d".repeat(4096), footer: { text: "f".repeat(1648) } }],
      components: Array.from({ length: 5 }, (_, row) => ({
        type: 1,
        components: Array.from({ length: 5 }, (__, index) =>
          button({ custom_id: `${row}${index}`.padEnd(100, "x"), label: "l".repeat(80) })
        )
      }))
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  })

  it.each([
    ["an empty message", "POST", "messages", {}, 400, 50_006],
    ["broken JSON", "POST", "messages", "{", 400, 50_109],
    ["an unknown message", "GET", "messages/100000000000000000", undefined, 404, 10_008],
    ["an id that is none", "PUT", "messages/@/reactions/nope/@me", undefined, 400, 50_035]
  ] as const)("refuses %s", async (_name, method, path, body, status, code) => {
    const answer = await call(method, `/channels/${emulator.channelId}/${path}`, body)
    assert.deepEqual([answer.status, answer.body["code"]], [status, code])
  })

  it("refuses channels, guilds, interactions and tokens that do not exist", async () => {
    const none = "100000000000000000"
    const code = async (method: string, path: string, body?: unknown) => {
      const answer = await call(method, path, body)
      return [answer.status, answer.body["code"]]
    }
    assert.deepEqual(await code("POST", `/channels/${none}/messages`, { content: "x" }), [404, 10_003])
    assert.deepEqual(await code("GET", `/guilds/${none}`), [404, 10_004])
    assert.deepEqual(await code("POST", `/interactions/${none}/token/callback`, { type: 4 }), [404, 10_062])
    assert.deepEqual(await code("POST", `/webhooks/${emulator.applicationId}/token`, { content: "x" }), [404, 10_015])
    assert.deepEqual(await code("GET", `/guilds/${emulator.guildId}/members/${none}`), [404, 10_007])
  })

  it("keeps the bot's hands off other people's words, but not off their messages", async () => {
    const sent = await emulator.user("Sam").send(emulator.channelId, "mine")
    const path = `/channels/${emulator.channelId}/messages/${sent.id}`
    assert.equal((await call("PATCH", path, { content: "yours" })).body["code"], 50_005)
    assert.equal((await call("DELETE", path)).status, 204)
    const answer = await send({ content: "of the bot" })
    const own = String(answer.body["id"])
    await assert.rejects(emulator.user("Sam").edit(emulator.channelId, own, "x"), /authored by another user/)
    await assert.rejects(emulator.user("Sam").delete(emulator.channelId, own), /Missing Permissions/)
    await emulator.user("You").delete(emulator.channelId, own)
  })

  it("sends a repeated nonce once when asked to enforce it", async () => {
    const before = emulator.messages(emulator.channelId).length
    const [first, second] = await Promise.all(
      [1, 2].map(() => send({ content: "once", nonce: "n1", enforce_nonce: true }))
    )
    assert.equal(first?.body["id"], second?.body["id"])
    assert.equal(first?.body["nonce"], "n1")
    await send({ content: "again", nonce: "n1" })
    assert.equal(emulator.messages(emulator.channelId).length, before + 2)
  })

  it("mentions only the people that the sender allowed", async () => {
    const { id } = emulator.user("Sam")
    const mentioned = async (allowed?: object) => {
      const answer = await send({
        content: `<@${id}> @everyone`,
        ...(allowed === undefined ? {} : { allowed_mentions: allowed })
      })
      return [
        (answer.body["mentions"] as ReadonlyArray<{ id: string }>).map((user) => user.id),
        answer.body["mention_everyone"]
      ]
    }
    assert.deepEqual(await mentioned(), [[id], true])
    assert.deepEqual(await mentioned({ parse: [] }), [[], false])
    assert.deepEqual(await mentioned({ users: [id] }), [[id], false])
  })

  it("refuses a file above 10 MiB and takes one of exactly that", async () => {
    const upload = (size: number): Promise<Answer> => {
      const form = new FormData()
      form.set("payload_json", JSON.stringify({ content: "file" }))
      form.set("files[0]", new Blob([new Uint8Array(size)]), "big.bin")
      return send(form)
    }
    const limit = 10 * 1024 * 1024
    const refused = await upload(limit + 1)
    assert.deepEqual([refused.status, refused.body["code"]], [413, 40_005])
    const whole = await upload(26 * 1024 * 1024)
    assert.deepEqual([whole.status, whole.body["code"]], [413, 40_005])
    assert.equal((await upload(limit)).status, 200)
  })

  it("answers an unknown route as Discord does, and logs it once", async () => {
    for (const id of ["100000000000000001", "100000000000000002"]) {
      const answer = await call("GET", `/channels/${id}/invites`)
      assert.deepEqual([answer.status, answer.body], [404, { message: "404: Not Found", code: 0 }])
    }
    assert.deepEqual(logged.splice(0), ["discord-emulator: no route for GET /channels/:id/invites"])
  })

  it("keeps tokens of webhooks and interactions out of its log", async () => {
    for (const kind of ["webhooks", "interactions"]) {
      await call("GET", `/${kind}/100000000000000001/SECRET-token/unknown`)
      await call("GET", `/${kind}/other/SECRET-token/unknown/100000000000000002`)
    }
    assert.deepEqual(
      logged.splice(0).map((line) => line.replace("discord-emulator: no route for GET ", "")),
      ["webhooks", "interactions"].flatMap((kind) => [`/${kind}/:id/:token/unknown`, `/${kind}/:id/:token/unknown/:id`])
    )
  })

  it("answers 401 to a wrong token only", async () => {
    const wrong = await call("GET", "/users/@me", undefined, { authorization: "Bot nope" })
    assert.deepEqual([wrong.status, wrong.body], [401, { message: "401: Unauthorized", code: 0 }])
    assert.equal((await call("GET", "/users/@me")).status, 200)
  })
})

describe("rate limits", () => {
  it("count sends and edits of a channel together and tell when to come back", async () => {
    const emulator = await startEmulator()
    const call = clientOf(emulator)
    const path = `/channels/${emulator.channelId}/messages`
    const first = await call("POST", path, { content: "1" })
    assert.equal(first.headers.get("x-ratelimit-limit"), "5")
    assert.equal(first.headers.get("x-ratelimit-remaining"), "4")
    for (let edit = 0; edit < 4; edit++)
      await call("PATCH", `${path}/${String(first.body["id"])}`, { content: `${edit}` })
    const refused = await call("POST", path, { content: "2" })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get("x-ratelimit-scope"), "user")
    assert.equal(refused.headers.get("x-ratelimit-bucket"), first.headers.get("x-ratelimit-bucket"))
    const wait = Number(refused.body["retry_after"])
    assert.ok(wait > 3 && wait <= 5, String(wait))
    assert.equal(refused.headers.get("retry-after"), "5")
    assert.equal((await call("GET", path)).status, 200)
    await emulator.close()
  })

  it("allow 50 requests a second over all, and two renames in ten minutes", async () => {
    const clock = manualClock()
    const emulator = await startEmulator({ clock })
    const call = clientOf(emulator)
    const many = await Promise.all(
      Array.from({ length: 51 }, (_, index) => call("GET", `/users/${index % 2 === 0 ? "@me" : emulator.user().id}`))
    )
    const refused = many.filter(({ status }) => status === 429)
    assert.equal(refused.length, 1)
    assert.equal(refused[0]?.headers.get("x-ratelimit-global"), "true")
    assert.equal(refused[0]?.body["global"], true)
    clock.advance(1000)
    const rename = (topic: string) => call("PATCH", `/channels/${emulator.channelId}`, { topic })
    const statuses = [await rename("a"), await rename("b"), await rename("c")].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 200, 429])
    assert.equal((await call("PATCH", `/channels/${emulator.channelId}`, { rate_limit_per_user: 1 })).status, 200)
    await emulator.close()
  })
})
