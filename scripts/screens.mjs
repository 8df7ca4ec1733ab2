// Walks the bot through the local Discord's page in a browser and leaves pictures of every card, form and page: in light
// and dark, in English and Chinese. Needs Chromium; HEDDLE_CHROMIUM names one elsewhere.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { join, resolve } from "node:path"
import { startVitest } from "vitest/node"

const root = fileURLToPath(new URL("..", import.meta.url))
const [folder, ...filters] = process.argv.slice(2)
if (folder === undefined || folder.startsWith("-")) {
  console.error("Usage: pnpm screens FOLDER [account | talking]")
  process.exit(folder === "--help" ? 0 : 2)
}
process.env["HEDDLE_SCREENS"] = resolve(folder)

const built = spawnSync(join(root, "node_modules/.bin/turbo"), ["run", "build", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
  shell: process.platform === "win32"
})
if (built.status !== 0) process.exit(built.status ?? 1)

const conditions = ["@heddle/source", "node"]
const vitest = await startVitest(
  "test",
  filters,
  { config: false, root, run: true, watch: false, include: ["apps/bot/test/screens/*.screens.ts"], maxWorkers: 1 },
  { resolve: { conditions }, ssr: { resolve: { conditions } } }
)
await vitest.close()
