import { startEmulator } from "@heddle/discord-emulator"
import type { VisibleTokens } from "./TextAge.ts"
import { data, openThreads } from "./Threads.ts"

const threads = await openThreads(Number(process.argv[2]))
const emulator = await startEmulator({ data })

/** Which tokens each message of a thread shows, from the first to before the last. */
const ranges = new Map<string, Map<string, readonly [from: number, to: number]>>()
let shown: Array<VisibleTokens> = []

emulator.on((event) => {
  if (event.type !== "message_create" && event.type !== "message_update") return
  const tokens = event.message.content
    .replace(/^-# .*$/gm, "")
    .split(/\s+/)
    .filter((token) => token !== "")
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
