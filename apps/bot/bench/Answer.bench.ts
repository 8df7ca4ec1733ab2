import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rows, startBot } from "./BotProcess.ts"
import * as Report from "./Report.ts"
import type { Program as AnyProgram, Tools } from "./Tools.ts"
import type { Order, Ready, Shown } from "./World.ts"

type World = AnyProgram<Ready, Order>

const what = "how soon a short answer is complete in its thread, and in how many messages"

/** An answer that the agent gives in 0.3 s, one after the other in fresh threads, with Discord's limits. */
export const bench = {
  name: "answer",
  what,
  variants: { naive: "NaivePosts.js", bot: "BotProcess.js" },
  cases: { "1,100 characters": 1 },
  baseline: "naive",
  /** It waits for Discord's limits: measured only when it is asked for by name. */
  onlyByName: true,

  run: (tools: Tools) => run(tools),
  table: (results: Results) => table(results)
}

const run = async ({ log, smoke, start }: Tools) => {
  const answers = smoke ? 1 : 9
  const world: World = await start(["World.js", String(answers * 2)], "world-answer")
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-answer-"))
  try {
    const { api, threads, token } = world.ready
    log("answer: discord.js, a message for each piece …")
    const naive: AnyProgram<object, { readonly thread: string }> = await start(
      ["NaivePosts.js", api, token],
      "naive-answer"
    )
    const ofNaive = await each(threads.slice(0, answers), async (thread) => {
      const shown = world.run({ answerIn: thread })
      await naive.run({ thread })
      return (await shown) as Shown
    })
    await naive.stop()
    log("answer: the bot …")
    const bot = await startBot(folder, world.ready)
    const stage = rows(folder)
    try {
      await world.run({ connect: true })
      stage.bind(threads, world.ready)
      await world.run({ agent: "report" })
      const ofBot = await each(
        threads.slice(answers),
        async (thread) => (await world.run({ answerIn: thread, ask: "report" })) as Shown
      )
      return { name: "answer", what, answers, naive: summary(ofNaive), bot: summary(ofBot) }
    } finally {
      stage.close()
      await bot.end("SIGTERM")
    }
  } finally {
    await world.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Results = Awaited<ReturnType<typeof run>>

const each = async (
  threads: ReadonlyArray<string>,
  answer: (thread: string) => Promise<Shown>
): Promise<ReadonlyArray<Shown>> => {
  const all: Array<Shown> = []
  for (const thread of threads) all.push(await answer(thread))
  return all
}

const summary = (all: ReadonlyArray<Shown>) => ({
  completeMs: spread(all.map(({ completeMs }) => completeMs)),
  messages: spread(all.map(({ messages }) => messages)),
  calls: spread(all.map(({ calls }) => calls))
})

const spread = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return { median: at(Math.floor(sorted.length / 2)), min: at(0), max: at(sorted.length - 1) }
}

const table = ({ answers, bot, naive }: Results): string => {
  const range = ({ max, median, min }: ReturnType<typeof spread>, unit = 1) =>
    `${median / unit} (${min / unit}–${max / unit})`
  const line = (name: string, of: typeof bot) =>
    `  ${name.padEnd(8)}${range(of.completeMs, 1000).padStart(24)}${range(of.messages).padStart(14)}${range(of.calls).padStart(14)}`
  return `${[
    `answer: ${what}`,
    `${answers} answers of 1,100 characters in nine messages and three steps, which the agent gives in ${Report.lastingMs / 1000} s;`,
    "seconds from the question until the last word is visible; median and range",
    "naive: discord.js alone, a message for each piece. bot: the bot's own program, with a scripted service.",
    "",
    `  ${"".padEnd(8)}${"seconds".padStart(24)}${"messages".padStart(14)}${"calls".padStart(14)}`,
    line("naive", naive),
    line("bot", bot)
  ].join("\n")}\n`
}
