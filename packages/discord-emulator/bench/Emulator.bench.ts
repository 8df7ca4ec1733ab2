import { spawn } from "node:child_process"
import { readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ClientRun } from "./Client.ts"
import type { EventRun } from "./Discord.ts"

/** A program of the benchmark in a process of its own. */
interface Program<Ready> {
  readonly ready: Ready
  /** CPU time so far, in microseconds. */
  readonly cpu: () => Promise<number>
  /** Resident memory after a collection, in bytes. */
  readonly memory: () => Promise<number>
  readonly run: (run: ClientRun | EventRun) => Promise<unknown>
  readonly stop: () => Promise<void>
}

interface Tools {
  readonly start: (program: ReadonlyArray<string>, name: string) => Promise<Program<never>>
  readonly smoke: boolean
  readonly log: (line: string) => void
}

interface Discord {
  readonly api: string
  readonly botToken: string
  readonly channelId: string
}

const what = "what an emulator in one process carries"

/** The rates of events and requests; with a data folder, each event is also written to the disk. */
const perSecond = { memory: { events: 10_000, requests: 500 }, data: { events: 1000, requests: 500 } } as const

/** Events to one client and requests of it, memory over time, the start, and the size of what is installed. */
export const bench = {
  name: "emulator",
  what,
  variants: { memory: "nothing is kept", data: "everything is kept in a folder" },
  cases: { events: 10_000, requests: 500 },
  baseline: "memory",
  /** Takes two minutes, so it runs only by name. */
  onlyByName: true,

  run: (tools: Tools) => run(tools),
  table: (results: Results) => table(results)
}

const run = async (tools: Tools) => {
  const { log, smoke } = tools
  log("emulator: start and size …")
  const starts: Array<number> = []
  for (let count = smoke ? 1 : 10; count > 0; count--) starts.push(await startMillis())
  const carried = []
  for (const variant of ["memory", "data"] as const) {
    log(`emulator: ${bench.variants[variant]} …`)
    carried.push({ variant, ...(await carry(tools, variant)) })
  }
  return { name: "emulator", what, startMillis: median(starts), starts, bytes: installedBytes(), carried }
}

type Results = Awaited<ReturnType<typeof run>>

/** Both at once, for as long as a leak takes to show; then each as fast as it goes. */
const carry = async ({ log, smoke, start }: Tools, variant: keyof typeof perSecond) => {
  const rate = perSecond[variant]
  const discord: Program<Discord> = await start(["Discord.js", variant], `discord-${variant}`)
  const { api, botToken, channelId } = discord.ready
  const client: Program<object> = await start(["Client.js", api, botToken, channelId], `client-${variant}`)
  const asker: Program<object> = await start(["Client.js", api, botToken, channelId], `asker-${variant}`)
  // Counted from the start of the client, which may have received some events before it starts to wait.
  let expected = 0
  try {
    /** Runs events and requests together and returns the duration in seconds. */
    const runTogether = async (seconds: number): Promise<number> => {
      const began = performance.now()
      const events = seconds * rate.events
      expected += events
      await Promise.all([
        client.run({ events: expected }),
        asker.run({ requests: seconds * rate.requests, perSecond: rate.requests }),
        discord.run({ count: events, perSecond: rate.events })
      ])
      return (performance.now() - began) / 1000
    }
    const seconds = smoke ? 1 : 10
    const rounds = smoke ? 1 : 4
    await runTogether(seconds)
    await runTogether(seconds)
    const before = await discord.memory()
    log(`emulator: ${variant}, ${2 * seconds} s warm, ${mega(before)} MB …`)
    const cpu = await discord.cpu()
    let took = 0
    for (let round = 0; round < rounds; round++) took += await runTogether(seconds)
    const cores = ((await discord.cpu()) - cpu) / 1e6 / took
    const after = await discord.memory()

    const count = smoke ? 2000 : 50_000
    expected += count
    const burst = client.run({ events: expected })
    await discord.run({ count })
    const eventMillis = Number(await burst)
    const requests = smoke ? 100 : 5000
    const requestMillis = Number(await asker.run({ requests, perSecond: 1e6 }))
    return {
      late: took / (rounds * seconds) - 1,
      cores,
      memory: { before, after },
      most: { events: (count / eventMillis) * 1000, requests: (requests / requestMillis) * 1000 }
    }
  } finally {
    await Promise.all([client.stop(), asker.stop()])
    await discord.stop()
  }
}

const root = fileURLToPath(new URL("../../", import.meta.url))

const startMillis = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, [join(root, "bin/discord-emulator.js"), "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.stdout.once("data", () => {
      const took = performance.now() - began
      child.once("close", () => resolve(took))
      child.kill("SIGTERM")
    })
    child.once("error", reject)
  })

/** What lies on the disk after an installation, without the fonts of the page. */
const installedBytes = (): Record<string, number> => ({
  "discord-emulator": ["bin", "dist", "src", "package.json", "README.md"]
    .map((name) => sizeOf(join(root, name)))
    .reduce((sum, size) => sum + size, 0),
  ...Object.fromEntries(
    ["ws", "discord-api-types"].map((name) => [name, sizeOf(realpathSync(join(root, "node_modules", name)))])
  )
})

const sizeOf = (path: string): number => {
  if (!statSync(path).isDirectory()) return /\.woff2$|\.tsbuildinfo/.test(path) ? 0 : statSync(path).size
  return readdirSync(path)
    .filter((name) => !(name === "test" && dirname(path) === root) && name !== "node_modules")
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const mega = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)

const rate = (variant: keyof typeof perSecond): string => {
  const { events, requests } = perSecond[variant]
  return `${events.toLocaleString("en")}/s, ${requests}/s`.padStart(16)
}

const table = ({ bytes, carried, startMillis: started, starts }: Results): string => {
  const total = Object.values(bytes).reduce((sum, size) => sum + size, 0)
  const parts = Object.entries(bytes).map(([name, size]) => `${name} ${mega(size)}`)
  const lines = [
    `emulator: ${what}`,
    "",
    `  start until ready: ${started.toFixed(0)} ms (median of ${starts.length})`,
    `  installed: ${mega(total)} MB (${parts.join(", ")}), without the fonts of the page`,
    "",
    "  events to one client and requests at once, then each alone as fast as it goes",
    "          events, requests    CPU     late   memory before   after     most events    most requests"
  ]
  for (const { cores, late, memory, most, variant } of carried) {
    lines.push(
      `  ${variant.padEnd(6)}  ${rate(variant)}  ${(cores * 100).toFixed(0).padStart(4)} %  ${(late * 100).toFixed(1).padStart(5)} %  ${mega(memory.before).padStart(10)} MB  ${mega(memory.after).padStart(6)} MB  ${Math.round(most.events).toLocaleString("en").padStart(10)}/s  ${Math.round(most.requests).toLocaleString("en").padStart(12)}/s`
    )
  }
  return `${lines.join("\n")}\n`
}
