// Builds every package, then runs every test on what was built: on the packages and the programs.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import { makeScratch } from "./scratch.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

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
  const folder = makeScratch()
  // Vitest gets the interrupt, too. This process waits for it and then removes the files.
  process.on("SIGINT", () => undefined)
  try {
    const temporary = folder === undefined ? {} : { TMPDIR: folder }
    return run("vitest", ["run", ...process.argv.slice(2)], { HEDDLE_TEST_BUILT: "1", ...temporary })
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = run("turbo", ["run", "build", "--output-logs=errors-only"]) || tests()
