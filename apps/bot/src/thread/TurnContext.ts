import * as HttpClient from "@effect/platform/HttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Members } from "../access/Members.ts"
import { Rules } from "../access/Rules.ts"
import { Shares } from "../access/Shares.ts"
import { CreditWatch } from "../account/CreditWatch.ts"
import { BotSettings } from "../BotSettings.ts"
import { Accounts } from "../connect/Accounts.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { Pace } from "../discord/Pace.ts"
import { Draining } from "../health/Draining.ts"
import { Progress } from "../health/Progress.ts"
import { Languages } from "../messages/Languages.ts"
import { Inbox } from "./Inbox.ts"
import { Permissions } from "./Permissions.ts"
import { Posts } from "./Posts.ts"
import { Replies } from "./Replies.ts"
import { Shelves } from "./Shelves.ts"
import { Threads } from "./Threads.ts"
import type * as Turn from "./Turn.ts"
import { Turns } from "./Turns.ts"
import { Typing } from "./Typing.ts"

/**
 * Runs turns with those of these services that they need and no others. A context is copied wherever something is added
 * to it, some twenty times in each turn that runs; one with all services takes twice the memory.
 */
export const only = (services: Context.Context<Needs>) => {
  const needed = pick(services)
  return <A, E>(turn: Effect.Effect<A, E, Needs>): Effect.Effect<A, E> =>
    Effect.mapInputContext<A, E, Needs, never>(turn, () => needed)
}

const pick = (services: Context.Context<Needs>): Context.Context<Needs> =>
  Context.pick(
    Accounts,
    BotSettings,
    CreditWatch,
    DiscordApi,
    DiscordClient,
    Draining,
    HttpClient.HttpClient,
    Inbox,
    Languages,
    Members,
    Pace,
    Permissions,
    Posts,
    Progress,
    Replies,
    Rules,
    Shares,
    Shelves,
    SqlClient.SqlClient,
    Threads,
    Turns,
    Typing
  )(services)

type Needs = Effect.Effect.Context<ReturnType<typeof Turn.run>>
