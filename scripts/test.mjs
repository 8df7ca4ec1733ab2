// Builds every package, because the tests start real programs, then runs every test.
import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * The folder for the tests' files, in memory if there is space: every commit of every store waits for its medium. The tests
 * prove what survives the end of a process, not a power failure.
 */
const scratch = () => {
  if (process.platform !== "linux" || process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    const folder = mkdtempSync("/dev/shm/heddle-test-")
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o711)
    return folder
  } catch {
    // No such folder, or no access for this user: the tests use the disk.
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
  // Vitest gets the interrupt, too. This process waits for it and then removes the files.
  process.on("SIGINT", () => undefined)
  try {
    return run("vitest", ["run", ...process.argv.slice(2)], folder === undefined ? {} : { TMPDIR: folder })
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = run("turbo", ["run", "build", "--output-logs=errors-only"]) || tests()
