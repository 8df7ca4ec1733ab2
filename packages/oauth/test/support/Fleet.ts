import * as Bundle from "@heddle/test-support/Bundle"
import * as Effect from "effect/Effect"
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** One process that shares the grant `g`. */
export interface Process {
  /** Asks with this many fibers at once; each answer is a token or `failed: …`. */
  readonly ask: (fibers: number) => Promise<ReadonlyArray<string>>
  /** kill -9. */
  readonly kill: () => Promise<void>
}

/**
 * The program of such a process in one file, which starts in a quarter of the time; call `remove` after the last test.
 */
export const bundle = () => {
  // Native code stays where it is.
  const native = createRequire(import.meta.resolve("@effect/sql-sqlite-node")).resolve("better-sqlite3")
  return Bundle.bundle(new URL("asker.ts", import.meta.url), join(tmpdir(), "heddle-asker-"), {
    external: ["pg-native"],
    plugins: [
      {
        name: "native",
        setup: ({ onResolve }) => onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: native, external: true }))
      }
    ]
  })
}

/**
 * Starts a process that shares `database`, a file or a PostgreSQL address, and the token service at `url`; it ends
 * with the scope.
 */
export const start = (program: string, database: string, url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => launch(program, database, url)),
    ({ kill }) => Effect.promise(kill)
  )

const launch = async (program: string, database: string, url: string): Promise<Process> => {
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
