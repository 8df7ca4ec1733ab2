import { startEmulator } from "@heddle/discord-emulator"
import type { Shown } from "./TextAge.ts"

// The threads are opened without limits, before Discord's own begin to hold.
const data = process.env["BENCH_FOLDER"] ?? "bench-data"
const opening = await startEmulator({ data, limits: "fast" })
const threads: Array<string> = []
for (let count = Number(process.argv[2]); count > 0; count--) {
  const response = await fetch(`${opening.api}/v10/channels/${opening.channelId}/threads`, {
    method: "POST",
    headers: { authorization: `Bot ${opening.botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ name: `thread ${count}`, type: 11 })
  })
  if (!response.ok) throw new Error(`a thread could not be opened: ${response.status} ${await response.text()}`)
  threads.push(((await response.json()) as { readonly id: string }).id)
}
await opening.close()
const emulator = await startEmulator({ data })

/** Which tokens each message of a thread shows, from the first to before the last. */
const ranges = new Map<string, Map<string, readonly [from: number, to: number]>>()
let shown: Array<Shown> = []

emulator.on((event) => {
  if (event.type !== "message_create" && event.type !== "message_update") return
  const tokens = event.message.content.startsWith("-#")
    ? []
    : event.message.content.split(/\s+/).filter((token) => token !== "")
  const [first, last] = [tokens[0], tokens.at(-1)]
  if (first === undefined || last === undefined) return
  const messages = ranges.get(event.channelId) ?? new Map<string, readonly [number, number]>()
  ranges.set(
    event.channelId,
    messages.set(event.message.id, [Number.parseInt(first, 36), Number.parseInt(last, 36) + 1])
  )
  let count = 0
  for (const [from, to] of [...messages.values()].toSorted(([a], [b]) => a - b))
    if (from <= count) count = Math.max(count, to)
  shown.push({ threadId: event.channelId, count, at: Date.now() })
})

process.on("message", (message: { readonly run?: unknown }) => {
  if (message.run === undefined) return
  process.send?.({ done: shown })
  shown = []
})
process.send?.({ ready: { api: emulator.api, token: emulator.botToken, threads } })
