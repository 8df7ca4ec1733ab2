import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { type Emulator, type RecordedRequest, startEmulator } from "@heddle/discord-emulator"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { judge } from "./Oracle.ts"

/** What an exchange looks like when it is right; every case spoils one thing. */
const record = async (act: (emulator: Emulator) => Promise<unknown>): Promise<RecordedRequest> => {
  const emulator = await startEmulator({ limits: "fast" })
  const seen: Array<RecordedRequest> = []
  const note = (exchange: unknown): void => void seen.push(exchange as RecordedRequest)
  subscribe("discord-emulator:request", note)
  await act(emulator)
  unsubscribe("discord-emulator:request", note)
  await emulator.close()
  const [exchange] = seen
  assert.ok(exchange !== undefined)
  return JSON.parse(JSON.stringify(exchange)) as RecordedRequest
}

type Json = Record<string, unknown>

describe("the oracle", () => {
  const sent = record((emulator) =>
    fetch(`${emulator.api}/v10/channels/${emulator.channelId}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${emulator.botToken}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "x", embeds: [{ title: "t" }], components: [] })
    })
  )

  it("accepts the behaviour of Discord", async () => assert.deepEqual(judge(await sent), []))

  it.each<readonly [string, (exchange: RecordedRequest) => RecordedRequest, RegExp]>([
    ["a missing field", (one) => ({ ...one, body: { ...(one.body as Json), author: undefined } }), /\.author/],
    ["a null for a list", (one) => ({ ...one, body: { ...(one.body as Json), components: null } }), /\.components/],
    [
      "an embed without its type",
      (one) => ({ ...one, body: { ...(one.body as Json), embeds: [{ title: "t" }] } }),
      /embeds\.0\.type/
    ],
    ["an id that is a number", (one) => ({ ...one, body: { ...(one.body as Json), id: 1 } }), /\.id/],
    ["another status", (one) => ({ ...one, status: 201 }), /no such status/],
    [
      "a title that should have been refused",
      (one) => ({ ...one, sent: { embeds: [{ title: "t".repeat(257) }] } }),
      /title/
    ],
    [
      "eleven embeds",
      (one) => ({ ...one, sent: { embeds: Array.from({ length: 11 }, () => ({ title: "t" })) } }),
      /embeds/
    ],
    ["an error without a code", (one) => ({ ...one, status: 403, body: { message: "no" } }), /\.code/],
    [
      "an answer with a field too many",
      (one) => ({ ...one, body: { ...(one.body as Json), mood: 1 } }),
      /\.mood no such/
    ],
    ["a request with an unknown field", (one) => ({ ...one, sent: { content: "x", mood: 1 } }), /\.mood no such/],
    [
      "a code that Discord has not",
      (one) => ({ ...one, status: 400, body: { message: "no", code: 99_999 } }),
      /Discord has no code 99999/
    ],
    [
      "form errors in another shape",
      (one) => ({
        ...one,
        status: 400,
        body: { message: "no", code: 50_035, errors: { content: { _errors: ["too long"] } } }
      }),
      /\.content each form error has a code/
    ],
    ["an operation that Discord has not", (one) => ({ ...one, path: "/channels/1/letters" }), /no such operation/]
  ])("sees %s", async (_name, spoil, expected) => {
    const findings = judge(spoil(await sent))
    assert.match(findings.map(({ at, message }) => `${at} ${message}`).join("\n"), expected)
  })
})
