import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bot from "@heddle/bot/bot/Bot"
import * as BotRuntime from "@heddle/bot/bot/BotRuntime"
import { signIn } from "@heddle/bot/local/SignIn"
import { type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import { knownScopes } from "@heddle/core/domain/Scope"
import * as Password from "@heddle/server/accounts/Password"
import * as Server from "@heddle/server/Server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { makeDataFolder } from "./database/DataFolder.ts"
import { startDiscordProxy } from "./DiscordProxy.ts"
import { startProxy } from "./Proxy.ts"
import { buttonsOf, confirm, press } from "./Stack.ts"
import { encryptionKey } from "./database/StoredGrant.ts"

/** The person at the service. */
export const account = { name: "demo", password: Redacted.make("a long enough password") }

/** What a log line of any part of the stack said. */
export type Logged = Array<string>

/** A running stack of `withRealStack`. */
export type RealStack = Awaited<ReturnType<typeof startRealStack>>

/** Emulator, the real service behind a proxy that drops chosen requests, and the bot. */
export const withRealStack = async (use: (stack: RealStack) => Promise<void>, options: RealStackOptions = {}) => {
  const stack = await startRealStack(options)
  try {
    await use(stack)
  } finally {
    await stack.close()
  }
}

export interface RealStackOptions {
  readonly emulator?: EmulatorOptions
  readonly server?: Partial<Server.ServerOptions>
  readonly account?: { readonly phone?: string; readonly credits?: number }
  /** `later`: the test starts it itself. */
  readonly bot?: "later"
  readonly editIntervalMs?: number
  /** How many milliseconds each call of Discord takes longer. */
  readonly slow?: (path: string) => number
}

/** Starts what `withRealStack` gives; `close` ends it. */
export const startRealStack = async (options: RealStackOptions) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-real-"))
  const logged: Logged = []
  const logger = Logger.make(({ cause, message }) => void logged.push(`${JSON.stringify(message)} ${String(cause)}`))
  const run = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(
      Effect.provideService(effect, Scope.Scope, scope).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
    )
  // Several stacks share a process, which a busy machine stops for seconds.
  const emulator = await startEmulator({ limits: "fast", interactionMs: 30_000, ...options.emulator })
  const proxy = await startProxy()
  const { slow } = options
  const discord =
    slow === undefined
      ? { api: emulator.api, close: () => Promise.resolve() }
      : await startDiscordProxy(emulator.api, async ({ path }, act) => {
          await new Promise((resolve) => setTimeout(resolve, slow(path)))
          return act()
        })
  let services = Effect.runSync(Scope.make())
  const startServer = async () => {
    services = Effect.runSync(Scope.make())
    const started = await run(
      services,
      Effect.provideService(
        Server.start({ port: 0, dataDir: join(folder, "server"), contract: { revocation: true }, ...options.server }),
        Password.Cost,
        // Passwords are no subject here, and a real hash takes 90 ms of a processor.
        { N: 2 ** 10, r: 8, p: 1 }
      )
    )
    proxy.state.target = started.url
    return started
  }
  let server = await startServer()
  const { userId } = await run(
    services,
    Effect.orDie(server.accounts.ensure({ credits: 1000, ...account, ...options.account }))
  )
  const you = emulator.user()
  const dataDir = await makeDataFolder(join(folder, "bot"))
  let bots: Scope.CloseableScope | undefined
  const startBot = async () => {
    bots = Effect.runSync(Scope.make())
    const bot = await run(
      bots,
      Bot.start({
        discordToken: Redacted.make(emulator.botToken),
        discordApi: discord.api,
        baseUrl: proxy.url,
        revocationPath: "/openapi/v2/revoke",
        application: (callback) =>
          Effect.orDie(
            server.applications.ensure({
              name: options.emulator?.botName ?? "Bot",
              redirectUris: [callback],
              scopes: knownScopes
            })
          ),
        encryptionKey,
        dataDir,
        editIntervalMs: options.editIntervalMs ?? 50,
        requestsPerSecond: 1000
      }).pipe(BotRuntime.provide)
    )
    await Effect.runPromise(bot.commandsRegistered)
  }
  const stopBot = async () => {
    if (bots !== undefined) await Effect.runPromise(Scope.close(bots, Exit.void))
    bots = undefined
  }
  if (options.bot !== "later") await startBot()
  const ask = async (path: string, more: Parameters<typeof you.command>[2] = {}, channel = emulator.channelId) =>
    (await you.command(channel, path, more)).settled()
  const link = (message: Parameters<typeof confirm>[1], as = account) =>
    confirm(emulator, message, (url) => Effect.runPromise(signIn(url, as)))
  return {
    folder,
    logged,
    emulator,
    proxy,
    get server() {
      return server
    },
    userId,
    you,
    run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => run(services, effect),
    startBot,
    stopBot,
    /** Stops bot and service, and starts both again. */
    restart: async (whileStopped: () => void = () => undefined) => {
      await stopBot()
      await Effect.runPromise(Scope.close(services, Exit.void))
      whileStopped()
      server = await startServer()
      await startBot()
    },
    /** The answer to a command. */
    ask,
    /** Follows the link of a message through the real pages, and types the code. */
    link,
    /** Connects, and allows what the command then says that it lacks. */
    allow: async (path: string) => {
      await link(await ask("connect"))
      const lacking = await ask(path)
      const [button] = buttonsOf(lacking)
      await link(await press(you, lacking, button?.custom_id ?? ""))
    },
    /** The thread of the first task, and a wait for its transcript to match. */
    firstThread: async (timeoutMs: number) => {
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
      const shows = (text: RegExp) =>
        emulator.waitFor((e) => text.test(e.transcript(thread.id)) && e.transcript(thread.id), {
          what: String(text),
          timeoutMs
        })
      return { thread, shows }
    },
    /** Waits for private words to the person, in answers or in direct messages. */
    waitForPrivateText: (words: RegExp, timeoutMs = 20_000) =>
      emulator.waitFor(() => you.ephemerals().find(({ content }) => words.test(content))?.content, {
        what: String(words),
        timeoutMs
      }),
    close: async () => {
      await stopBot()
      await Effect.runPromise(Scope.close(services, Exit.void))
      await proxy.close()
      await discord.close()
      await emulator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
