import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Emulator } from "@heddle/discord-emulator"

const bin = fileURLToPath(new URL("../../bin/heddle-bot.js", import.meta.url))

/** Starts the bot as people run it, with an environment of its own. */
export const run = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Waits until the bot is ready. */
export const ready = async (child: ChildProcess): Promise<{ ready: true; callback: string; health: string }> => {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line)
  throw new Error("the bot ended before it was ready")
}

/** What the bot's environment has to say. */
export const environment = (
  { api, botToken }: Pick<Emulator, "api" | "botToken">,
  service: { readonly url: string },
  folder: string
) => ({
  DISCORD_TOKEN: botToken,
  DISCORD_API: api,
  HEDDLE_BASE_URL: service.url,
  HEDDLE_CLIENT_ID: "app",
  HEDDLE_CLIENT_SECRET: "s",
  HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
  HEDDLE_DATA: folder,
  HEDDLE_PORT: "0"
})

/** The bot as a program that is killed and started again. */
export const mortal = (env: Record<string, string>) => {
  let child: ChildProcess | undefined
  return {
    start: () => {
      const started = run([], env)
      // Its output has no reader, and must not block it.
      started.stderr.resume()
      child = started
      return ready(started)
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "close")
      child.kill("SIGKILL")
      await ended
    }
  }
}

/** Begins to connect; the bot is ready before its commands are registered. */
export const connecting = async (emulator: Emulator) => {
  const { command } = emulator.user()
  for (let left = 100; ; left--) {
    try {
      return (await command(emulator.channelId, "connect")).settled()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
