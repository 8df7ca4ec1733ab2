import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bot from "@heddle/bot/bot/Bot"
import * as BotRuntime from "@heddle/bot/bot/BotRuntime"
import type { BotOptions } from "@heddle/bot/model/BotOptions"
import { type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import { type PlainServiceOptions, startPlainService } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as BotLog from "./BotLog.ts"
import { makeDataFolder } from "./database/DataFolder.ts"
import { discordActions } from "./Stack.ts"
import { encryptionKey, firstScopes, storeGrant } from "./database/StoredGrant.ts"

interface PlainStackOptions extends PlainServiceOptions {
  readonly emulator?: EmulatorOptions
  readonly bot?: Partial<BotOptions>
  /** The person has connected before. */
  readonly connected?: boolean
}

/** Emulator, a service that knows the document alone, and the bot, each of which can be stopped on its own. */
export const startPlainStack = async ({
  bot: botOptions,
  connected,
  emulator: emulatorOptions,
  ...serviceOptions
}: PlainStackOptions) => {
  const dataDir = await makeDataFolder(mkdtempSync(join(tmpdir(), "heddle-plain-")))
  // Several stacks share a process, which a busy machine stops for seconds.
  const emulator = await startEmulator({ limits: "fast", interactionMs: 30_000, ...emulatorOptions })
  const redirectUris: Array<string> = []
  const service = await startPlainService({ ...serviceOptions, redirectUris })
  const { clientId, clientSecret } = service.application
  const botLog = BotLog.make()
  let scope: Scope.CloseableScope | undefined
  const startBot = async () => {
    scope = Effect.runSync(Scope.make())
    const running = await Bot.start({
      discordToken: Redacted.make(emulator.botToken),
      discordApi: emulator.api,
      baseUrl: service.url,
      application: (callbackUrl) => {
        redirectUris.push(callbackUrl)
        return Effect.succeed({ clientId, clientSecret: Redacted.make(clientSecret) })
      },
      encryptionKey,
      dataDir,
      editIntervalMs: 50,
      requestsPerSecond: 1000,
      ...botOptions
    }).pipe(Effect.provideService(Scope.Scope, scope), botLog.keep, BotRuntime.provide, Effect.runPromise)
    await Effect.runPromise(running.commandsRegistered)
  }
  const stopBot = async () => {
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
    scope = undefined
  }
  const you = emulator.user()
  const granted = firstScopes.filter((scope) => !service.readings.withheldScopes.includes(scope))
  if (connected) await storeGrant(dataDir, you.id, service.grant(granted))
  await startBot()
  return {
    botLog,
    emulator,
    service,
    startBot,
    stopBot,
    you,
    // Less than a test may take, so that a failure shows the thread.
    ...discordActions(emulator, you, 15_000),
    close: async () => {
      await stopBot()
      await service.stop()
      await emulator.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

export type PlainStack = Awaited<ReturnType<typeof startPlainStack>>

/** Runs a test on a stack with a connected person. */
export const withPlainStack = async (options: PlainStackOptions, use: (stack: PlainStack) => Promise<void>) => {
  const stack = await startPlainStack({ ...options, connected: true })
  try {
    await stack.botLog.addToFailure(() => use(stack))
  } finally {
    await stack.close()
  }
}
