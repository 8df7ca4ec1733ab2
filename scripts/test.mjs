// All tests: build (the tests start real programs), then vitest over every package.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { join } from "node:path"

const root = fileURLToPath(new URL("..", import.meta.url))
const run = (bin, args) => {
  const done = spawnSync(join(root, "node_modules/.bin", bin), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    shell: process.platform === "win32"
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
}
run("turbo", ["run", "build", "--output-logs=errors-only"])
run("vitest", ["run", ...process.argv.slice(2)])
