import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Ended, ended } from "@heddle/test-support/Programs"

/** The built `start` program, as a person runs it. */
const program = fileURLToPath(new URL("../../dist/bin/start.js", import.meta.url))

/** Runs `start` to its end. */
export const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Ended> =>
  ended(launch(args, env))

export interface Running {
  readonly ready: { readonly page: string; readonly service: string; readonly discordApi: string }
  readonly pid: number
  /** Sends the signal and waits for the end; gives the exit status. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<number | null>
}

/** Starts the stack with a page and waits for its ready line. */
export const serve = (args: ReadonlyArray<string>, env: Record<string, string> = {}): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = launch(args, env)
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    const closed = new Promise<number | null>((done) => child.on("close", (status) => done(status)))
    void closed.then((status) => reject(new Error(`start ended with ${status} before it was ready: ${stderr}`)))
    createInterface({ input: child.stdout! }).once("line", (line) =>
      resolve({
        ready: JSON.parse(line),
        pid: child.pid!,
        end: (signal) => {
          child.kill(signal)
          return closed
        }
      })
    )
  })

const launch = (args: ReadonlyArray<string>, env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env }
  })
