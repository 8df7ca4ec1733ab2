// Installs the third-party agents of the tests, with exact versions: about 1.3 GB in 20 to 60 seconds. They are not
// dependencies of the workspace. One install script runs, OpenCode's: it puts the program of this platform in place.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const minutes = 10
const flags = ["--ignore-workspace", "--frozen-lockfile", "--loglevel=error"]
const { signal, status } = spawnSync("npx", ["--yes", "pnpm@10", "install", ...flags], {
  cwd: fileURLToPath(new URL("../test/agents", import.meta.url)),
  stdio: "inherit",
  shell: process.platform === "win32",
  timeout: minutes * 60_000
})
if (signal !== null) console.error(`The agents were not installed within ${minutes} minutes; run this again.`)
process.exit(status ?? 1)
