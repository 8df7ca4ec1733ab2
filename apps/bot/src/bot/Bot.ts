import * as SingleRunner from "@effect/cluster/SingleRunner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Accounts from "../access/Accounts.ts"
import * as Members from "../access/Members.ts"
import * as Connect from "../account/Connect.ts"
import * as CreditWatch from "../account/CreditWatch.ts"
import * as DirectMessages from "../account/DirectMessages.ts"
import * as EndingGrants from "../account/EndingGrants.ts"
import * as ConnectMessages from "../account/ConnectMessages.ts"
import * as Redeeming from "../account/Redeeming.ts"
import * as Replacements from "../account/Replacements.ts"
import * as Conversations from "../assistant/Conversations.ts"
import * as Admission from "../concurrency/Admission.ts"
import * as ChannelQueue from "../concurrency/ChannelQueue.ts"
import * as Draining from "../concurrency/Draining.ts"
import * as Ticks from "../concurrency/Ticks.ts"
import * as Watchdog from "../concurrency/Watchdog.ts"
import * as DiscordApi from "../discord/DiscordApi.ts"
import * as DiscordClient from "../discord/DiscordClient.ts"
import * as RateLimiter from "../discord/RateLimiter.ts"
import * as TaskStart from "../intake/TaskStart.ts"
import { Application } from "../model/Application.ts"
import type { BotOptions } from "../model/BotOptions.ts"
import { BotSettings } from "../model/BotSettings.ts"
import type { BotStartError } from "../model/BotStartError.ts"
import * as BotHttp from "../operate/BotHttp.ts"
import * as Health from "../operate/Health.ts"
import * as TaskHeaders from "../outbox/TaskHeaders.ts"
import * as Typing from "../outbox/Typing.ts"
import * as Database from "../store/database/Database.ts"
import * as KeyCheck from "../store/database/KeyCheck.ts"
import * as Pruning from "../store/database/Pruning.ts"
import * as StoreCheck from "../store/database/StoreCheck.ts"
import * as DownloadLinks from "../store/DownloadLinks.ts"
import * as Languages from "../store/Languages.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import * as Events from "./Events.ts"
import { layerSequence } from "./LayerSequence.ts"
import * as Rows from "./Rows.ts"
import * as ServiceAccess from "./ServiceAccess.ts"

/** A bot that is logged in and handles events. */
export interface RunningBot {
  /** The URL of the OAuth callback. */
  readonly callback: string
  readonly health: string
  /** Waits until a guild has the bot's commands. */
  readonly commandsRegistered: Effect.Effect<void>
  /** Fails when Discord confirms that the bot token is invalid. */
  readonly tokenRejected: Effect.Effect<never, BotStartError>
}

/** Starts the bot: its store, pages, Discord client and thread owners. Closing the scope stops it. */
export const start = Effect.fn("Bot.start")(function* (
  options: BotOptions
): Effect.fn.Return<RunningBot, BotStartError, Scope.Scope> {
  const bot = yield* Layer.build(layer(options))
  const { callbackUrl } = Context.get(bot, Application)
  // Runs after event handling has ended and before the thread owners end.
  yield* Effect.addFinalizer(() => Context.get(bot, Draining.Draining).drain)
  const { commandsRegistered } = yield* Effect.provide(Events.run, bot)
  const { tokenRejected } = Context.get(bot, DiscordClient.DiscordClient)
  return { callback: callbackUrl, health: `${new URL(callbackUrl).origin}/healthz`, commandsRegistered, tokenRejected }
})

/** The whole bot: settings at the beginning, pages and features at the end. */
const layer = (options: BotOptions) =>
  layerSequence(
    settings(options),
    NodeFileSystem.layer,
    NodePath.layer,
    NodeHttpClient.layerUndici,
    Database.layer(options.dataDir),
    Admission.layer,
    Draining.layer,
    ChannelQueue.layer,
    Ticks.layer,
    Watchdog.layer,
    StoreCheck.layer(options.dataDir),
    Pruning.layer,
    ServiceAccess.secrets(options),
    KeyCheck.layer(options.dataDir),
    ServiceAccess.server(options),
    ServiceAccess.application(options),
    Rows.layer,
    discordClient(options),
    RateLimiter.layer,
    DiscordApi.layer,
    Languages.layer,
    Members.layer,
    DirectMessages.layer,
    TaskHeaders.layer,
    Typing.layer,
    ServiceAccess.oauth(options),
    Accounts.layer,
    EndingGrants.layer,
    DownloadLinks.layer,
    ConnectMessages.layer,
    Replacements.layer,
    Connect.layer,
    Redeeming.layer,
    CreditWatch.layer,
    Conversations.layer,
    owners,
    // Backfill starts only after the owners exist.
    ThreadOwner.layer,
    TaskStart.layer,
    pages
  )

/** The callback of connections, private downloads, and health. */
const pages = Layer.provide(BotHttp.layer, Health.layer)

/** Thread owners run in this process; their messages are in the bot's own store. */
const owners = SingleRunner.layer({
  runnerStorage: "memory",
  // Draining has already waited for work that should finish.
  shardingConfig: { entityTerminationTimeout: "100 millis" }
}).pipe(
  // The configuration is given above; the environment adds nothing.
  Layer.orDie
)

const discordClient = ({ discordApi, discordToken, silentAfterMs }: BotOptions) =>
  DiscordClient.layer({ token: discordToken, api: discordApi, silentAfterMs: silentAfterMs ?? 52_000 })

const settings = (options: BotOptions) =>
  Layer.succeed(BotSettings, {
    baseUrl: options.baseUrl,
    editIntervalMs: options.editIntervalMs ?? 400,
    answerDeadlineMs: options.answerDeadlineMs ?? 290_000,
    channelSilenceMs: options.channelSilenceMs ?? 45_000,
    agentSilenceMs: options.agentSilenceMs ?? 20_000,
    stoppedRunMs: options.stoppedRunMs ?? 60_000,
    lateOutputMs: options.lateOutputMs ?? 120_000,
    initialPrompt: options.initialPrompt ?? "auto",
    idempotencyKeys: options.idempotencyKeys ?? "auto",
    requestsPerSecond: options.requestsPerSecond ?? 45,
    // Discord limits edits of messages that are older than an hour.
    rollAfterMs: options.rollAfterMs ?? 55 * 60_000,
    stuckAfterMs: options.stuckAfterMs ?? 45_000
  })
