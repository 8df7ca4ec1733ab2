import assert from "node:assert/strict"
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { type Pace, upload } from "@heddle/test-support/Upload"
import { afterAll, beforeAll, describe, it } from "vitest"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"

let emulator: Emulator
beforeAll(async () => {
  emulator = await startEmulator({ limits: { profile: "fast", invalidRequests: { limit: 1000, windowMs: 600_000 } } })
})
afterAll(() => emulator.close())

const mebibyte = 1024 * 1024

describe("a response that comes before the end of a body", { timeout: 60_000 }, () => {
  it.each<Pace>(["at once", "slowly"])("reaches a client that writes %s", async (pace) => {
    const messages = `/api/v10/channels/${emulator.channelId}/messages`
    const refusals: ReadonlyArray<readonly [RegExp, ReadonlyArray<string>]> = [
      [/^HTTP\/1\.1 413 /, [`POST ${messages} HTTP/1.1`, `Authorization: Bot ${emulator.botToken}`]],
      [/^HTTP\/1\.1 401 /, [`POST ${messages} HTTP/1.1`]],
      [/^HTTP\/1\.1 404 /, ["POST /nowhere HTTP/1.1", `Origin: ${new URL(emulator.page).origin}`]],
      [/^HTTP\/1\.1 403 /, ["POST /page/api/messages HTTP/1.1"]]
    ]
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        refusals.map(([, head]) => upload(Number(new URL(emulator.page).port), head, 3 * mebibyte, pace))
      )
      for (const [index, [expected]] of refusals.entries()) assert.match(answers[index] ?? "", expected)
    }
  })

  it("is 417 where the request expects something unknown", async () => {
    const { hostname, port } = new URL(emulator.api)
    const socket = connect(Number(port), hostname)
    const lines = createInterface({ input: socket })
    const status = async () => {
      for await (const line of lines) if (line.startsWith("HTTP/")) return line
      return "no answer"
    }
    try {
      socket.write(`GET /api/v10/gateway HTTP/1.1\r\nHost: ${hostname}\r\nExpect: x\r\nConnection: close\r\n\r\n`)
      assert.match(await status(), /^HTTP\/1\.1 417 /)
    } finally {
      socket.destroy()
    }
  })
})
