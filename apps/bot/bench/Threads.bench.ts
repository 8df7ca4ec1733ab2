import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type BotProcess, rows, startBot } from "./BotProcess.ts"
import type { Order, Ready } from "./World.ts"
import type { Program as AnyProgram, Tools } from "./Tools.ts"

type Program<Ready> = AnyProgram<Ready, Order>

const what = "what many threads cost, and how soon they go on after a stop"

/** The bot as people run it, with Discord's limits, and with hundreds of threads. */
export const bench = {
  name: "threads",
  what,
  variants: { bot: "BotProcess.js" },
  cases: { "200 threads": 200, "1,000 threads": 1000 },
  baseline: "bot",
  /** Takes minutes: measured only when it is asked for by name. */
  onlyByName: true,

  run: (tools: Tools) => run(tools),
  table: (results: Results) => table(results)
}

const run = async ({ log, smoke, start }: Tools) => {
  const few = smoke ? 10 : 200
  const many = smoke ? 20 : 1000
  // Some of `catch go idle attached`; all of them without it.
  const only = process.env["BENCH_ONLY"]
  const wanted = (part: string) => only === undefined || only.includes(part)
  log("threads: a bot without any …")
  const empty = await within(start, 0, async ({ bot }) => ({ rss: (await settled(await bot())).rss }))
  const measured = await within(start, many, async ({ bot, stage, world }) => {
    const { threads } = world.ready
    log(`threads: caught up in ${few} …`)
    const catchUp = wanted("catch")
      ? await caughtUp(stage, world, bot, threads.slice(0, few), threads[few] ?? "")
      : undefined
    log("threads: going on after a kill …")
    const goOn = wanted("go") ? await goesOn(stage, world, bot, threads.slice(0, smoke ? 5 : 20)) : undefined
    log(`threads: ${many} idle …`)
    stage.bind(threads, world.ready)
    const idle = wanted("idle") ? await settled(await bot()) : undefined
    log(`threads: ${many} attached …`)
    const attached = wanted("attached") ? await allAttached(world, bot, threads) : undefined
    return { catchUp, goOn, idle, attached }
  })
  return { name: "threads", what, few, many, empty: empty.rss, ...measured }
}

type Results = Awaited<ReturnType<typeof run>>

/** Three messages in every thread while the bot is away, and one elsewhere when it is back. */
const caughtUp = async (
  stage: Stage,
  world: Program<Ready>,
  start: () => Promise<BotProcess>,
  threads: ReadonlyArray<string>,
  live: string
) => {
  stage.bind([...threads, live], world.ready)
  await world.run({ agent: "echo" })
  for (const say of ["a", "b", "c"]) await world.run({ say, threads })
  await world.run({ shown: true })
  await world.run({ calls: true })
  const bot = await start()
  const saidAt = Number(await world.run({ say: "now", threads: [live] }))
  const done = new Map<string, number>()
  let liveMs: number | undefined
  for (const until = Date.now() + 60_000; Date.now() < until && (done.size < threads.length || liveMs === undefined);) {
    for (const { n, thread } of stage.taken())
      if (n === 3 && !done.has(thread)) done.set(thread, Date.now() - bot.startedAt)
    const shown = (await world.run({ shown: true })) as ReadonlyArray<readonly [string, number]>
    liveMs ??= shown.flatMap(([thread, at]) => (thread === live ? [at - saidAt] : []))[0]
    await sleep(20)
  }
  const calls = (await world.run({ calls: true })) as Readonly<Record<string, number>>
  await bot.end("SIGKILL")
  stage.forget()
  return { readyMs: bot.readyMs, taken: done.size, ...spread([...done.values()]), liveMs: liveMs ?? Number.NaN, calls }
}

/** From the start of the process to the first new words in threads whose agents talk on. */
const goesOn = async (
  stage: Stage,
  world: Program<Ready>,
  start: () => Promise<BotProcess>,
  threads: ReadonlyArray<string>
) => {
  stage.bind(threads, world.ready)
  await world.run({ agent: "talk" })
  const first = await start()
  await world.run({ say: "go", threads })
  await sleep(8000)
  await first.end("SIGKILL")
  await sleep(1000)
  await world.run({ shown: true })
  const second = await start()
  const seen = new Map<string, number>()
  for (const until = Date.now() + 30_000; Date.now() < until && seen.size < threads.length; await sleep(50)) {
    for (const [thread, at] of (await world.run({ shown: true })) as ReadonlyArray<readonly [string, number]>)
      if (!seen.has(thread)) seen.set(thread, at - second.startedAt)
  }
  const before = Date.now()
  const status = await second.end("SIGTERM")
  const drainMs = Date.now() - before
  stage.forget()
  return { readyMs: second.readyMs, seen: seen.size, ...spread([...seen.values()]), drainMs, status }
}

const allAttached = async (world: Program<Ready>, start: () => Promise<BotProcess>, threads: ReadonlyArray<string>) => {
  await world.run({ agent: "think" })
  const bot = await start()
  const before = Date.now()
  for (let at = 0; at < threads.length; at += 100)
    await world.run({ say: "think", threads: threads.slice(at, at + 100) })
  let attached = 0
  for (const until = Date.now() + 90_000; Date.now() < until && attached < threads.length; await sleep(200))
    attached = Number(await world.run({ attached: true }))
  const attachMs = Date.now() - before
  return { attached, attachMs, ...(await settled(bot)) }
}

/** What a bot costs that has had ten seconds to come to rest. */
const settled = async (bot: BotProcess) => {
  await sleep(10_000)
  const cpu = bot.cpu()
  const from = performance.now()
  await sleep(10_000)
  const cores = (bot.cpu() - cpu) / (performance.now() - from)
  const rss = bot.rss()
  await bot.end("SIGTERM")
  return { rss, cores }
}

const table = ({ attached, catchUp, empty, few, goOn, idle, many }: Results): string => {
  const mb = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`
  const each = (bytes: number) => `${((bytes - empty) / many / 1024).toFixed(0)} KB for each`
  const lines = [
    `threads: ${what}`,
    "the bot's own program against the emulator with Discord's limits and a scripted service",
    ""
  ]
  if (catchUp !== undefined)
    lines.push(
      `  ${few} threads with 3 messages from while it was away: all taken in ${catchUp.taken} of them; ms since the process started`,
      `    ready ${catchUp.readyMs}, taken p50 ${catchUp.p50} p95 ${catchUp.p95} max ${catchUp.max}; an answer to what is said now ${catchUp.liveMs}`,
      `    calls until then: ${Object.entries(catchUp.calls)
        .map(([call, times]) => `${times} ${call}`)
        .join(", ")}`
    )
  if (goOn !== undefined)
    lines.push(
      `  ${goOn.seen} answers that were cut by a kill: first new words, ms since the process started`,
      `    ready ${goOn.readyMs}, p50 ${goOn.p50} p95 ${goOn.p95} max ${goOn.max}; SIGTERM ended it after ${goOn.drainMs} ms with status ${goOn.status}`
    )
  lines.push(`  no threads: ${mb(empty)}`)
  if (idle !== undefined)
    lines.push(
      `  ${many} idle threads: ${mb(idle.rss)}, ${each(idle.rss)}, ${(idle.cores * 100).toFixed(1)} % of a core`
    )
  if (attached !== undefined)
    lines.push(
      `  ${attached.attached} attached sessions (after ${attached.attachMs} ms): ${mb(attached.rss)}, ${each(attached.rss)}, ${(attached.cores * 100).toFixed(1)} % of a core`
    )
  return `${lines.join("\n")}\n`
}

const spread = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}

type Stage = ReturnType<typeof rows>

/** A world with so many threads, a bot in it whose person is connected, and its rows. */
const within = async <A>(
  start: Tools["start"],
  threads: number,
  use: (parts: {
    readonly stage: Stage
    readonly world: Program<Ready>
    readonly bot: () => Promise<BotProcess>
  }) => Promise<A>
): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-bot-"))
  const world: Program<Ready> = await start(["World.js", String(threads)], `world-${threads}`)
  const bots: Array<BotProcess> = []
  const bot = async () => {
    const before = bots.at(-1)
    // Discord lets a bot connect once in five seconds; how long it takes to start is measured without that.
    if (before !== undefined) await sleep(Math.max(0, before.startedAt + before.readyMs + 5000 - Date.now()))
    const started = await startBot(folder, world.ready)
    bots.push(started)
    return started
  }
  try {
    const first = await bot()
    await world.run({ connect: true })
    await first.end("SIGTERM")
    const stage = rows(folder)
    try {
      return await use({ stage, world, bot })
    } finally {
      stage.close()
    }
  } finally {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
