import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"

/** How a process ended, and all that it printed. */
export interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** Collects what a process prints from now on; resolves when it has ended. */
export const ended = (child: ChildProcess): Promise<Ended> => collect(child).ended

/** Runs a Node program to its end; an interruption kills it. */
export const run = (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) =>
  Effect.promise((signal) => ended(spawn(process.execPath, [file, ...args], { env, signal, killSignal: "SIGKILL" })))

/** Starts a Node program; it is killed at the latest when the scope closes. */
export const start = (file: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [file, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
      return { child, ...collect(child) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  ).pipe(
    Effect.map(({ child, ended, printed }) => ({
      pid: child.pid,
      out: () => printed.out,
      err: () => printed.err,
      ended: Effect.promise(() => ended),
      stop: (signal: "SIGTERM" | "SIGKILL") =>
        Effect.promise(() => {
          child.kill(signal)
          return ended
        }),
      /** The JSON that the program prints when it is ready. */
      ready: Effect.async<Record<string, unknown>>((resume) => {
        child.stdout.once("data", (line) => resume(Effect.succeed(JSON.parse(String(line)))))
        child.once("close", () => resume(Effect.die(new Error(printed.err))))
      }).pipe(Effect.timeout("15 seconds"), Effect.orDie)
    }))
  )

const collect = (child: ChildProcess) => {
  const printed = { out: "", err: "" }
  child.stdout?.on("data", (piece) => (printed.out += piece))
  child.stderr?.on("data", (piece) => (printed.err += piece))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (status) => resolve({ status, ...printed }))
  })
  return { printed, ended }
}
