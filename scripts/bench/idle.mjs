// Measures what open, idle connections cost a program: every variant in a fresh process, after a few connections.
import { withPrograms } from "./programs.mjs"

/** Gives, per case and variant, the resident memory per open connection and the seconds until all were open. */
export const idle = async ({ bench, file }, { smoke }) => {
  const connections = smoke ? 20 : bench.idle.connections
  const results = []
  // The first case of one variant shows that it runs.
  for (const [name, settings] of Object.entries(bench.idle.cases).slice(0, smoke ? 1 : undefined)) {
    const variants = []
    for (const [variant, program] of Object.entries(bench.variants).slice(...(smoke ? [1, 2] : []))) {
      variants.push({ name: variant, ...(await sample({ bench, connections, file, program, settings, smoke })) })
    }
    results.push({ case: name, connections, variants })
  }
  return results
}

const sample = ({ bench, connections, file, program, settings, smoke }) =>
  withPrograms(file, async (begin) => {
    const peer = await begin(bench.peer, "peer")
    const variant = await begin(program, "variant")
    const [driver, other] = bench.driver === "peer" ? [peer, variant] : [variant, peer]
    const run = { idle: true, millis: 0, ...settings, ...other.ready }
    const settle = () => new Promise((resolve) => setTimeout(resolve, smoke ? 0 : (bench.idle.settleMillis ?? 0)))
    // The first connections load and compile code; the others should not pay for that.
    await driver.run({ ...run, connections: Math.ceil(connections / 10) })
    await settle()
    const before = await variant.memory()
    const begun = performance.now()
    await driver.run({ ...run, connections })
    const seconds = (performance.now() - begun) / 1000
    await settle()
    return { kilobytes: ((await variant.memory()) - before) / connections / 1024, seconds }
  })
