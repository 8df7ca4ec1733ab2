import { type ChildProcess, spawn } from "node:child_process"
import { rename } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Emulator } from "@heddle/discord-emulator"
import { build } from "esbuild"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** The line that the program prints when it is ready. */
export interface Ready extends Pick<Emulator, "api" | "page" | "botToken" | "applicationId" | "guildId" | "channelId"> {
  readonly ready: true
}

/** A run of the program to its end. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

let bundled: Promise<string> | undefined

/** The program as it is in the sources now, in one file that Node runs; the files of all tests are served by it. */
const program = (): Promise<string> => {
  bundled ??= (async () => {
    const file = `${root}test/.program-under-test.mjs`
    const outfile = `${file}.${process.pid}`
    await build({
      absWorkingDir: root,
      entryPoints: ["src/main.ts"],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error"
    })
    // Another process would create the same one.
    await rename(outfile, file)
    return file
  })()
  return bundled
}

const run = async (
  args: ReadonlyArray<string>,
  env: Record<string, string>
): Promise<{ child: ChildProcess; finished: Promise<Finished>; line: Promise<string> }> => {
  const child = spawn(process.execPath, [await program(), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stderr?.on("data", (chunk) => (stderr += String(chunk)))
  const line = new Promise<string>((resolve) =>
    child.stdout?.on("data", (chunk) => {
      stdout += String(chunk)
      if (stdout.includes("\n")) resolve(stdout.slice(0, stdout.indexOf("\n")))
    })
  )
  const finished = new Promise<Finished>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })))
  return { child, finished, line }
}

/** Runs the program to its end. */
export const runCli = async (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Finished> =>
  (await run(args, env)).finished

/** Starts the program on a free port and waits until it is ready. */
export const spawnEmulator = async (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const { child, finished, line } = await run(["--port", "0", ...args], env)
  const first = await Promise.race([line, finished.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  return {
    ready: JSON.parse(first) as Ready,
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    exited: finished
  }
}
