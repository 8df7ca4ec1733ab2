// Measures a benchmark: every variant in a fresh process, in interleaved rounds (A B C, B C A, ...), so that other load on
// the machine meets all of them. A ratio compares with the baseline of the same round.
import { withPrograms } from "./programs.mjs"

/** Runs a benchmark and gives one result per case. */
export const measure = ({ bench, file }, { caseMillis, millis, rounds, smoke, warmUp }) =>
  withPrograms(file, async (begin) => {
    const peer = bench.peer === undefined ? undefined : await begin(bench.peer, "peer")
    const variants = []
    for (const [name, program] of Object.entries(bench.variants)) variants.push(await begin(program, name))

    const results = []
    for (const [name, settings] of Object.entries(bench.cases)) {
      const over = performance.now() + caseMillis
      const drive = (variant) => {
        const [driver, other] = bench.driver === "peer" ? [peer, variant] : [variant, peer]
        return driver.run({ ...settings, ...(smoke ? bench.smoke : {}), ...other?.ready, millis })
      }
      const sample = async (variant) => {
        const before = await variant.cpu()
        const begun = performance.now()
        const operations = await drive(variant)
        const seconds = (performance.now() - begun) / 1000
        return { micros: ((await variant.cpu()) - before) / operations, perSecond: operations / seconds }
      }
      // By operations, not by time alone: on a busy machine a second is too short to compile the code.
      for (const variant of variants) {
        const until = performance.now() + warmUp.atMost
        for (let done = 0; done < warmUp.operations && performance.now() < until;) done += await drive(variant)
      }
      const samples = new Map(variants.map((variant) => [variant.name, []]))
      let round = 0
      for (; round < rounds && (round < 3 || performance.now() < over); round++) {
        const first = round % variants.length
        for (const variant of [...variants.slice(first), ...variants.slice(0, first)]) {
          samples.get(variant.name).push(await sample(variant))
        }
      }
      const ratiosTo = (baseline, micros) => {
        const ratios = samples.get(baseline).map((sample, round) => micros[round] / sample.micros)
        return { ratio: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
      }
      results.push({
        case: name,
        rounds: round,
        variants: variants.map((variant) => {
          const micros = samples.get(variant.name).map((sample) => sample.micros)
          return {
            name: variant.name,
            ...ratiosTo(bench.baseline, micros),
            ...(bench.second === undefined ? {} : { toSecond: ratiosTo(bench.second, micros) }),
            micros: median(micros),
            cheapest: Math.min(...micros),
            perSecond: median(samples.get(variant.name).map((sample) => sample.perSecond))
          }
        })
      })
    }
    return { name: bench.name, what: bench.what, baseline: bench.baseline, second: bench.second, cases: results }
  })

/** Runs a benchmark that measures something other than CPU time. It starts its programs; all are stopped afterwards. */
export const measureItself = ({ bench, file }, smoke) =>
  withPrograms(file, (begin) => bench.run({ start: begin, smoke, log: (line) => console.error(line) }))

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
