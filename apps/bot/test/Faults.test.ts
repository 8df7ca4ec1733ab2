import { appendFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { PCGRandom } from "effect/Utils"
import { bundle, type KillPoint } from "./support/session/BotProcess.ts"
import { type Outcome, play } from "./support/session/ScriptedSession.ts"
import { startOwn, startPlain } from "./support/session/SessionService.ts"
import { difference } from "./support/session/SessionSnapshot.ts"
import { brokenNetwork, failingDiscord } from "./support/session/Trouble.ts"

/** How many kills; without it a few, and all other troubles in one session. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 0)
/** How many of them in one session. */
const killsEach = Number(process.env["HEDDLE_KILLS"] ?? 5)
/** How many sessions are played at once. */
const atOnce = Number(process.env["HEDDLE_AT_ONCE"] ?? 3)
const seed = Number(process.env["HEDDLE_SEED"] ?? Date.now() % 1_000_000)
/** Only these kills in one session, such as `after write 17, before write SET sent = 1`. */
const only = process.env["HEDDLE_KILL"]

const kinds = ["before write", "after write", "before call", "after call"] as const

/** Numbers from 0 to 1 that are the same for the same seed. */
const chances = (seed: number) => {
  const random = new PCGRandom(seed)
  return () => random.number()
}

const services = [
  { at: "its own service", startService: startOwn },
  { at: "a service that knows the document alone", startService: startPlain }
]

describe.concurrent("a bot under faults", () => {
  let program: Awaited<ReturnType<typeof bundle>>
  /** The session without faults. It has the same end at both services. */
  let whole: Promise<Outcome>
  beforeAll(async () => {
    program = await bundle()
    whole = play({ program: program.file, startService: startOwn })
    // Awaited by the tests, which fail with it.
    whole.catch(() => {})
  }, 60_000)
  afterAll(() => program.remove())

  for (const [index, { at, startService }] of services.entries())
    it(
      `ends with the same threads, prompts and answers after a kill at any point at ${at}`,
      { timeout: 400_000 + rounds * 60_000 },
      async () => {
        const chance = chances(seed + 2 * index)
        const plans =
          only !== undefined ? [parse(only)] : rounds === 0 ? [few(chance)] : many((await whole).counts, chance)
        const failures: Array<string> = []
        const asked = plans.flat().length
        let kills = 0
        let sessions = 0
        const worker = async () => {
          for (let plan = plans.shift(); plan !== undefined; plan = plans.shift()) {
            const from = Date.now()
            const points = plan.map(({ at, kind }) => `${kind} ${at}`).join(", ")
            try {
              const outcome = await play({ program: program.file, startService, kills: plan })
              const different = difference((await whole).snapshot, outcome.snapshot)
              if (different !== undefined)
                throw new Error(`another end:\n${different}\n${outcome.killedAt.join("; ")}\n${outcome.log.join("\n")}`)
              kills += outcome.killedAt.length
              sessions++
              // The session was over before: sooner, they come in another one.
              const missed = plan.slice(outcome.killedAt.length)
              if (missed.length > 0)
                plans.push(
                  missed.map(({ at, kind }) => ({ kind, at: typeof at === "number" ? Math.ceil(at / 2) : at }))
                )
              const unknown = [...outcome.decided, ...outcome.snapshot.doubts.map(firstLine)].join("; ")
              note(
                `ok ${points} ${Date.now() - from} ms ${outcome.killedAt.join("; ")}${unknown === "" ? "" : ` | ${unknown}`}`
              )
            } catch (error) {
              failures.push(`${points}: ${error instanceof Error ? error.message : String(error)}`)
              note(`FAILED ${failures.at(-1)}`)
            }
          }
        }
        await Promise.all(Array.from({ length: atOnce }, worker))
        console.info(
          `seed ${seed}: ${kills} kills in ${sessions} sessions as without, ${failures.length} sessions not so`
        )
        assert.deepEqual(failures, [])
        assert.strictEqual(kills, asked)
      }
    )

  it(
    "ends with the same threads, prompts and answers after failures of its environment",
    { timeout: 300_000 + rounds * 60_000 },
    async () => {
      const chance = chances(seed + 1)
      const troubles = new Map<string, number>()
      const { fault } = failingDiscord(chance, troubles)
      const trouble = brokenNetwork(chance, rounds === 0 ? 2000 : 60_000, troubles)
      const { snapshot } = await whole
      const sessions =
        rounds === 0
          ? [{ fault, trouble }]
          : Array.from({ length: Math.ceil(rounds / 50) }, () => [{ fault }, { trouble }]).flat()
      for (const session of sessions) {
        const outcome = await play({ program: program.file, startService: startOwn, ...session })
        assert.isUndefined(
          difference(snapshot, outcome.snapshot),
          `seed ${seed}, ${told(troubles)}\n${outcome.log.join("\n")}`
        )
        note(`ok ${Object.keys(session).join(", ")}: ${told(troubles)}`)
      }
      assert.isAbove(troubles.get("run of failing reads") ?? 0, 0)
      console.info(`seed ${seed}: ${sessions.length} sessions with ${told(troubles)} as without`)
    }
  )
})

const told = (troubles: ReadonlyMap<string, number>): string =>
  [...troubles].map(([what, count]) => `${count} × ${what}`).join(", ")

/** Kills between a request and its noted answer, around a random call and a random write; in the order of a session. */
const few = (chance: () => number): ReadonlyArray<KillPoint> => [
  randomKill(chance, "call", 8),
  { kind: "after write", at: "SET create_sent_at = COALESCE" },
  { kind: "before write", at: "task_id = COALESCE" },
  { kind: "before write", at: "permissions SET sent = 1" },
  { kind: "after write", at: "permissions SET sent = 1" },
  randomKill(chance, "write", 15),
  { kind: "after write", at: "SET prompted = 1" },
  { kind: "before write", at: "turns SET ended" }
]

const randomKill = (chance: () => number, what: "call" | "write", last: number): KillPoint => ({
  kind: `${chance() < 0.5 ? "before" : "after"} ${what}`,
  at: 1 + Math.floor(chance() * last)
})

/** Kills spread evenly over sessions, each session at places of its own. */
const many = ({ calls, writes }: Outcome["counts"], chance: () => number): Array<ReadonlyArray<KillPoint>> => {
  const sessions = Math.ceil(rounds / killsEach)
  const plans = Array.from({ length: sessions }, (_, session) =>
    Array.from({ length: Math.min(killsEach, rounds - session * killsEach) }, (_, index): KillPoint => {
      const kind = kinds[(index + session) % kinds.length] ?? "after write"
      // What a start does again counts, too, so that the last one is reached before the end.
      const gap = (0.85 * (kind.endsWith("write") ? writes : calls)) / killsEach
      return { kind, at: Math.ceil(index === 0 ? (gap * (session + 1)) / sessions : gap * (0.5 + chance())) }
    })
  )
  return plans
    .map((plan) => ({ plan, by: chance() }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ plan }) => plan)
}

const parse = (text: string): ReadonlyArray<KillPoint> =>
  text.split(", ").map((one) => {
    const kind = kinds.find((each) => one.startsWith(each)) ?? "after write"
    const at = one.slice(kind.length).trim()
    return { kind, at: /^\d+$/.test(at) ? Number(at) : at }
  })

const firstLine = (text: string): string => text.slice(0, 200).replaceAll("\n", " ")

const note = (line: string) => {
  const file = process.env["HEDDLE_LOG"]
  if (file !== undefined) appendFileSync(file, `${line}\n`)
}
