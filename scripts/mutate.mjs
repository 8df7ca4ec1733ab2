// Puts one fault after the other into a copy of the code, and tells which of them the tests notice. All faults take about
// half an hour on two quiet cores.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { faults } from "./mutate/faults.mjs"
import { runTests } from "./mutate/runTests.mjs"
import { applyFault, copyWorkspace } from "./mutate/workspace.mjs"
import { makeScratch } from "./scratch.mjs"

const usage = `Usage: npx --yes pnpm@10 mutate [FILTER ...] [--list] [--check] [--workers N] [--seconds N]

Tries each fault of scripts/mutate/faults against the tests that must notice it. Fails below 95 percent.

  FILTER       only faults whose file or name contains it
  --list       the faults; no test runs
  --check      only checks that the list is true: each place is in its file once, and its tests exist
  --workers N  how many faults are tried at once; 2 when left out
  --seconds N  how long the tests of one fault may take; 120 when left out`

const root = fileURLToPath(new URL("..", import.meta.url))

const main = async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      workers: { type: "string", default: String(Math.min(2, availableParallelism())) },
      seconds: { type: "string", default: "120" },
      help: { type: "boolean", short: "h", default: false }
    }
  })
  if (values.help) return console.log(usage)
  const problems = findProblems()
  if (problems.length > 0) return fail(problems.join("\n"))
  if (values.check) return
  const chosen = faults.filter(
    ({ file, name }) => positionals.length === 0 || positionals.some((text) => `${file} ${name}`.includes(text))
  )
  if (chosen.length === 0) return fail("No fault has such a file or name. See --list.")
  if (values.list) return console.log(chosen.map(({ file, name }) => `${file}  ${name}`).join("\n"))
  await withCopies(Number(values.workers), (copies) => tryAll(chosen, copies, Number(values.seconds)))
}

const fail = (text) => {
  console.error(text)
  process.exitCode = 1
}

/** What is not true in the list of faults. */
const findProblems = () => {
  const names = new Set()
  return faults.flatMap(({ file, find, name, replace, tests }) => {
    const found = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8").split(find).length - 1 : 0
    const missing = tests.filter((test) => !existsSync(join(root, test)))
    const isTwice = names.has(name)
    names.add(name)
    return [
      ...(found === 1 ? [] : [`${file}: "${name}" has its place ${found} times, not once`]),
      ...(find === replace ? [`${file}: "${name}" changes nothing`] : []),
      ...(tests.length > 0
        ? missing.map((test) => `${file}: "${name}" has no test ${test}`)
        : [`"${name}" has no test`]),
      ...(isTwice ? [`${file}: another fault is named "${name}"`] : [])
    ]
  })
}

/** Runs with this many copies of the workspace, which are gone afterwards. */
const withCopies = async (count, use) => {
  const folder = makeScratch() ?? mkdtempSync(join(tmpdir(), "heddle-mutate-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once("exit", remove)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))
  const copies = Array.from({ length: count }, (_, index) => join(folder, String(index)))
  for (const copy of copies) {
    mkdirSync(copy)
    copyWorkspace(root, copy)
  }
  await use(copies)
}

const tryAll = async (chosen, copies, seconds) => {
  const tests = [...new Set(chosen.flatMap((fault) => fault.tests))].sort()
  console.log(`${tests.length} test files without a fault …`)
  const sound = await runTests(copies[0], tests, { all: true, seconds: 1800, workers: copies.length })
  if (sound.outcome !== "passed")
    return fail(`${sound.outcome} without a fault, so nothing was tried:\n${sound.failed.join("\n") || sound.output}`)

  const waiting = [...chosen]
  const results = []
  const work = async (copy) => {
    for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
      const restore = applyFault(copy, fault)
      const result = await runTests(copy, fault.tests, { seconds, workers: 1 })
      restore()
      results.push({ fault, ...result })
      const by = result.outcome === "failed" ? `: ${result.failed[0]}` : ""
      console.log(`${words[result.outcome]}  ${result.seconds.toFixed(1).padStart(5)} s  ${fault.name}${by}`)
    }
  }
  await Promise.all(copies.map(work))
  report(results)
}

const words = { failed: "noticed ", passed: "SURVIVED", late: "TOO LATE", broken: "BROKEN  " }

const report = (results) => {
  const areas = groupBy(results, areaOf)
  const row = (name, list) => {
    const count = (outcome) => list.filter((result) => result.outcome === outcome).length
    return [name, list.length, count("failed"), count("passed"), count("late"), count("broken")]
  }
  const rows = [
    ["area", "faults", "noticed", "survived", "too late", "broken"],
    ...[...areas].map(([name, list]) => row(name, list)).sort(),
    row("all", results)
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  console.log("")
  for (const [name, ...numbers] of rows)
    console.log(name.padEnd(width) + numbers.map((number) => String(number).padStart(10)).join(""))
  for (const { fault, outcome, output } of results) {
    if (outcome !== "failed") console.log(`\n${words[outcome].trim()} ${fault.file}\n  ${fault.name}`)
    if (outcome === "broken") console.log(output)
  }
  const noticed = results.filter(({ outcome }) => outcome === "failed").length
  if (noticed < results.length * 0.95) process.exitCode = 1
}

/** The folder of a fault's file below `src`. */
const areaOf = ({ fault: { file } }) =>
  file
    .split("/")
    .slice(1, 4)
    .filter((part) => part !== "src" && !part.endsWith(".ts"))
    .join("/")

const groupBy = (list, keyOf) => {
  const groups = new Map()
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each])
  return groups
}

await main()
