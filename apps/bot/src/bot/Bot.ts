import { createServer } from "node:http"
import * as SingleRunner from "@effect/cluster/SingleRunner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodePath from "@effect/platform-node/NodePath"
import * as HttpServer from "@effect/platform/HttpServer"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as AuthorizationRequests from "@heddle/oauth/AuthorizationRequests"
import * as Grants from "@heddle/oauth/Grants"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import * as TokenStore from "@heddle/oauth/TokenStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CreditWatch from "../account/CreditWatch.ts"
import * as DirectMessages from "../account/DirectMessages.ts"
import * as EndingGrants from "../account/EndingGrants.ts"
import * as Redeeming from "../account/Redeeming.ts"
import * as Redemptions from "../store/account/Redemptions.ts"
import { Application } from "../model/Application.ts"
import * as Conversations from "../assistant/Conversations.ts"
import * as Chats from "../store/Chats.ts"
import type { BotOptions } from "../model/BotOptions.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { BotStartError } from "../model/BotStartError.ts"
import * as AuditLog from "../store/AuditLog.ts"
import * as GuildSettings from "../store/GuildSettings.ts"
import * as Members from "../access/Members.ts"
import * as Rules from "../store/Rules.ts"
import * as Shares from "../store/Shares.ts"
import * as TaskCards from "../outbox/TaskCards.ts"
import * as Accounts from "../access/Accounts.ts"
import * as Connect from "../account/Connect.ts"
import * as OpenCards from "../account/OpenCards.ts"
import * as Replacements from "../account/Replacements.ts"
import * as DiscordApi from "../discord/DiscordApi.ts"
import * as DiscordClient from "../discord/DiscordClient.ts"
import * as RateLimiter from "../discord/RateLimiter.ts"
import * as Events from "./Events.ts"
import * as Draining from "../concurrency/Draining.ts"
import * as Health from "../operate/Health.ts"
import * as Watchdog from "../concurrency/Watchdog.ts"
import * as BotHttp from "../operate/BotHttp.ts"
import * as Languages from "../store/Languages.ts"
import * as Database from "../store/database/Database.ts"
import * as Pruning from "../store/database/Pruning.ts"
import * as StoreCheck from "../store/database/StoreCheck.ts"
import * as Admission from "../concurrency/Admission.ts"
import * as Channels from "../store/Channels.ts"
import * as DownloadLinks from "../store/DownloadLinks.ts"
import * as Inbox from "../store/Inbox.ts"
import * as ChannelQueue from "../concurrency/ChannelQueue.ts"
import * as Permissions from "../store/Permissions.ts"
import * as Posts from "../store/Posts.ts"
import * as AccountOffers from "../store/account/AccountOffers.ts"
import * as CreditHints from "../store/account/CreditHints.ts"
import * as DirectMessageRows from "../store/account/DirectMessages.ts"
import * as GrantsToEnd from "../store/account/GrantsToEnd.ts"
import * as OpenCardRows from "../store/account/OpenCards.ts"
import * as Replies from "../store/Replies.ts"
import * as TaskCardRows from "../store/TaskCards.ts"
import * as Requests from "../store/Requests.ts"
import * as Shelves from "../store/ArtifactCards.ts"
import * as TaskStart from "../intake/TaskStart.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import * as Threads from "../store/Threads.ts"
import * as Turns from "../store/Turns.ts"
import * as Typing from "../outbox/Typing.ts"

/** A bot that is logged in and handles events. */
export interface RunningBot {
  /** Where the service sends people back to. */
  readonly callback: string
  readonly health: string
  /** Waits until a guild has the bot's commands. */
  readonly commandsRegistered: Effect.Effect<void>
}

/** Starts the bot: its store, its pages, its Discord client, the owners of its threads. The scope stops it. */
export const start = Effect.fn("Bot.start")(function* (
  options: BotOptions
): Effect.fn.Return<RunningBot, BotStartError, Scope.Scope> {
  const bot = yield* Layer.build(layer(options))
  const { callbackUrl } = Context.get(bot, Application)
  // After the handling of events has ended, and before the owners of threads end.
  yield* Effect.addFinalizer(() => Context.get(bot, Draining.Draining).drain)
  const { commandsRegistered } = yield* Effect.provide(Events.run, bot)
  return { callback: callbackUrl, health: `${new URL(callbackUrl).origin}/healthz`, commandsRegistered }
})

const layer = (options: BotOptions) =>
  Layer.mergeAll(
    Layer.provide(BotHttp.layer, Health.layer),
    Layer.provideMerge(TaskStart.layer, ThreadOwner.layer)
  ).pipe(
    // Last, so that what waits for owners is not read before there are any.
    Layer.provideMerge(owners),
    Layer.provideMerge(Layer.mergeAll(Redeeming.layer, CreditWatch.layer, Conversations.layer)),
    Layer.provideMerge(Connect.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        DownloadLinks.layer,
        OpenCards.layer,
        Layer.provideMerge(Replacements.layer, Layer.provideMerge(EndingGrants.layer, Accounts.layer))
      )
    ),
    Layer.provideMerge(oauth(options)),
    Layer.provideMerge(Layer.mergeAll(Members.layer, DirectMessages.layer, TaskCards.layer, Typing.layer)),
    Layer.provideMerge(Layer.merge(DiscordApi.layer, Languages.layer)),
    Layer.provideMerge(RateLimiter.layer),
    Layer.provideMerge(
      DiscordClient.layer({
        token: options.discordToken,
        api: options.discordApi,
        silentAfterMs: options.silentAfterMs ?? 52_000
      })
    ),
    Layer.provideMerge(rows),
    Layer.provideMerge(settings),
    Layer.provideMerge(application(options)),
    Layer.provideMerge(server(options)),
    Layer.provideMerge(secrets(options)),
    Layer.provideMerge(StoreCheck.layer(options.dataDir)),
    Layer.provideMerge(Pruning.layer),
    Layer.provideMerge(Layer.mergeAll(Admission.layer, Draining.layer, ChannelQueue.layer, Watchdog.layer)),
    Layer.provideMerge(Database.layer(options.dataDir)),
    Layer.provideMerge(platform),
    Layer.provideMerge(
      Layer.succeed(BotSettings, {
        baseUrl: options.baseUrl,
        editIntervalMs: options.editIntervalMs ?? 400,
        answerDeadlineMs: options.answerDeadlineMs ?? 290_000,
        requestsPerSecond: options.requestsPerSecond ?? 45,
        // Discord takes few edits of messages that are older than an hour.
        rollAfterMs: options.rollAfterMs ?? 55 * 60_000,
        stuckAfterMs: options.stuckAfterMs ?? 45_000
      })
    )
  )

const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeHttpClient.layerUndici)

const rows = Layer.mergeAll(
  AccountOffers.layer,
  Channels.layer,
  Chats.layer,
  CreditHints.layer,
  DirectMessageRows.layer,
  GrantsToEnd.layer,
  Inbox.layer,
  OpenCardRows.layer,
  Permissions.layer,
  Posts.layer,
  Redemptions.layer,
  Replies.layer,
  Requests.layer,
  Shelves.layer,
  TaskCardRows.layer,
  Threads.layer,
  Turns.layer
)

/** What servers and owners have chosen, with who did. */
const settings = Layer.mergeAll(GuildSettings.layer, Rules.layer, Shares.layer).pipe(Layer.provideMerge(AuditLog.layer))

/** The owners of threads live in this process and their deliveries in the bot's own store. */
const owners = SingleRunner.layer({
  runnerStorage: "memory",
  // What is worth waiting for was waited for before.
  shardingConfig: { entityTerminationTimeout: "100 millis" }
}).pipe(
  // Its configuration is given above; the environment adds nothing that could be wrong.
  Layer.orDie
)

const secrets = ({ encryptionKey }: BotOptions) =>
  EncryptionKey.layer([encryptionKey]).pipe(
    Layer.mapError(
      () =>
        new BotStartError({
          setting: "HEDDLE_ENCRYPTION_KEY",
          problem: "it is not a 256-bit key",
          fix: "Give 32 random bytes in base64 or hex, for example from `openssl rand -base64 32`."
        })
    )
  )

const oauth = ({ baseUrl, revocationPath }: BotOptions) =>
  Layer.merge(Grants.layer, AuthorizationRequests.layerSql).pipe(
    Layer.provideMerge(
      Layer.unwrapEffect(
        Effect.map(Application, ({ clientId, clientSecret }) =>
          TokenEndpoint.layer({
            baseUrl,
            clientId,
            clientSecret,
            userAgent: "heddle-bot",
            ...(revocationPath === undefined ? {} : { revocationPath })
          })
        )
      )
    ),
    Layer.provide(TokenStore.layerSql),
    Layer.mapError(
      (error) =>
        new BotStartError({
          setting: "HEDDLE_BASE_URL",
          problem: error.message,
          fix: "Give the address of the service, such as https://service.example."
        })
    )
  )

const server = ({ host, port }: BotOptions) =>
  NodeHttpServer.layerServer(createServer, { host: host ?? "127.0.0.1", port: port ?? 0 }).pipe(
    Layer.mapError(
      (error) =>
        new BotStartError({
          setting: "HEDDLE_PORT",
          problem: `the bot cannot listen on port ${port ?? 0} (${reasonOf(error.cause)})`,
          fix: "Give another port, or 0 for a free one."
        })
    )
  )

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  if (code === "EADDRINUSE") return "another program uses it"
  return code === "EACCES" ? "this user may not use it" : String(cause)
}

const application = (options: BotOptions) =>
  Layer.effect(
    Application,
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const listening = address._tag === "TcpAddress" ? `http://${options.host ?? "127.0.0.1"}:${address.port}` : ""
      const callbackUrl = `${(options.publicUrl ?? listening).replace(/\/+$/, "")}${BotHttp.callbackPath}`
      return { ...(yield* options.application(callbackUrl)), callbackUrl }
    })
  )
