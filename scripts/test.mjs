// All tests: build (the tests start real programs), then vitest over every package.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Where the tests write, in memory where the machine has a place for that: every commit of every store waits for its
 * medium, and what they prove is what survives the end of a program, not of the power.
 */
const scratch = () => {
  if (process.platform !== "linux" || process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    const folder = mkdtempSync("/dev/shm/heddle-test-")
    // PostgreSQL runs as a user of its own.
    chmodSync(folder, 0o711)
    return folder
  } catch {
    // No such place, or not for this user: then on the disk.
    return undefined
  }
}

const run = (bin, args, env = {}) => {
  const { status } = spawnSync(join(root, "node_modules/.bin", bin), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", ...env },
    shell: process.platform === "win32"
  })
  return status ?? 1
}

const tests = () => {
  const folder = scratch()
  // Whoever interrupts the tests interrupts them, too: what they wrote is removed after them.
  process.on("SIGINT", () => undefined)
  try {
    return run("vitest", ["run", ...process.argv.slice(2)], folder === undefined ? {} : { TMPDIR: folder })
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = run("turbo", ["run", "build", "--output-logs=errors-only"]) || tests()
