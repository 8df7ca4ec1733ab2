import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Bundle from "@heddle/test-support/Bundle"
import { type Fault, startDiscordProxy } from "../DiscordProxy.ts"
import type { SessionService } from "./SessionService.ts"

/** What `MortalBot.ts` is started with. */
export interface MortalOptions {
  readonly botToken: string
  readonly discordApi: string
  readonly baseUrl: string
  readonly application: { readonly clientId: string; readonly clientSecret: string }
  readonly dataDir: string
  readonly rollAfterMs: number
  readonly clockAheadMs: number
  readonly killBeforeWrite?: KillPoint["at"]
  readonly killAfterWrite?: KillPoint["at"]
  readonly debug: boolean
}

/** Where the bot is killed: counted over all its lives, those that ended by an earlier kill included. */
export interface KillPoint {
  readonly kind: "before write" | "after write" | "before call" | "after call"
  /** The number of the write or call, or words of the write. */
  readonly at: number | string
}

/** The program in one file, made from the sources; call `remove` when no process needs it any more. */
export const bundle = () =>
  Bundle.bundle(
    new URL("MortalBot.ts", import.meta.url),
    // Native code is found from there.
    fileURLToPath(new URL("../../../node_modules/.mortal-", import.meta.url)),
    { external: ["better-sqlite3", "@resvg/resvg-js", "bufferutil", "utf-8-validate", "zlib-sync", "erlpack"] }
  )

/** The bot as a process that is started again whenever it was killed. */
export const startBotProcess = async (options: {
  readonly program: string
  readonly emulator: { readonly api: string; readonly botToken: string }
  readonly service: Pick<SessionService, "application" | "permitCallback" | "url">
  readonly dataDir: string
  readonly rollAfterMs: number
  /** Reached one after the other, counted from the start or the kill before. */
  readonly kills: ReadonlyArray<KillPoint>
  /** What happens to a call at Discord, if anything. */
  readonly fault?: (call: { readonly method: string; readonly path: string }) => Fault | undefined
}) => {
  const kills = [...options.kills]
  const killedAt: Array<string> = []
  const log: Array<string> = []
  let writes = 0
  let calls = 0
  let counted = { writes: 0, calls: 0 }
  let clockAheadMs = 0
  let child: ChildProcess | undefined
  let wanted = true
  let lives = 0
  let ready = false
  let lastCall = ""
  /** The end of the last life, for any reason. */
  let ended: Promise<unknown> = Promise.resolve()
  let up: Promise<void> = Promise.resolve()

  const next = () => kills[0]
  const reached = (what: string) => {
    killedAt.push(what)
    kills.shift()
    counted = { writes, calls }
  }
  const proxy = await startDiscordProxy(options.emulator.api, async ({ method, path }, act) => {
    calls++
    lastCall = `${method} ${path} at ${new Date().toISOString()}`
    const fault = options.fault?.({ method, path })
    const point = next()
    const here = calls - counted.calls === point?.at
    const what = `${point?.kind} ${method} ${path.replaceAll(/\d{17,19}/g, ":id").replace(/webhooks.*/, "webhooks")}`
    const kill = () => {
      reached(what)
      child?.kill("SIGKILL")
    }
    if (here && point.kind === "before call") return kill()
    const answer = fault === undefined || fault.acts ? await act() : undefined
    if (here && point.kind === "after call") return kill()
    return fault === undefined ? answer : fault.answer
  })

  const live = (): Promise<void> => {
    const point = next()
    const at = typeof point?.at === "number" ? point.at - (writes - counted.writes) : (point?.at ?? 0)
    const own: MortalOptions = {
      botToken: options.emulator.botToken,
      discordApi: proxy.api,
      baseUrl: options.service.url,
      application: options.service.application,
      dataDir: options.dataDir,
      rollAfterMs: options.rollAfterMs,
      clockAheadMs,
      ...(point?.kind === "before write" ? { killBeforeWrite: at } : {}),
      ...(point?.kind === "after write" ? { killAfterWrite: at } : {}),
      debug: process.env["HEDDLE_TEST_LOG"] !== undefined
    }
    const started = spawn(process.execPath, [options.program], {
      env: { PATH: process.env["PATH"] ?? "", HEDDLE_TEST_BOT: JSON.stringify(own) },
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    child = started
    ended = once(started, "close")
    lives++
    ready = false
    started.stdio[3]?.on("data", (bytes: Buffer) => (writes += bytes.length))
    let killed: string | undefined
    createInterface({ input: started.stderr! }).on("line", (line) => {
      log.push(line)
      if (line.startsWith("killed at: ")) killed = line.slice("killed at: ".length)
    })
    return new Promise((resolve, reject) => {
      createInterface({ input: started.stdout! }).once("line", (callbackUrl) => {
        options.service.permitCallback(callbackUrl)
        ready = true
        resolve()
      })
      started.once("close", (code, signal) => {
        if (killed !== undefined) reached(killed)
        if (!wanted) return resolve()
        if (signal !== "SIGKILL") {
          log.push(`the bot ended by itself with ${code ?? signal}`)
          return reject(new Error(`the bot ended by itself with ${code ?? signal}:\n${log.slice(-20).join("\n")}`))
        }
        up = live()
        up.then(resolve, reject)
      })
    })
  }
  const stop = async () => {
    wanted = false
    child?.kill("SIGKILL")
    await ended
  }
  up = live()
  await up
  return {
    /** Resolves when a bot is running; it may be killed in this moment. */
    up: () => up,
    /** Kills the bot and leaves it dead; `resume` starts it with a clock that is ahead. */
    pause: stop,
    resume: (aheadMs: number) => {
      clockAheadMs = aheadMs
      wanted = true
      up = live()
      return up
    },
    killedAt,
    log,
    /** The state of the bot, for the message of a timeout. */
    state: () =>
      `lives ${lives}, the last ${ready ? "was ready" : "was not ready"} and ${child?.exitCode ?? child?.signalCode ?? "lives"}; calls ${calls}, the last ${lastCall}`,
    counts: () => ({ writes, calls }),
    /** How often it was started. */
    lives: () => lives,
    close: async () => {
      await stop()
      await proxy.close()
    }
  }
}
