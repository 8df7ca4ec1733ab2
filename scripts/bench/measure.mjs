// One benchmark: every variant in a fresh process, measured in turns (A B C, B C A, ...), so that whatever else the
// machine does meanwhile meets all of them; each ratio is to the baseline of the same round.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { start } from "./programs.mjs"

/** Runs a benchmark and gives one result per case. */
export const measure = async ({ bench, file }, { millis, rounds, warmUp }) => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-bench-"))
  const programs = []
  const begin = async (program, name) => {
    const started = await start(program, { beside: dirname(file), folder, name })
    programs.push(started)
    return started
  }
  try {
    const peer = await begin(bench.peer, "peer")
    const variants = []
    for (const [name, program] of Object.entries(bench.variants)) variants.push(await begin(program, name))

    const results = []
    for (const [name, settings] of Object.entries(bench.cases)) {
      const sample = async (variant, time) => {
        const [driver, other] = bench.driver === "peer" ? [peer, variant] : [variant, peer]
        const before = await variant.cpu()
        const operations = await driver.run({ ...settings, ...other.ready, millis: time })
        return ((await variant.cpu()) - before) / operations
      }
      for (const variant of variants) await sample(variant, warmUp)
      const samples = new Map(variants.map((variant) => [variant.name, []]))
      for (let round = 0; round < rounds; round++) {
        const first = round % variants.length
        for (const variant of [...variants.slice(first), ...variants.slice(0, first)]) {
          samples.get(variant.name).push(await sample(variant, millis))
        }
      }
      const baseline = samples.get(bench.baseline)
      results.push({
        case: name,
        variants: variants.map((variant) => {
          const micros = samples.get(variant.name)
          const ratios = micros.map((value, round) => value / baseline[round])
          return {
            name: variant.name,
            ratio: median(ratios),
            min: Math.min(...ratios),
            max: Math.max(...ratios),
            micros: median(micros),
            cheapest: Math.min(...micros)
          }
        })
      })
    }
    return { name: bench.name, what: bench.what, baseline: bench.baseline, rounds, cases: results }
  } finally {
    await Promise.all(programs.map((program) => program.stop()))
    await rm(folder, { recursive: true, force: true })
  }
}

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
