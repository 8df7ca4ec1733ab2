import { setImmediate } from "node:timers/promises"
import { startEmulator } from "@heddle/discord-emulator"

/** A run of the measured emulator: a number of events, at a rate or as fast as possible. */
export interface EventRun {
  readonly count: number
  readonly perSecond?: number
}

const folder = process.argv[2] === "data" ? process.env["BENCH_FOLDER"] : undefined
const emulator = await startEmulator({ limits: "fast", ...(folder === undefined ? {} : { data: folder }) })
const { api, botToken, channelId } = emulator
const you = emulator.user()
// Edits, so that the state does not grow.
const ids = await Promise.all(
  Array.from({ length: 50 }, async (_, index) => (await you.send(channelId, `message ${index}`)).id)
)

let done = 0
const edit = (): Promise<unknown> => {
  const id = ids[done % ids.length] ?? ""
  return you.edit(channelId, id, `text number ${done++}, as long as what people write in one breath usually is`)
}

const produce = async ({ count, perSecond }: EventRun): Promise<number> => {
  const startedAt = performance.now()
  for (let editCount = 0; editCount < count;) {
    const due =
      perSecond === undefined ? editCount + 100 : Math.min(count, ((performance.now() - startedAt) / 1000) * perSecond)
    for (; editCount < Math.min(due, count); editCount++) void edit()
    await setImmediate()
  }
  return performance.now() - startedAt
}

process.on("message", (message: { readonly run?: EventRun }) => {
  if (message.run === undefined) return
  produce(message.run).then((millis) => process.send?.({ done: millis }), fail)
})
const fail = (cause: unknown): never => {
  console.error(cause)
  process.exit(1)
}
process.send?.({ ready: { api, botToken, channelId } })
