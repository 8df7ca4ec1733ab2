import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Members } from "../access/Members.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Store } from "../store/database/Transaction.ts"
import { Rules } from "../store/Rules.ts"
import { Shares } from "../store/Shares.ts"
import { AccountUsage } from "../model/AccountUsage.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { Accounts } from "../access/Accounts.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { RateLimiter } from "../discord/RateLimiter.ts"
import { Draining } from "../concurrency/Draining.ts"
import { Ticks } from "../concurrency/Ticks.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { Languages } from "../store/Languages.ts"
import { GuildSettings } from "../store/GuildSettings.ts"
import { Inbox } from "../store/Inbox.ts"
import { Permissions } from "../store/Permissions.ts"
import { Posts } from "../store/Posts.ts"
import { Replies } from "../store/Replies.ts"
import { Requests } from "../store/Requests.ts"
import { ArtifactCards } from "../store/ArtifactCards.ts"
import { FileOffers } from "../store/FileOffers.ts"
import { Threads } from "../store/Threads.ts"
import { AgentOfferRows } from "../store/AgentOffers.ts"
import { TaskHeaders } from "../outbox/TaskHeaders.ts"
import type * as AgentChoices from "./session/AgentChoices.ts"
import type * as Turn from "./Turn.ts"
import { Turns } from "../store/Turns.ts"
import { Typing } from "../outbox/Typing.ts"

/**
 * Runs turns with the services that they need and no others. A context is copied wherever a service is added to it,
 * some twenty times in each running turn. One with all services takes twice the memory.
 */
export const only = (services: Context.Context<Requirements>) => {
  const needed = pick(services)
  return <A, E>(turn: Effect.Effect<A, E, Requirements>): Effect.Effect<A, E> =>
    Effect.mapInputContext<A, E, Requirements, never>(turn, () => needed)
}

const pick = (services: Context.Context<Requirements>): Context.Context<Requirements> =>
  Context.pick(
    Accounts,
    AccountUsage,
    AuditLog,
    BotSettings,
    DiscordApi,
    DiscordClient,
    Draining,
    GuildSettings,
    FileOffers,
    HttpClient.HttpClient,
    Inbox,
    Languages,
    Members,
    RateLimiter,
    Permissions,
    Posts,
    Watchdog,
    Replies,
    Requests,
    Rules,
    Shares,
    AgentOfferRows,
    ArtifactCards,
    Store,
    TaskHeaders,
    Threads,
    Ticks,
    Turns,
    Typing
  )(services)

export type Requirements = Effect.Effect.Context<ReturnType<typeof AgentChoices.choose> | ReturnType<typeof Turn.run>>
