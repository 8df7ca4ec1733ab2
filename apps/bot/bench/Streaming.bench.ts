import * as TextAge from "./TextAge.ts"
import type { Script } from "./TextSource.ts"
import type { Program, Tools } from "./Tools.ts"

interface Discord {
  readonly api: string
  readonly token: string
  readonly threads: ReadonlyArray<string>
}

interface Memory {
  readonly rss: number
  readonly heap: number
}

const variants = { naive: "NaiveBot.js", paced: "PacedBot.js" } as const
type Variant = keyof typeof variants

const what = "how far what people see in their threads is behind what the agent has said"

/** How old the text is that people do not see yet, next to a loop that awaits its edits, under Discord's own limits. */
export const bench = {
  name: "streaming",
  what,
  variants,
  cases: {
    "1 thread": 1,
    "10 threads": 10,
    "50 threads": 50,
    "200 threads": 200,
    "25 threads in turns": 25,
    "1,000 threads": 1000
  },
  baseline: "naive",
  /** Takes five minutes: measured only when it is asked for by name. */
  onlyByName: true,

  run: (tools: Tools) => run(tools),
  table: (results: Results) => table(results)
}

const run = async ({ log, smoke, start }: Tools) => {
  const ages = []
  for (const threads of smoke ? [1, 10] : [1, 10, 50, 200]) {
    log(`streaming: ${threads} ${threads === 1 ? "thread" : "threads"} …`)
    // One answer alone is long, or it would tell of one page's end only.
    const seconds = smoke ? 4 : threads === 1 ? 45 : 20
    const script: Script = { threads, seconds, tokenMs: 25, turns: 1, seed: threads }
    const measured = await both(start, script)
    const optimum = Math.max(1, threads / 45) / 2
    ages.push({ threads, optimum, naive: measured.naive.age, paced: measured.paced.age })
  }
  log("streaming: 25 threads in turns …")
  const turns = await both(start, {
    threads: smoke ? 5 : 25,
    seconds: smoke ? 3 : 8,
    tokenMs: 25,
    // A p95 of fewer answers would tell of four of them.
    turns: smoke ? 1 : 8,
    seed: 7
  })
  log("streaming: open threads …")
  const open = await many(start, smoke ? 50 : 1000, smoke ? 4 : 30)
  return { name: "streaming", what, ages, turns, open }
}

type Results = Awaited<ReturnType<typeof run>>

const table = ({ ages, open, turns }: Results): string => {
  const lines = [
    `streaming: ${what}`,
    "discord.js against the emulator with Discord's limits (50 calls/s, 5 per 5 s and thread); a token of text every 25 ms.",
    "paced: the bot's own client, pace, outboxes, view and store, fed with a session that grows; no service, no agent.",
    "naive: discord.js alone, one loop of `await message.edit(text)` per thread. Each has a Discord of its own.",
    "",
    "  text age: seconds since the first token that is not visible was said, mean over time",
    "  threads   optimum     paced   to optimum     naive"
  ]
  for (const { naive, optimum, paced, threads } of ages) {
    lines.push(
      `  ${String(threads).padStart(7)}  ${seconds(optimum)}  ${seconds(paced)}  ${(paced / optimum).toFixed(2).padStart(11)}  ${seconds(naive)}`
    )
  }
  lines.push(
    "",
    `  ${turns.paced.turns} answers of 4 to 8 s in ${turns.threads} threads, seconds     p50       p95       max`
  )
  for (const name of ["paced", "naive"] as const) {
    const { final, first } = turns[name]
    lines.push(`  ${name}: first word visible after it was said     ${spread(first)}`)
    lines.push(`  ${name}: last word visible after it was said      ${spread(final)}`)
  }
  lines.push(
    "",
    `  ${open.threads} threads open: ${(open.idleHeap / 1024).toFixed(0)} KB of heap for each that waits for its first word;`,
    `  while all of them grow: ${(open.rss / 2 ** 20).toFixed(0)} MB resident, ${(open.cores * 100).toFixed(0)} % of a core`
  )
  return `${lines.join("\n")}\n`
}

const seconds = (value: number): string => value.toFixed(3).padStart(8)

const spread = ({ max, p50, p95 }: TextAge.Spread): string => `${seconds(p50)}  ${seconds(p95)}  ${seconds(max)}`

/** Both variants at once, each with its own Discord: what the machine does besides meets both. */
const both = async (start: Tools["start"], script: Script) => {
  const [naive, paced] = await Promise.all([one(start, "naive", script), one(start, "paced", script)])
  return { threads: script.threads, naive, paced }
}

const one = (start: Tools["start"], variant: Variant, script: Script) =>
  using(start, variant, script.threads, async (discord, bot) => {
    const answers = (await bot.run(script)) as ReadonlyArray<TextAge.SentAnswer>
    const shown = (await discord.run({})) as ReadonlyArray<TextAge.VisibleTokens>
    return TextAge.measure(answers, shown)
  })

const many = (start: Tools["start"], threads: number, lasting: number) =>
  using(start, "paced", threads, async (_, bot) => {
    const before = (await bot.run({ memory: true })) as Memory
    const idle = (await bot.run({ open: threads })) as Memory
    const cpu = await bot.cpu()
    const began = performance.now()
    await bot.run({ threads, seconds: lasting, tokenMs: 100, turns: 1, seed: 1, cut: true } satisfies Script)
    const cores = ((await bot.cpu()) - cpu) / 1000 / (performance.now() - began)
    const after = (await bot.run({ memory: true })) as Memory
    return { threads, idleHeap: (idle.heap - before.heap) / threads, rss: after.rss, cores }
  })

const using = async <A>(
  start: Tools["start"],
  variant: Variant,
  threads: number,
  use: (discord: Program<Discord>, bot: Program<object>) => Promise<A>
): Promise<A> => {
  const discord: Program<Discord> = await start(["Discord.js", String(threads)], `discord-${variant}-${threads}`)
  try {
    const { api, token } = discord.ready
    const bot: Program<object> = await start(
      [variants[variant], api, token, ...discord.ready.threads],
      `${variant}-${threads}`
    )
    try {
      return await use(discord, bot)
    } finally {
      await bot.stop()
    }
  } finally {
    await discord.stop()
  }
}
