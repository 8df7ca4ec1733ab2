import assert from "node:assert/strict"
import { request } from "node:http"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"

let emulator: Emulator
const logged: Array<string> = []
beforeAll(async () => {
  emulator = await startEmulator({
    limits: { profile: "fast", invalidRequests: { limit: 20, windowMs: 600_000 } },
    log: (line) => logged.push(line)
  })
})
afterAll(() => emulator.close())

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

/** Asks with headers that `fetch` would not send. */
const ask = (path: string, { body, headers = {}, method = "GET" }: Asked = {}) =>
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

describe("a web page elsewhere", () => {
  const foreign: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ["a request with its origin", { origin: "https://evil.example" }],
    ["a picture or a script, which has no origin", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { "sec-fetch-site": "same-site" }],
    ["a page without an origin", { origin: "null" }],
    ["a link into it", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }]
  ]
  it.each(foreign)("does not reach the API, with or without a token: %s", async (_name, headers) => {
    for (const path of ["/api/v10/gateway", "/api/v10/users/@me", "/api/v10/webhooks/1/x", "/api"])
      for (const method of ["GET", "POST"]) {
        const refused = await ask(path, { method, headers: { ...headers, ...authorized() } })
        assert.equal(refused.status, 403)
        assert.match(refused.body, /other pages/)
      }
  })

  it("does not use up the invalid requests of the bot", async () => {
    for (let count = 0; count < 30; count++)
      await ask("/api/v10/users/@me", { headers: { "sec-fetch-site": "cross-site" } })
    assert.equal((await ask("/api/v10/users/@me", { headers: authorized() })).status, 200)
  })

  it("gets its answer before what it sends is read", async () => {
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
  it("can link to the page, but neither frame it nor send a form to it nor act", async () => {
    assert.equal((await ask("/", { headers: link })).status, 200)
    const act = { headers: { ...link, origin: "https://evil.example" }, method: "POST" }
    const refused: ReadonlyArray<readonly [string, Asked]> = [
      ["/", { headers: { ...link, "sec-fetch-dest": "iframe" } }],
      ["/", { headers: { ...link, "sec-fetch-mode": "no-cors" } }],
      ["/", { headers: { ...link, origin: "https://evil.example" } }],
      ["/", act],
      [`/page/api/messages?channel=${emulator.channelId}`, { headers: link }],
      ["/page/api/events", { headers: link }],
      [`/page/api/messages?channel=${emulator.channelId}`, act]
    ]
    for (const [path, asked] of refused) assert.equal((await ask(path, asked)).status, 403, JSON.stringify([path, asked]))
  })
})

describe("a large body", () => {
  const wide = (bytes: number): string => `[${"[],".repeat(bytes / 3)}[]]`

  it("is not looked at without the token", async () => {
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

  it("is fine where it may hold a picture", async () => {
    const avatar = `data:image/png;base64,${"A".repeat(4 * 1024 * 1024)}`
    const body = JSON.stringify({ name: "Webhook", avatar })
    const path = `/api/v10/channels/${emulator.channelId}/webhooks`
    assert.equal((await ask(path, { method: "POST", headers: json(), body })).status, 200)
  })
})
