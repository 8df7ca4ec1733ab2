import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../../bin/heddle-bot.js", import.meta.url))

/** Starts the bot as people run it, with an environment of its own. */
export const run = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Waits for the end of a program; gives what it said. */
export const ended = async (child: ChildProcess) => {
  let error = ""
  let output = ""
  child.stderr?.on("data", (chunk) => (error += String(chunk)))
  child.stdout?.on("data", (chunk) => (output += String(chunk)))
  const [status] = await once(child, "close")
  return { status, error, output }
}

/** Waits until the bot is ready. */
export const ready = async (child: ChildProcess): Promise<{ ready: true; callback: string; health: string }> => {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line)
  throw new Error("the bot ended before it was ready")
}
