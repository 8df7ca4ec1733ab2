import { appendFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { bundle, type KillPoint } from "./support/BotProcess.ts"
import { chances } from "./support/Chances.ts"
import { play } from "./support/ScriptedSession.ts"
import { brokenNetwork, failingDiscord } from "./support/Trouble.ts"

/** How many kills. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 0)
const seed = Number(process.env["HEDDLE_SEED"] ?? Date.now() % 1_000_000)
/** How many of them in one session. */
const killsEach = Number(process.env["HEDDLE_KILLS"] ?? 5)
/** How many sessions are played at once. */
const atOnce = Number(process.env["HEDDLE_AT_ONCE"] ?? 3)
/** Only this kill, such as `after write 17`. */
const only = process.env["HEDDLE_KILL"]

const kinds = ["before write", "after write", "before call", "after call"] as const

describe("a bot that is killed", () => {
  it(
    "ends with the same threads, prompts and answers, wherever the kill comes",
    { timeout: 60_000 + rounds * 30_000 },
    async () => {
      const program = await bundle()
      const chance = chances(seed)
      try {
        const whole = play({ program: program.file })
        const plans = only === undefined ? (rounds === 0 ? few(chance) : await many(whole, chance)) : [parse(only)]
        const results: Array<string> = []
        const failures: Array<string> = []
        let reached = 0
        const { snapshot } = await whole
        const worker = async () => {
          for (let kills = plans.shift(); kills !== undefined; kills = plans.shift()) {
            const from = Date.now()
            const plan = kills.map(({ at, kind }) => `${kind} ${at}`).join(", ")
            try {
              const outcome = await play({ program: program.file, kills })
              reached += outcome.killedAt.length
              const different = difference(snapshot, outcome.snapshot)
              if (different !== undefined) throw new Error(`another end:\n${different}\n${outcome.killedAt.join("; ")}`)
              results.push(plan)
              note(`ok ${plan} ${Date.now() - from} ms ${outcome.killedAt.join("; ")}`)
            } catch (error) {
              failures.push(`${plan}: ${error instanceof Error ? error.message : String(error)}`)
              note(`FAILED ${plan} ${failures.at(-1)}`)
            }
          }
        }
        await Promise.all(Array.from({ length: rounds === 0 ? 2 : atOnce }, worker))
        console.info(
          `seed ${seed}: ${results.length} sessions with ${reached} kills as without, ${failures.length} not so`
        )
        assert.deepEqual(failures, [])
      } finally {
        program.remove()
      }
    }
  )
})

describe("a bot in trouble", () => {
  it(
    "ends with the same threads, prompts and answers, whatever fails around it",
    { timeout: 120_000 + rounds * 30_000 },
    async () => {
      const program = await bundle()
      const chance = chances(seed)
      const sessions = Math.max(1, Math.ceil(rounds / 50))
      const troubles = new Map<string, number>()
      const discord = failingDiscord(chance)
      const trouble = brokenNetwork(chance, rounds === 0 ? 2000 : 60_000, troubles)
      try {
        const { snapshot } = await play({ program: program.file })
        for (let session = 0; session < sessions; session++) {
          const outcomes = await Promise.all([
            play({ program: program.file, fault: discord.fault }),
            play({ program: program.file, trouble })
          ])
          for (const outcome of outcomes) assert.isUndefined(difference(snapshot, outcome.snapshot))
          note(`ok ${discord.told()}; ${[...troubles].map(([what, count]) => `${count} ${what}`).join(", ")}`)
        }
        console.info(
          `seed ${seed}: ${sessions * 2} sessions as without trouble; calls at Discord: ${discord.told()}; ${[...troubles].map(([what, count]) => `${what} ${count}`).join(", ")}`
        )
      } finally {
        program.remove()
      }
    }
  )
})

/** Eight kills in two sessions, four after each other in each. */
const few = (chance: () => number): Array<ReadonlyArray<KillPoint>> =>
  [0, 1].map((session) =>
    kinds.map((_, index) => {
      const kind = kinds[(index + session) % 4] ?? "after write"
      return { kind, at: 1 + Math.floor(chance() * (kind.endsWith("write") ? 60 : 20)) }
    })
  )

/** Kills spread evenly over sessions, each session at places of its own. */
const many = async (whole: ReturnType<typeof play>, chance: () => number): Promise<Array<ReadonlyArray<KillPoint>>> => {
  const { calls, writes } = (await whole).counts
  const sessions = Math.ceil(rounds / killsEach)
  const plans = Array.from({ length: sessions }, (_, session) =>
    Array.from({ length: Math.min(killsEach, rounds - session * killsEach) }, (_, index): KillPoint => {
      const kind = kinds[(index + session) % kinds.length] ?? "after write"
      const gap = (kind.endsWith("write") ? writes : calls) / killsEach
      return { kind, at: Math.ceil(index === 0 ? (gap * (session + 1)) / sessions : gap * (0.5 + chance())) }
    })
  )
  return plans
    .map((plan) => ({ plan, by: chance() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ plan }) => plan)
}

/** Where two snapshots begin to differ. */
const difference = (whole: string, killed: string): string | undefined => {
  if (whole === killed) return undefined
  const [expected, actual] = [whole.split("\n"), killed.split("\n")]
  const at = expected.findIndex((line, index) => line !== actual[index])
  const from = Math.max(0, at - 3)
  return [...expected.slice(from, at + 6), "--- but it was", ...actual.slice(from, at + 6)].join("\n")
}

const parse = (text: string): ReadonlyArray<KillPoint> =>
  text.split(", ").map((one) => {
    const kind = kinds.find((each) => one.startsWith(each)) ?? "after write"
    return { kind, at: Number(one.slice(kind.length)) }
  })

const note = (line: string) => {
  const file = process.env["HEDDLE_LOG"]
  if (file !== undefined) appendFileSync(file, `${line}\n`)
}
