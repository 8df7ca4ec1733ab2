import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { pnpmCommand } from "./Pnpm.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

it("a root script prints only its ready line and ends with its package manager", { timeout: 60_000 }, async () => {
  const [file, first] = pnpmCommand()
  const child = spawn(file, [...first, "--silent", "discord-emulator", "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const lines: Array<string> = []
  const reader = createInterface({ input: child.stdout })
  reader.on("line", (line) => lines.push(line))
  // The pipe closes when its last process has ended: the emulator, not pnpm.
  const closed = once(reader, "close")
  await once(reader, "line")
  const ready: unknown = JSON.parse(lines[0] ?? "")
  assert.include(Object.keys(ready ?? {}), "page")
  child.kill("SIGTERM")
  await closed
  assert.lengthOf(lines, 1)
})
