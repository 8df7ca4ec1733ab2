// Installs the third-party agents of the tests, with exact versions and without their install scripts. They are large, so
// they are not dependencies of the workspace.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const flags = ["--ignore-workspace", "--frozen-lockfile", "--ignore-scripts", "--loglevel=error"]
const { status } = spawnSync("npx", ["--yes", "pnpm@10", "install", ...flags], {
  cwd: fileURLToPath(new URL("../test/agents", import.meta.url)),
  stdio: "inherit",
  shell: process.platform === "win32"
})
process.exit(status ?? 1)
