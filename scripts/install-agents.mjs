// Installs the agents of others that the tests run through the service, with exact versions and without their scripts.
// They are big, so they are no dependencies of the workspace: whoever only starts or uses it does not fetch them.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const flags = ["--ignore-workspace", "--frozen-lockfile", "--ignore-scripts", "--loglevel=error"]
const { status } = spawnSync("npx", ["--yes", "pnpm@10", "install", ...flags], {
  cwd: fileURLToPath(new URL("../test/agents", import.meta.url)),
  stdio: "inherit",
  shell: process.platform === "win32"
})
process.exit(status ?? 1)
