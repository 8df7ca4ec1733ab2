import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bot from "@heddle/bot/bot/Bot"
import * as BotRuntime from "@heddle/bot/bot/BotRuntime"
import type { BotOptions } from "@heddle/bot/model/BotOptions"
import { type Actor, type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as BotLog from "./BotLog.ts"
import { makeDataFolder } from "./database/DataFolder.ts"
import { startFakeService } from "./FakeService.ts"
import { encryptionKey, firstScopes, storeGrant } from "./database/StoredGrant.ts"

/** Emulator, scripted service and bot, each of which can be stopped on its own. */
export const startStack = async (
  script: Parameters<typeof startFakeService>[0],
  options: {
    readonly emulator?: EmulatorOptions
    readonly editIntervalMs?: number
    readonly answerDeadlineMs?: number
    readonly agentSilenceMs?: number
    readonly rollAfterMs?: number
    readonly silentAfterMs?: number
    readonly stuckAfterMs?: number
    /** The clock of the bot. */
    readonly clock?: Clock.Clock
    /** The person has connected before. */
    readonly connected?: boolean
  } = {}
) => {
  const dataDir = await makeDataFolder(mkdtempSync(join(tmpdir(), "heddle-bot-")))
  // Several stacks share a process, which a busy machine stops for seconds.
  const emulator: Emulator = await startEmulator({ limits: "fast", interactionMs: 30_000, ...options.emulator })
  const service = await startFakeService(script)
  const botLog = BotLog.make()
  let scope: Scope.CloseableScope | undefined
  const startBot = async (more: Partial<BotOptions> = {}) => {
    scope = Effect.runSync(Scope.make())
    const running = await Bot.start({
      discordToken: Redacted.make(emulator.botToken),
      discordApi: emulator.api,
      baseUrl: service.url,
      application: () => Effect.succeed({ clientId: "app", clientSecret: Redacted.make("secret") }),
      encryptionKey,
      dataDir,
      editIntervalMs: options.editIntervalMs ?? 50,
      ...(options.answerDeadlineMs === undefined ? {} : { answerDeadlineMs: options.answerDeadlineMs }),
      ...(options.agentSilenceMs === undefined ? {} : { agentSilenceMs: options.agentSilenceMs }),
      ...(options.rollAfterMs === undefined ? {} : { rollAfterMs: options.rollAfterMs }),
      ...(options.silentAfterMs === undefined ? {} : { silentAfterMs: options.silentAfterMs }),
      ...(options.stuckAfterMs === undefined ? {} : { stuckAfterMs: options.stuckAfterMs }),
      // Without limits at the emulator, the bot's own do not slow the tests.
      ...(options.emulator?.limits === "discord" ? {} : { requestsPerSecond: 1000 }),
      ...more
    }).pipe(
      Effect.provideService(Scope.Scope, scope),
      botLog.keep,
      BotRuntime.provide,
      Effect.withClock(options.clock ?? Clock.make()),
      Effect.runPromise
    )
    await Effect.runPromise(running.commandsRegistered)
    return running
  }
  const stopBot = async () => {
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
    scope = undefined
  }
  const you = emulator.user()
  if (options.connected) await storeGrant(dataDir, you.id, service.grant(firstScopes))
  const bot = await startBot()
  return {
    botLog,
    dataDir,
    emulator,
    service,
    bot,
    startBot,
    stopBot,
    you,
    ...discordActions(emulator, you),
    close: async () => {
      await stopBot()
      await service.close()
      await emulator.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

/** How long a test waits that runs beside others: several stacks at once take a busy machine a while. */
export const patience = 45_000

/** What tests do and see at Discord. */
export const discordActions = (emulator: Emulator, you: Actor, patienceMs = 20_000) => ({
  /** Connects a person's account the way a browser would. */
  connect: async (who = you) => {
    const asked = await who.command(emulator.channelId, "connect")
    const message = await asked.settled()
    return confirm(emulator, message, undefined, who)
  },
  /** Starts a task and returns its thread. */
  start: async (prompt: string, more: Parameters<typeof you.command>[2] = {}) => {
    const before = emulator.threads().length
    await you.command(emulator.channelId, "task new", { prompt, ...more })
    const thread = await emulator.waitFor((e) => e.threads()[before], { what: "a thread" })
    return thread.id
  },
  /** Waits until a thread's transcript matches. */
  shows: (threadId: string, text: RegExp, timeoutMs = patienceMs) =>
    emulator.waitFor((e) => text.test(e.transcript(threadId)) && e.transcript(threadId), {
      what: `${text} in the thread`,
      timeoutMs
    })
})

/** Follows the link of a private message and types the code of the page that it ends on; returns what the bot says then. */
export const confirm = async (
  emulator: Emulator,
  message: { readonly id: string; readonly channel_id: string; readonly components?: unknown },
  walk: (link: string) => Promise<string> = async (link) => codeOf(await (await fetch(link)).text()),
  you = emulator.user()
) => {
  const code = await walk(linkOf(message))
  const form = await you.press(message.channel_id, message.id, "c2:code")
  return (await you.submit(form, { code })).settled()
}

/** The one-time code on a page. */
export const codeOf = (page: string): string => /<p class="code"[^>]*>([^<]+)</.exec(page)?.[1] ?? ""

export const linkOf = (message: { readonly components?: unknown }): string => {
  const url = buttonsOf(message).find((button) => button.url !== undefined)?.url
  if (url === undefined) throw new Error(`no link in ${JSON.stringify(message)}`)
  return url
}

interface Button {
  readonly label: string
  readonly custom_id: string
  readonly type: number
  readonly url?: string
}

/** The buttons of a message, in order. */
export const buttonsOf = (message: { readonly components?: unknown }): ReadonlyArray<Button> =>
  ((message.components ?? []) as ReadonlyArray<{ readonly components: ReadonlyArray<Button> }>).flatMap(
    (row) => row.components
  )

/** Presses a button of a message, the first one without an id; returns the answer. */
export const press = async (
  who: Actor,
  message: { readonly id: string; readonly channel_id: string; readonly components?: unknown },
  customId = buttonsOf(message)[0]!.custom_id
) => (await who.press(message.channel_id, message.id, customId)).settled()

export type Stack = Awaited<ReturnType<typeof startStack>>

/** Runs a test on a stack with a connected person. */
export const withStack = async (
  script: Parameters<typeof startStack>[0],
  use: (stack: Stack) => Promise<void>,
  options?: Parameters<typeof startStack>[1]
) => {
  const stack = await startStack(script, { ...options, connected: true })
  try {
    await stack.botLog.addToFailure(() => use(stack))
  } finally {
    await stack.close()
  }
}
