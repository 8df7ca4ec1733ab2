// Builds and runs the benchmarks and prints a table for each. A full run takes three minutes on a quiet machine. A benchmark
// that takes as long alone runs only by its name.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { availableParallelism, cpus } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { idle } from "./bench/idle.mjs"
import { measure, measureItself } from "./bench/measure.mjs"

const usage = `Usage: npx --yes pnpm@10 bench [NAME ...] [--json] [--list] [--rounds N] [--smoke]

Measures CPU time per operation and prints it as a ratio to the baseline of the same run. The benchmark streaming measures
the age of text, and runs only by its name.

  NAME        only the benchmarks whose name contains it
  --json      the results as one JSON object
  --list      the benchmarks and their variants; no measurement
  --rounds N  rounds of each case; 11 when left out, fewer where time runs out
  --smoke     one short round that shows that everything runs; ignore its figures`

const root = fileURLToPath(new URL("..", import.meta.url))

const main = async () => {
  const { positionals, values } = commandLine()
  if (values.help) return console.log(usage)
  const rounds = Number(values.rounds ?? 11)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 99)
    return misuse("--rounds takes a whole number from 1 to 99.")

  const packages = ["packages", "apps"]
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(root, folder, "bench")))
  build(packages)
  const all = await load(packages)
  const chosen = all.filter(({ bench }) =>
    positionals.length === 0
      ? bench.onlyByName !== true || values.list
      : positionals.some((name) => bench.name.includes(name))
  )
  if (chosen.length === 0) return misuse(`No benchmark has such a name. Known: ${names(all)}.`)
  if (values.list) {
    if (values.json) return console.log(JSON.stringify(chosen.map(({ bench }) => listed(bench))))
    for (const { bench } of chosen)
      console.log(`${bench.name}  ${bench.what}: ${Object.keys(bench.variants).join(", ")}`)
    return
  }

  const effort = values.smoke
    ? { smoke: true, rounds: 1, millis: 20, warmUp: { operations: 0, atMost: 0 }, caseMillis: 0 }
    : {
        smoke: false,
        rounds,
        millis: 200,
        warmUp: { operations: 8000, atMost: 3000 },
        caseMillis: 85_000 / casesOf(chosen)
      }
  const results = []
  for (const one of chosen) {
    if (!values.json) console.error(`${one.bench.name} …`)
    const itself = one.bench.run !== undefined
    const result = itself ? await measureItself(one, values.smoke) : await measure(one, effort)
    if (one.bench.idle !== undefined) result.idle = await idle(one, values)
    results.push(result)
    if (!values.json) console.log(itself ? one.bench.table(result) : table(result))
  }
  if (values.json) {
    const machine = { node: process.version, cpu: cpus()[0]?.model.trim() ?? "unknown", cores: availableParallelism() }
    console.log(
      JSON.stringify({ date: new Date().toISOString(), ...machine, smoke: values.smoke, benchmarks: results })
    )
  }
}

const commandLine = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        list: { type: "boolean", default: false },
        smoke: { type: "boolean", default: false },
        rounds: { type: "string" },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    misuse(error.message)
    return process.exit()
  }
}

const misuse = (line) => {
  console.error(`${line} See npx --yes pnpm@10 bench --help.`)
  process.exitCode = 2
}

const build = (packages) => {
  const run = (bin, args) => {
    const done = spawnSync(join(root, "node_modules/.bin", bin), args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", FORCE_COLOR: "0" },
      shell: process.platform === "win32"
    })
    if (done.status === 0) return
    process.stderr.write(`${done.stdout ?? ""}${done.stderr ?? ""}`)
    console.error(`The build failed; no benchmark ran. ${done.error?.message ?? ""}`)
    process.exit(1)
  }
  run("turbo", ["run", "build", ...packages.map((folder) => `--filter=./${folder}`), "--output-logs=errors-only"])
  run("tsc", ["-b", ...packages.map((folder) => join(folder, "tsconfig.bench.json"))])
}

const load = async (packages) => {
  const found = []
  for (const name of packages) {
    const folder = join(root, name, "bench/dist")
    for (const file of readdirSync(folder).filter((file) => file.endsWith(".bench.js"))) {
      const path = join(folder, file)
      found.push({ file: path, bench: (await import(pathToFileURL(path).href)).bench })
    }
  }
  return found.sort((a, b) => a.bench.name.localeCompare(b.bench.name))
}

const names = (all) => all.map(({ bench }) => bench.name).join(", ")

const listed = ({ baseline, cases, name, variants, what }) => ({
  name,
  what,
  baseline,
  variants: Object.keys(variants),
  cases: Object.keys(cases)
})

const casesOf = (chosen) => chosen.reduce((sum, { bench }) => sum + Object.keys(bench.cases).length, 0)

const table = ({ baseline, cases, idle, name, second, what }) => {
  const lines = [
    `${name}: ${what}`,
    `ratio to ${baseline} of the same round: median and range of the rounds; of the cheapest rounds; CPU time; done per second${second === undefined ? "" : `; ratio to ${second}`}`
  ]
  for (const { case: title, rounds, variants } of cases) {
    lines.push("", `  ${title}; ${rounds} rounds`)
    const width = Math.max(...variants.map((variant) => variant.name.length))
    const cheapest = variants.find((variant) => variant.name === baseline).cheapest
    for (const { max, cheapest: least, micros, min, name: variant, perSecond, ratio, toSecond } of variants) {
      const range = variant === baseline ? "" : `${min.toFixed(2)} – ${max.toFixed(2)}`
      lines.push(
        `    ${variant.padEnd(width)}  ${ratio.toFixed(2).padStart(6)}  ${range.padEnd(14)}  ${(least / cheapest).toFixed(2).padStart(6)}  ${micros.toFixed(micros < 10 ? 1 : 0).padStart(6)} µs  ${Math.round(perSecond).toLocaleString("en").padStart(8)}/s${toSecond === undefined ? "" : `  ${inRange(toSecond)}`}`
      )
    }
  }
  for (const { case: title, connections, variants } of idle ?? []) {
    lines.push("", `  ${connections} ${title}`)
    for (const { kilobytes, name: variant, seconds } of variants) {
      lines.push(
        `    ${variant.padEnd(16)}  ${kilobytes.toFixed(1).padStart(6)} KB each  ${seconds.toFixed(1).padStart(6)} s`
      )
    }
  }
  return `${lines.join("\n")}\n`
}

const inRange = ({ max, min, ratio }) => `${ratio.toFixed(2)} (${min.toFixed(2)} – ${max.toFixed(2)})`

await main()
