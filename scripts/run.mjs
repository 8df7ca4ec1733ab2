// Builds a command, then runs it in this process.
import { spawnSync } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { stopWithLaunchers } from "./launchers.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const commands = {
  start: ["@heddle/bot", "apps/bot/dist/bin/start.js"],
  "heddle-bot": ["@heddle/bot", "apps/bot/dist/bin/main.js"],
  "heddle-server": ["@heddle/server", "packages/server/dist/bin/main.js"],
  "heddle-assistant": ["@heddle/assistant", "packages/assistant/dist/bin/main.js"],
  "discord-emulator": ["@heddle/discord-emulator", "packages/discord-emulator/dist/main.js"],
  "heddle-conformance": ["@heddle/conformance", "packages/conformance/dist/bin/main.js"]
}

const [name, ...args] = process.argv.slice(2)
const command = commands[name]
if (command === undefined) {
  console.error(`unknown command: ${name}. Known: ${Object.keys(commands).join(", ")}`)
  process.exit(2)
}
const [filter, entry] = command
if (!existsSync(join(root, entry))) console.error("Building Heddle; the first time takes less than a minute …")
const turbo = join(root, "node_modules/.bin/turbo")
const build = spawnSync(turbo, ["run", "build", `--filter=${filter}`, "--output-logs=errors-only"], {
  cwd: root,
  stdio: ["ignore", "pipe", "pipe"],
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", FORCE_COLOR: "0" },
  encoding: "utf8",
  shell: process.platform === "win32"
})
if (build.status !== 0) {
  process.stderr.write(`${build.stdout ?? ""}${build.stderr ?? ""}`)
  console.error(`The build failed; the command did not start. ${build.error?.message ?? ""}`)
  process.exit(1)
}
stopWithLaunchers()
const file = join(root, entry)
process.argv = [process.argv[0], file, ...args]
await import(pathToFileURL(file).href)
