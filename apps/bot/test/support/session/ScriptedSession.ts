import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import Database from "better-sqlite3"
import type { Fault } from "../DiscordProxy.ts"
import { type KillPoint, startBotProcess } from "./BotProcess.ts"
import { type AgentRecord, recorded, watchClaims } from "./Claims.ts"
import { decideDoubts } from "./Doubts.ts"
import { makeAgent } from "./ScriptedAgent.ts"
import { people } from "./ScriptedPeople.ts"
import type { SessionService, StartService } from "./SessionService.ts"
import { checkAway, settledSnapshot, type Snapshot } from "./SessionSnapshot.ts"

export interface SessionOptions {
  readonly program: string
  readonly startService: StartService
  readonly kills?: ReadonlyArray<KillPoint>
  readonly fault?: (call: { readonly method: string; readonly path: string }) => Fault | undefined
  readonly emulator?: EmulatorOptions
  /** Runs beside the session until it ends. */
  readonly trouble?: (about: { readonly emulator: Emulator; readonly service: SessionService }) => {
    /** How often the bot may have been told nothing for a while. */
    readonly absences: () => number
    readonly stop: () => void
  }
}

/** The result of a session: what people see, and what the service received. */
export interface Outcome {
  readonly snapshot: Snapshot
  /** What the person did who was told that something is not known. */
  readonly decided: ReadonlyArray<string>
  readonly killedAt: ReadonlyArray<string>
  readonly counts: { readonly writes: number; readonly calls: number }
  /** The last lines of the bot's log. */
  readonly log: ReadonlyArray<string>
}

/** Below the time limit of the tests, so that the failure has a message. */
const longestMs = 280_000

/**
 * One session of two threads with everything that a turn may hold. The bot is killed at the given points. The people go
 * on when they see that they can, and the session ends with their last message.
 */
export const play = async (options: SessionOptions): Promise<Outcome> => {
  const dataDir = mkdtempSync(join(tmpdir(), "heddle-faults-"))
  const emulator = await startEmulator({ limits: "fast", interactionMs: 1500, ...options.emulator })
  const gates = makeGates()
  const record: AgentRecord = { ends: new Map(), said: new Set() }
  const service = await options.startService(recorded(makeAgent(gates.pass), record))
  const claims = watchClaims(emulator, service, record)
  const bot = await startBotProcess({
    program: options.program,
    emulator,
    service,
    dataDir,
    rollAfterMs: 20 * 60_000,
    kills: options.kills ?? [],
    ...(options.fault === undefined ? {} : { fault: options.fault })
  })
  const trouble = options.trouble?.({ emulator, service })
  const doubts = decideDoubts({ emulator, bot, service })
  const store = join(dataDir, "bot.sqlite")
  let late: NodeJS.Timeout | undefined
  try {
    const threads = await Promise.race([
      people({ emulator, bot, open: gates.open, handled: (thread) => nothingLeft(store, thread) }),
      doubts.done.then(() => Promise.reject(new Error("the person no longer looks at what is not known"))),
      new Promise<never>((_, reject) => {
        late = setTimeout(() => reject(new Error("the session does not come to its end")), longestMs)
      })
    ])
    trouble?.stop()
    await nothingLeft(store)
    const snapshot = await settledSnapshot(emulator, service, threads)
    for (const thread of Object.values(threads)) {
      checkAway(emulator, thread, bot.lives() - 1 + (trouble?.absences() ?? 0))
    }
    if (claims.wrong.length > 0) throw new Error([...new Set(claims.wrong)].join("; "))
    return { snapshot, decided: doubts.decided, killedAt: bot.killedAt, counts: bot.counts(), log: bot.log.slice(-30) }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    throw new Error(
      `killed at ${JSON.stringify(bot.killedAt)}: ${what}\n${new Date().toISOString()} ${bot.state()}\nrequests ${JSON.stringify(service.lastRequests())}\nprompts ${JSON.stringify(service.prompts())}\ndecided ${JSON.stringify(doubts.decided)}\n${bot.log.slice(-30).join("\n")}`,
      { cause: error }
    )
  } finally {
    clearTimeout(late)
    trouble?.stop()
    claims.stop()
    await doubts.stop().catch(() => {})
    await bot.close()
    await service.close()
    await emulator.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Waits until the bot has nothing more to do, or nothing in one thread. */
const nothingLeft = async (file: string, thread?: string): Promise<void> => {
  const database = new Database(file, { readonly: true })
  const messages = "SELECT COUNT(*) FROM inbox WHERE state IN ('queued', 'running')"
  const left =
    thread === undefined
      ? database.prepare(`SELECT (${messages}) + (SELECT COUNT(*) FROM requests WHERE state = 'starting')
          + (SELECT COUNT(*) FROM replies) AS n`)
      : database.prepare(`SELECT (${messages} AND thread_id = '${thread}') AS n`)
  const end = Date.now() + 60_000
  try {
    for (;;) {
      const row: unknown = left.get()
      if (typeof row === "object" && row !== null && "n" in row && Number(row.n) === 0) return
      if (Date.now() > end) throw new Error("the bot has still something to do")
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  } finally {
    database.close()
  }
}

const makeGates = () => {
  const opened = new Set<string>()
  const waiting = new Map<string, () => void>()
  return {
    open: (name: string) => {
      opened.add(name)
      waiting.get(name)?.()
    },
    pass: (name: string) =>
      opened.has(name) ? Promise.resolve() : new Promise<void>((resolve) => void waiting.set(name, resolve))
  }
}
