import { setImmediate } from "node:timers/promises"
import { startEmulator } from "@heddle/discord-emulator"

/** What the measured emulator is asked to do: so many events in every second, or as many as it can. */
export interface EventRun {
  readonly count: number
  readonly perSecond?: number
}

const folder = process.argv[2] === "data" ? process.env["BENCH_FOLDER"] : undefined
const emulator = await startEmulator({ limits: "fast", ...(folder === undefined ? {} : { data: folder }) })
const { api, botToken, channelId } = emulator
const you = emulator.user()
// Edits, so that the world stays as large as it is.
const ids = await Promise.all(
  Array.from({ length: 50 }, async (_, index) => (await you.send(channelId, `message ${index}`)).id)
)

let done = 0
const edit = (): Promise<unknown> => {
  const id = ids[done % ids.length] ?? ""
  return you.edit(channelId, id, `text number ${done++}, as long as what people write in one breath usually is`)
}

const produce = async ({ count, perSecond }: EventRun): Promise<number> => {
  const began = performance.now()
  for (let made = 0; made < count;) {
    const due = perSecond === undefined ? made + 100 : Math.min(count, ((performance.now() - began) / 1000) * perSecond)
    for (; made < Math.min(due, count); made++) void edit()
    await setImmediate()
  }
  return performance.now() - began
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
