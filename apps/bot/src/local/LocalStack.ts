import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import * as Server from "@heddle/server/Server"
import { knownScopes } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Bot from "../bot/Bot.ts"
import * as BotRuntime from "../bot/BotRuntime.ts"
import { StackError } from "./StackError.ts"
import type { StackOptions } from "./StackOptions.ts"
import * as StackSecrets from "./StackSecrets.ts"

const demoAgent = [
  process.execPath,
  fileURLToPath(new URL("dist/bin/main.js", import.meta.resolve("@heddle/demo-agent/package.json")))
]

/** The running parts. `discord` is absent when the bot uses the real Discord. */
export interface LocalStack {
  readonly service: string
  readonly discordApi: string
  readonly discord: Emulator | undefined
  readonly account: { readonly name: string; readonly password: Redacted.Redacted }
}

/**
 * Starts the service, the local Discord and the bot in this process, each with its own port and folder in `data`. They
 * reach each other by URL only. Closing the scope drains and stops them in reverse order.
 */
export const start = Effect.fn("LocalStack.start")(function* (options: StackOptions) {
  const secrets = yield* StackSecrets.load(options.data)
  const account = { name: "demo", password: secrets.password }

  const server = yield* Server.start({
    host: "127.0.0.1",
    port: options.servicePort,
    dataDir: join(options.data, "server"),
    signInHint: { name: account.name, password: Redacted.value(account.password) },
    contract: { revocation: true },
    ...options.agents,
    agents: options.agents.agents.map((agent) => ({
      command: demoAgent,
      network: agent.command !== undefined,
      ...agent
    }))
  }).pipe(Effect.mapError((error) => wrong(error, "--service-port")))
  yield* server.accounts.ensure({ ...account, credits: 100_000 }).pipe(Effect.orDie)

  const discord = options.discordToken === undefined ? yield* emulator(options) : undefined
  const bot = yield* Bot.start({
    ...(discord === undefined ? {} : { discordApi: discord.api }),
    discordToken: options.discordToken ?? Redacted.make(discord?.botToken ?? ""),
    baseUrl: server.url,
    idempotencyKeys: options.idempotencyKeys,
    revocationPath: "/openapi/v2/revoke",
    application: (callback) =>
      server.applications
        .ensure({ name: "Heddle bot", redirectUris: [callback], scopes: knownScopes })
        // The program makes this registration itself, so a failure is a defect.
        .pipe(Effect.orDie),
    host: "127.0.0.1",
    port: options.callbackPort,
    encryptionKey: secrets.encryptionKey,
    dataDir: join(options.data, "bot")
  }).pipe(
    BotRuntime.provide,
    Effect.mapError((error) => wrong(error, "--callback-port"))
  )

  // Discord keeps the commands of the last run; a local Discord may be new.
  if (discord !== undefined) yield* bot.commandsRegistered

  return {
    service: server.url,
    discordApi: discord?.api ?? "https://discord.com/api",
    discord,
    account
  } satisfies LocalStack
}) satisfies (options: StackOptions) => Effect.Effect<LocalStack, StackError, Scope.Scope>

const emulator = (options: StackOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startEmulator({ port: options.port, data: join(options.data, "discord"), botName: "Heddle" }),
      catch: (cause) => new StackError({ message: cause instanceof Error ? cause.message : String(cause), status: 2 })
    }),
    (running) => Effect.promise(() => running.close())
  )

/** The parts name their own settings; this maps them to the stack's flags. */
const wrong = (
  error: { readonly setting: string; readonly problem: string; readonly fix: string },
  portFlag: string
) => {
  const line = /port$/i.test(error.setting)
    ? `${portFlag}: ${error.problem}. Choose another port with ${portFlag}; 0 picks a free one.`
    : `${error.setting}: ${error.problem}. ${error.fix}`
  return new StackError({ message: line.replace(/\s+/g, " "), status: 2 })
}
