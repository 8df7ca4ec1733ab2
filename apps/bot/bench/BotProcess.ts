import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import type { Ready } from "./World.ts"

/** The bot as people run it, in a process of its own. */
export interface BotProcess {
  /** When it was started, and how long it took until it was ready, in milliseconds. */
  readonly startedAt: number
  readonly readyMs: number
  /** Resident memory in bytes. */
  readonly rss: () => number
  /** CPU time so far in milliseconds. */
  readonly cpu: () => number
  /** Ends it; resolves with its status, or the signal that ended it. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<number | string>
}

const bin = fileURLToPath(new URL("../../bin/heddle-bot.js", import.meta.url))

/** Starts the bot and waits until it is ready. */
export const startBot = async (folder: string, { api, service, token }: Ready): Promise<BotProcess> => {
  const startedAt = Date.now()
  const child = spawn(process.execPath, [bin], {
    env: {
      PATH: process.env["PATH"],
      DISCORD_TOKEN: token,
      DISCORD_API: api,
      HEDDLE_BASE_URL: service,
      HEDDLE_CLIENT_ID: "app",
      HEDDLE_CLIENT_SECRET: "secret",
      HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
      HEDDLE_DATA: folder,
      HEDDLE_PORT: "0"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  await ready(child)
  const { pid = 0 } = child
  return {
    startedAt,
    readyMs: Date.now() - startedAt,
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024,
    cpu: () => {
      // After the name in brackets; the 12th and 13th field from there are ticks of 10 ms.
      const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "").split(" ")
      return (Number(fields[11]) + Number(fields[12])) * 10
    },
    end: async (signal) => {
      const ended = once(child, "exit")
      child.kill(signal)
      const [status, by] = (await ended) as [number | null, string | null]
      return status ?? by ?? "nothing"
    }
  }
}

const ready = async (child: ChildProcess): Promise<void> => {
  if (child.stdout === null) throw new Error("the bot has no output")
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready":true')) return
  throw new Error("the bot ended before it was ready")
}

/** The rows of a bot, while it is stopped or from beside it. */
export const rows = (folder: string) => {
  const database = new Database(join(folder, "bot.sqlite"))
  return {
    /** Binds threads to tasks that have the same names. */
    bind: (threads: ReadonlyArray<string>, { channelId, guildId, userId }: Ready) => {
      const insert = database.prepare(
        "INSERT OR IGNORE INTO threads (thread_id, guild_id, channel_id, owner_id, task_id, name, last_seen_id, created_at) VALUES (?, ?, ?, ?, ?, 'thread', ?, 0)"
      )
      for (const id of threads) insert.run(id, guildId, channelId, userId, `task-${id}`, id)
    },
    /** How many messages were taken in each thread. */
    taken: () =>
      database
        .prepare("SELECT thread_id AS thread, count(*) AS n FROM inbox GROUP BY thread_id")
        .all() as ReadonlyArray<{
        readonly thread: string
        readonly n: number
      }>,
    /** How many rows there are in each table. */
    sizes: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        ["inbox", "turns", "posts", "cluster_messages", "cluster_replies"].map((table) => [
          table,
          (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { readonly n: number }).n
        ])
      ),
    /** Forgets everything that was said, and what was written until now is not read again. */
    forget: () => {
      database.prepare("UPDATE threads SET last_seen_id = '9223372036854775807'").run()
      for (const table of ["inbox", "turns", "posts", "cluster_messages", "cluster_replies"])
        database.prepare(`DELETE FROM ${table}`).run()
    },
    close: () => database.close()
  }
}
