import assert from "node:assert/strict"
import { connect as connectSocket } from "node:net"
import { afterAll, beforeAll, describe, it } from "vitest"
import { WebSocket } from "ws"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"

let emulator: Emulator
const logged: Array<string> = []
beforeAll(async () => {
  emulator = await startEmulator({ limits: "fast", log: (line) => logged.push(line) })
})
afterAll(() => emulator.close())

const address = (): { readonly host: string; readonly port: number } => {
  const { hostname, port } = new URL(emulator.page)
  return { host: hostname, port: Number(port) }
}

const handshake = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="
]

/** Sends bytes as they are and gives everything that came back until the connection ended. */
const raw = (lines: ReadonlyArray<string>, after: Buffer = Buffer.alloc(0)): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectSocket(address())
    let answer = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.on("error", reject)
    socket.on("close", () => resolve(answer))
    socket.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), after]))
  })

const upgrade = (path: string, headers: ReadonlyArray<string> = [`Host: ${address().host}`], after?: Buffer) =>
  raw([`GET ${path} HTTP/1.1`, ...headers, ...handshake], after)

const alive = async (): Promise<void> => {
  const answer = await fetch(`${emulator.api}/v10/users/@me`, {
    headers: { authorization: `Bot ${emulator.botToken}` }
  })
  assert.equal(answer.status, 200)
}

describe("an attacking client cannot", () => {
  it.each(["//", "//?v=10", "http://[", "///"])("end the process by an upgrade to %s", async (path) => {
    assert.match(await upgrade(path), /^HTTP\/1\.1 400 /)
    await alive()
  })

  it("end the process with a protocol error during a refusal", async () => {
    // A frame without the mask that clients must use.
    assert.match(await upgrade("/?v=1", undefined, Buffer.from([0x81, 0x01, 0x61])), /^HTTP\/1\.1 101 /)
    await alive()
  })

  it("end the process by resetting the connection in the middle of an upgrade", async () => {
    await Promise.all(
      ["//", "/?v=1", "/?v=10"].map(
        (path) =>
          new Promise<void>((resolve) => {
            const socket = connectSocket(address(), () => {
              const lines = [`GET ${path} HTTP/1.1`, `Host: ${address().host}`, ...handshake]
              socket.write(`${lines.join("\r\n")}\r\n\r\n`, () => socket.resetAndDestroy())
            })
            socket.on("close", () => resolve())
          })
      )
    )
    await alive()
  })

  const odd = { toString: 1, valueOf: 1 }
  const frames: ReadonlyArray<readonly [string, (token: string) => unknown, number]> = [
    ["a token that is no text", () => ({ op: 2, d: { token: odd, intents: 0, properties: {} } }), 4004],
    ["intents that are no number", (token) => ({ op: 2, d: { token, intents: odd, properties: {} } }), 4013],
    [
      "a shard that is no number",
      (token) => ({ op: 2, d: { token, intents: 0, properties: {}, shard: [odd, odd] } }),
      4010
    ],
    ["a session that is no text", (token) => ({ op: 6, d: { token, session_id: odd, seq: 1 } }), 4000]
  ]
  it.each(frames)("end the process by %s", async (_name, frame, code) => {
    const socket = new WebSocket(`${emulator.page.replace("http", "ws")}?v=10&encoding=json`)
    const closed = new Promise<number>((resolve) => socket.on("close", resolve))
    socket.once("message", () => socket.send(JSON.stringify(frame(emulator.botToken))))
    assert.equal(await closed, code)
    await alive()
  })

  it.each([
    ["a form without a boundary", "multipart/form-data", "x"],
    [
      "a form that breaks off",
      "multipart/form-data; boundary=b",
      '--b\r\ncontent-disposition: form-data; name="a"\r\n'
    ],
    ["a form of nothing", "multipart/form-data; boundary=b", "--b--"]
  ])("end the process by %s", async (_name, type, body) => {
    const answer = await fetch(`${emulator.api}/v10/channels/${emulator.channelId}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": type },
      body
    })
    assert.equal(answer.status, 400)
    await alive()
  })
})

describe("a foreign web page", () => {
  const statusOf = (answer: string): string => answer.slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3)
  const own = (): string => `${address().host}:${address().port}`

  it.each([
    ["no origin, as clients outside of browsers", () => [`Host: ${own()}`], "101"],
    ["the emulator's own page", () => [`Host: ${own()}`, `Origin: http://${own()}`], "101"],
    ["another page", () => [`Host: ${own()}`, "Origin: https://evil.example"], "403"],
    ["another port of this machine", () => [`Host: ${own()}`, "Origin: http://127.0.0.1:1"], "403"],
    ["a page without an origin", () => [`Host: ${own()}`, "Origin: null"], "403"],
    ["a name that points here", () => ["Host: evil.example", "Origin: http://evil.example"], "403"],
    ["a foreign host alone", () => ["Host: evil.example"], "403"]
  ] as const)("reaches the gateway only as it may: %s", async (_name, headers, status) => {
    // The unmasked frame makes the gateway end a connection that it accepted.
    const answer = await upgrade("/?v=10", headers(), Buffer.from([0x81, 0x01, 0x61]))
    assert.equal(statusOf(answer), status, answer)
  })

  it("reads neither files nor the API through DNS rebinding", async () => {
    const sent = await emulator.user().send(emulator.channelId, "", [{ name: "a.txt", data: Buffer.from("mine") }])
    const file = new URL(sent.attachments[0]?.url ?? "").pathname
    const get = (path: string, host: string) =>
      raw([`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bot ${emulator.botToken}`, "Connection: close"])
    for (const path of [file, "/api/v10/users/@me", "/api/v10/gateway", "/"]) {
      const refused = await get(path, "evil.example")
      assert.equal(statusOf(refused), "403")
      assert.match(refused, /The host evil\.example is not this machine/)
      for (const host of [own(), "localhost"]) assert.equal(statusOf(await get(path, host)), "200")
    }
  })
})

describe("a deeply nested body", () => {
  const depth = 20_000
  const nested = (open: string, inside: string, close: string): string =>
    `${open.repeat(depth)}${inside}${close.repeat(depth)}`
  const containers = nested('{"type":17,"components":[', '{"type":10,"content":"x"}', "]}")
  const lists = nested("[", "", "]")
  const post = async (method: string, path: string, body: string) => {
    const answer = await fetch(`${emulator.api}/v10${path}`, {
      method,
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": "application/json" },
      body
    })
    return { status: answer.status, code: ((await answer.json()) as { readonly code: number }).code }
  }
  const messages = (): string => `/channels/${emulator.channelId}/messages`
  const commands = (): string => `/applications/${emulator.applicationId}/commands`

  const bodies: ReadonlyArray<readonly [string, string, () => string, string]> = [
    ["components", "POST", messages, `{"flags":32768,"components":[${containers}]}`],
    ["an accessory", "POST", messages, `{"flags":32768,"components":[${nested('{"type":9,"accessory":', "{}", "}")}]}`],
    ["a picture", "POST", messages, `{"embeds":[{"title":"x","image":${lists}}]}`],
    ["an id", "POST", messages, `{"content":"x","message_reference":{"message_id":${lists}}}`],
    ["a modal", "POST", () => "/interactions/1/x/callback", `{"type":9,"data":{"components":[${containers}]}}`],
    ["options", "PUT", commands, `[${nested('{"name":"a","description":"a","type":2,"options":[', "", "]}")}]`]
  ]
  it.each(bodies)("is refused with a form error: %s", async (_name, method, path, body) => {
    logged.length = 0
    assert.deepEqual(await post(method, path(), body), { status: 400, code: 50_035 })
    assert.deepEqual(logged, [])
  })

  it("is refused in a multipart form, on the page and at the gateway", async () => {
    const form = new FormData()
    form.set("payload_json", `{"components":[${containers}]}`)
    const headers = { authorization: `Bot ${emulator.botToken}` }
    const answer = await fetch(`${emulator.api}/v10${messages()}`, { method: "POST", headers, body: form })
    assert.equal(answer.status, 400)
    const page = await fetch(`${emulator.page}page/api/messages?channel=${emulator.channelId}`, {
      method: "POST",
      headers: { origin: emulator.page.slice(0, -1), "content-type": "application/json" },
      body: `{"content":${lists}}`
    })
    assert.equal(page.status, 400)
    const socket = new WebSocket(`${emulator.page.replace("http", "ws")}?v=10&encoding=json`)
    const closed = new Promise<number>((resolve) => socket.on("close", resolve))
    socket.once("message", () => socket.send(`{"op":2,"d":{"token":${lists}}}`))
    assert.equal(await closed, 4002)
  })
})
