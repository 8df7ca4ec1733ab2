import { build } from "esbuild"
import * as Effect from "effect/Effect"
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** One process that shares the grant `g`. */
export interface Process {
  /** Asks with this many fibers at once; each answer is a token or `failed: …`. */
  readonly ask: (fibers: number) => Promise<ReadonlyArray<string>>
  /** kill -9. */
  readonly kill: () => Promise<void>
}

/** Starts processes that share `database`, a file or a PostgreSQL address, and the token service at `url`; they end with the scope. */
export const make = (database: string, url: string) =>
  Effect.gen(function* () {
    const program = yield* bundle
    return Effect.acquireRelease(
      Effect.promise(() => start(program, database, url)),
      ({ kill }) => Effect.promise(kill)
    )
  })

// Beside its source, so that what it imports from outside is found.
const bundle = Effect.acquireRelease(
  Effect.promise(async () => {
    const outfile = fileURLToPath(new URL(`asker.${process.pid}.mjs`, import.meta.url))
    await build({
      entryPoints: [fileURLToPath(new URL("asker.ts", import.meta.url))],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["@heddle/source", "node", "import", "default"],
      packages: "bundle",
      external: ["effect", "effect/*", "@effect/*"],
      logLevel: "silent"
    })
    return outfile
  }),
  (outfile) => Effect.promise(() => rm(outfile, { force: true }))
)

const start = async (program: string, database: string, url: string): Promise<Process> => {
  const child = fork(program, [database, url], { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  await message(child)
  return {
    ask: async (fibers) => {
      child.send(fibers)
      return (await message(child)) as ReadonlyArray<string>
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
    }
  }
}

const message = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const gone = (code: number | null, signal: string | null) =>
      reject(new Error(`the process ended (${code ?? signal})`))
    child.once("exit", gone)
    child.once("message", (received) => {
      child.off("exit", gone)
      resolve(received)
    })
  })
