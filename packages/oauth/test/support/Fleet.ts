import * as Bundle from "@heddle/test-support/Bundle"
import { fork, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "./asker.ts"

/** One process that shares the grant `g`. */
export interface Process {
  /** Forgets all, then shares `database`, a file or a PostgreSQL address, and the token service at `url`. */
  readonly open: (database: string, url: string) => Promise<void>
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

/** Starts a process. */
export const start = async (program: string): Promise<Process> => {
  const child = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  await message(child)
  const tell = (command: Command): Promise<unknown> => {
    child.send(command)
    return message(child)
  }
  return {
    open: async (database, url) => void (await tell({ database, url })),
    ask: async (fibers) => (await tell({ fibers })) as ReadonlyArray<string>,
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
