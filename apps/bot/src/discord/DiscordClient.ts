import { type APIMessage, type Client, DiscordjsError, DiscordjsErrorCodes, Events, type REST } from "discord.js"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { BotStartError } from "../model/BotStartError.ts"
import type { DiscordEvent, IncomingMessage } from "./DiscordEvent.ts"
import * as FromDiscord from "./FromDiscord.ts"
import * as GatewayCache from "./gateway/GatewayCache.ts"
import * as GatewayClient from "./gateway/GatewayClient.ts"
import * as GatewayEvents from "./gateway/GatewayEvents.ts"
import * as GatewayLiveness from "./gateway/GatewayLiveness.ts"
import * as ResumeTimeout from "./gateway/ResumeTimeout.ts"
import * as Invite from "./Invite.ts"
import * as MemberRequests from "./MemberRequests.ts"
import * as TokenCheck from "./TokenCheck.ts"

/** The logged-in client: one REST caller and one stream of events. */
export class DiscordClient extends Context.Tag("@heddle/bot/DiscordClient")<
  DiscordClient,
  {
    readonly rest: REST
    /** Converts a message of the REST API into plain data. */
    readonly message: (from: APIMessage) => IncomingMessage
    readonly applicationId: string
    /** False when the message content intent is off: then only mentions of the bot and replies to it contain text. */
    readonly readsMessages: boolean
    /** The events in the order of the gateway. */
    readonly events: Queue.Dequeue<DiscordEvent>
    readonly silence: GatewayLiveness.GatewayLiveness["silence"]
    readonly connectedSince: GatewayLiveness.GatewayLiveness["connectedSince"]
    /** Fails when Discord confirms that the token is invalid. */
    readonly tokenRejected: Effect.Effect<never, BotStartError>
    /** Requests a guild member from the gateway. */
    readonly requestMember: MemberRequests.RequestMember
  } & GatewayCache.GatewayCache
>() {}

/** How to connect to Discord; `api` replaces Discord's API by a compatible server. */
export interface DiscordClientOptions {
  readonly token: Redacted.Redacted
  readonly api: string | undefined
  /** The longest silence of the gateway, in milliseconds; longer than the heartbeat interval. */
  readonly silentAfterMs: number
}

/** Logs in and stays connected. Waits while Discord is unreachable; fails when Discord rejects the token repeatedly. */
export const layer = (options: DiscordClientOptions): Layer.Layer<DiscordClient, BotStartError> =>
  Layer.scoped(
    DiscordClient,
    connect(options, true).pipe(
      Effect.catchTag("DisallowedIntents", () =>
        Effect.logWarning(
          "The message content intent is off for this application. The bot sees only messages that mention it or reply to it. " +
            "Turn the intent on under Bot > Privileged Gateway Intents in Discord's developer portal and restart the bot."
        ).pipe(Effect.andThen(connect(options, false)))
      ),
      Effect.catchTag("DisallowedIntents", () => Effect.fail(refused("Discord refuses the bot's intents")))
    )
  )

interface DisallowedIntents {
  readonly _tag: "DisallowedIntents"
}

interface Unreachable {
  readonly _tag: "Unreachable"
  readonly description: string
}

const refused = (problem: string) =>
  new BotStartError({
    setting: "DISCORD_TOKEN",
    problem,
    fix: "Copy the bot token again from Discord's developer portal (Bot > Reset Token)."
  })

const unknownToken = "Discord does not know this bot token"

const connect = (options: DiscordClientOptions, readsMessages: boolean) =>
  attempt(options, readsMessages).pipe(
    Effect.tapErrorTag("Unreachable", (error) =>
      Effect.logWarning(`Discord is not reachable, trying again: ${error.description}`)
    ),
    RetryPolicy.retryIf((error) => error._tag === "Unreachable", RetrySchedules.atStart),
    RetryPolicy.retryIf((error) => error._tag === "BotStartError", RetrySchedules.rejectedToken),
    Effect.catchTag("Unreachable", (error) => Effect.die(error))
  )

const attempt = Effect.fn("DiscordClient.attempt")(function* (
  options: DiscordClientOptions,
  readsMessages: boolean
): Effect.fn.Return<
  Context.Tag.Service<typeof DiscordClient>,
  BotStartError | DisallowedIntents | Unreachable,
  Scope.Scope
> {
  const events = yield* Queue.unbounded<DiscordEvent>()
  const ready = yield* Deferred.make<Client<true>>()
  const runtime = yield* Effect.runtime()
  const { client, identifyAgain, onHeartbeat } = yield* Effect.acquireRelease(
    Effect.sync(() => GatewayClient.make({ api: options.api, readsMessages })),
    ({ client }) => Effect.promise(() => client.destroy())
  )
  const liveness = GatewayLiveness.make(client, onHeartbeat, options.silentAfterMs)
  GatewayEvents.listen(client, events)
  client
    .once(Events.ClientReady, (bot) => Deferred.unsafeDone(ready, Effect.succeed(bot)))
    // The client reconnects by itself; without a listener Node would exit.
    .on(Events.Error, (error) =>
      Runtime.runFork(runtime)(Effect.logWarning(`The gateway connection failed: ${error.message}`))
    )
  yield* Effect.tryPromise({
    try: () => client.login(Redacted.value(options.token)),
    catch: loginFailure
  }).pipe(Effect.tapError(() => Effect.promise(() => client.destroy())))
  const bot = yield* Deferred.await(ready)
  const tokenRejected = yield* TokenCheck.make(client)
  yield* ResumeTimeout.watch(client, identifyAgain, Math.min(maxResumeMs, options.silentAfterMs))
  if (bot.guilds.cache.size === 0) {
    yield* Effect.logWarning(`The bot is in no server yet. An admin lets it in with ${Invite.link(bot.application.id)}`)
  }
  return DiscordClient.of({
    rest: client.rest,
    message: (from) => FromDiscord.messageFromApi(bot, from),
    applicationId: bot.application.id,
    readsMessages,
    events,
    silence: liveness.silence,
    connectedSince: liveness.connectedSince,
    tokenRejected: Effect.zipRight(tokenRejected, Effect.fail(refused(unknownToken))),
    requestMember: yield* MemberRequests.make(client, liveness.isConnected),
    ...GatewayCache.make(client)
  })
})

/** The longest wait for the answer to a RESUME, in milliseconds, as discord.js waits for READY. */
const maxResumeMs = 15_000

const loginFailure = (thrown: unknown): BotStartError | DisallowedIntents | Unreachable => {
  if (thrown instanceof DiscordjsError && thrown.code === DiscordjsErrorCodes.TokenInvalid) {
    return refused(unknownToken)
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  if (text.includes("disallowed intents")) return { _tag: "DisallowedIntents" }
  if (thrown instanceof DiscordjsError) return refused("Discord does not accept this bot token")
  const status = thrown instanceof Error && "status" in thrown ? Number(thrown.status) : 0
  if (status === 401) return refused(unknownToken)
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : text
  return { _tag: "Unreachable", description: cause === "" ? "no answer" : cause }
}
