// Checks types (with Effect diagnostics), lint, format, package boundaries, unused code, structure and the list of faults,
// and reports all failures.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { resolve } from "node:path"

const root = fileURLToPath(new URL("..", import.meta.url))
const checks = [
  ["types", "tsc", ["-b"]],
  ["lint", "oxlint", ["--deny-warnings"]],
  ["format", "oxfmt", ["--check", "."]],
  ["boundaries", "turbo", ["boundaries"]],
  ["unused code", "knip", []],
  ["structure", process.execPath, ["scripts/structure.mjs"]],
  ["faults", process.execPath, ["scripts/mutate.mjs", "--check"]]
]
let failed = 0
for (const [name, bin, args] of checks) {
  const done = spawnSync(resolve(root, "node_modules/.bin", bin), args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    shell: process.platform === "win32"
  })
  const ok = done.status === 0
  console.log(`${ok ? "ok  " : "FAIL"} ${name}`)
  if (!ok) {
    failed++
    process.stdout.write(`${done.stdout ?? ""}${done.stderr ?? ""}${done.error?.message ?? ""}\n`)
  }
}
process.exit(failed === 0 ? 0 : 1)
