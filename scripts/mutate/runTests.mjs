import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

/**
 * Runs tests in a copy of the workspace. `outcome` is `passed`, `failed` (a test failed; `detail` names it), `late` (the
 * time was over) or `broken` (no test failed, yet vitest did: the code does not load).
 */
export const runTests = (copy, tests, { all = false, seconds, workers }) =>
  new Promise((resolve) => {
    const report = join(copy, "report.json")
    const temporary = join(copy, "tmp")
    rmSync(report, { force: true })
    mkdirSync(temporary, { recursive: true })
    const began = performance.now()
    const child = spawn(
      process.execPath,
      [
        join(copy, "node_modules/vitest/vitest.mjs"),
        "run",
        ...tests,
        "--reporter=json",
        `--outputFile=${report}`,
        `--maxWorkers=${workers}`,
        ...(all ? [] : ["--bail=1"])
      ],
      { cwd: copy, detached: true, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: temporary } }
    )
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output = (output + text).slice(-4000)))
    let isLate = false
    const stop = () => endGroup(child.pid)
    const timer = setTimeout(() => {
      isLate = true
      stop()
    }, seconds * 1000)
    process.prependOnceListener("exit", stop)
    child.once("close", (code) => {
      clearTimeout(timer)
      process.off("exit", stop)
      // Also what the tests started and left.
      stop()
      rmSync(temporary, { recursive: true, force: true })
      const { failed, problems } = read(report)
      const outcome = failed.length > 0 ? "failed" : isLate ? "late" : code === 0 ? "passed" : "broken"
      resolve({ outcome, failed, output: problems || output, seconds: (performance.now() - began) / 1000 })
    })
  })

const endGroup = (pid) => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // All its processes have ended.
  }
}

/** The tests that failed, and why files could not be run. */
const read = (report) => {
  if (!existsSync(report)) return { failed: [], problems: "" }
  const { testResults } = JSON.parse(readFileSync(report, "utf8"))
  return {
    failed: testResults.flatMap(({ assertionResults }) =>
      assertionResults.flatMap(({ fullName, status }) => (status === "failed" ? [fullName] : []))
    ),
    problems: testResults
      .map(({ message }) => message)
      .filter((message) => message !== "")
      .join("\n")
  }
}
