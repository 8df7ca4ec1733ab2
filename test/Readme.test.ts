import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The commands of a Markdown page in their order: the lines of its `sh` blocks and its inline code that starts with npx. */
const commandsOf = (markdown: string): ReadonlyArray<string> => {
  const found = [...markdown.matchAll(/^```sh\n(.*?)^```|`(npx [^`]+)`/gms)]
  return found.flatMap(([, block, inline]) => inline ?? (block ?? "").split("\n").filter((line) => line !== ""))
}

/**
 * The commands that do not end by themselves or must not run to their end here, and the output after which the test stops
 * them. `test` would run this test again, so it ends when its build begins. `check` and `docs` take long:
 * one ends after its first check, the other when it serves the site.
 */
const stopAfter: Readonly<Record<string, RegExp>> = {
  "npx --yes pnpm@10 start": /^\{"ready":true,.*\}$/m,
  "npx --yes pnpm@10 --silent start": /^\{"ready":true,.*\}$/m,
  "npx --yes pnpm@10 test": /Packages in scope/,
  "npx --yes pnpm@10 check": /^ok {3}types$/m,
  "npx --yes pnpm@10 run docs": /Local: +http/
}

const commands = commandsOf(readFileSync(join(root, "README.md"), "utf8"))

describe(
  "the README's commands run as written, without a terminal, where npm may not ask",
  { timeout: 180_000 },
  () => {
    let home = ""
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), "heddle-readme-"))
    })
    afterAll(() => rm(home, { recursive: true, force: true }))

    it("has every command that this test stops, and each begins like the first, which finds npm's cache empty", () => {
      assert.includeMembers([...commands], Object.keys(stopAfter))
      for (const command of commands) assert.match(command, /^npx --yes pnpm@10 /)
    })

    for (const command of new Set(commands)) {
      it(command, async () => {
        const { output, status } = await run(command, environment(home), stopAfter[command])
        if (stopAfter[command] === undefined) assert.strictEqual(status, 0, output)
        else assert.match(output, stopAfter[command])
      })
    }
  }
)

/** A person's environment with an empty home folder and npm cache; ports are free ones, since others may use the usual. */
const environment = (home: string): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|HEDDLE_|DISCORD_|XDG_)/i.test(name))
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    // pnpm's own store stays where the checkout was installed from.
    XDG_DATA_HOME: process.env["XDG_DATA_HOME"] ?? join(homedir(), ".local/share"),
    npm_config_cache: join(home, "npm"),
    npm_config_yes: "false",
    HEDDLE_PORT: "0",
    HEDDLE_SERVICE_PORT: "0",
    HEDDLE_CALLBACK_PORT: "0"
  }
}

/** Runs a shell command until it ends, or stops its processes when its output has the expected text. */
const run = async (command: string, env: NodeJS.ProcessEnv, stop: RegExp | undefined) => {
  const child = spawn("/bin/sh", ["-c", command], {
    cwd: root,
    env,
    // A process group of its own, which the test stops as a whole.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  let stopped = false
  const read = (chunk: Buffer) => {
    // Programs color their output where the variable CI is set.
    output += stripVTControlCharacters(chunk.toString())
    if (stopped || child.pid === undefined || stop?.test(output) !== true) return
    stopped = true
    process.kill(-child.pid, "SIGTERM")
  }
  child.stdout.on("data", read)
  child.stderr.on("data", read)
  const [status] = await once(child, "close")
  return { output, status }
}
