import {
  type APIMessage,
  ChannelType,
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
  GuildPremiumTier,
  Options,
  Partials,
  PermissionFlagsBits,
  type REST,
  Status
} from "discord.js"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Agent } from "undici"
import { BotStartError } from "../model/BotStartError.ts"
import type { DiscordEvent, IncomingMessage, Written } from "./DiscordEvent.ts"
import * as FromDiscord from "./FromDiscord.ts"
import * as Invite from "./Invite.ts"
import * as MemberAsks from "./MemberAsks.ts"

/** The logged-in client: one way to call Discord, one stream of events. */
export class DiscordClient extends Context.Tag("@heddle/bot/DiscordClient")<
  DiscordClient,
  {
    readonly rest: REST
    /** A message of the REST API as plain data. */
    readonly message: (from: APIMessage) => IncomingMessage
    readonly applicationId: string
    /** False when the message content intent is off: then only mentions of the bot and replies to it have text. */
    readonly readsMessages: boolean
    /** What happens, in the order in which Discord tells it. */
    readonly events: Queue.Dequeue<DiscordEvent>
    /** Why nothing is heard of Discord, in words; undefined while the gateway is connected and shows that it lives. */
    readonly silence: () => string | undefined
    /** Since when everything that happens is told, in epoch milliseconds; undefined while the gateway is away. */
    readonly toldSince: () => number | undefined
    /** The largest file that may be sent to a guild, in bytes: boosted ones take more. */
    readonly uploadLimitOf: (guildId: string) => number
    /** Asks the gateway who somebody is in a guild. */
    readonly askMember: MemberAsks.AskMember
    /** What is known of a guild without asking; undefined when the bot is not in it. */
    readonly guild: (guildId: string) => KnownGuild | undefined
    /** What is known of a thread without asking; undefined when it is archived or gone. */
    readonly thread: (threadId: string) => KnownThread | undefined
    /** The forum in which a thread is a post; undefined when it is none, or not known. */
    readonly forum: (threadId: string) => KnownForum | undefined
  }
>() {}

/** A guild that the bot is in. */
export interface KnownGuild {
  readonly name: string
  /** The language that it has chosen at Discord, as in `zh-CN`. */
  readonly locale: string
  /** What the bot may do there, where no channel says otherwise; undefined when Discord did not tell. */
  readonly permissions: bigint | undefined
}

/** A thread that is not archived. */
export interface KnownThread {
  readonly lastMessageId: string | undefined
  readonly locked: boolean
  /** The bot has the permission to write there, as far as Discord has told. */
  readonly mayWrite: boolean
}

/** A forum with its tags, and those of the post. */
export interface KnownForum {
  readonly forumId: string
  readonly tags: ReadonlyArray<ForumTag>
  readonly applied: ReadonlyArray<string>
}

/** A tag of a forum; without an id, one that it should get. */
export interface ForumTag {
  readonly id?: string
  readonly name: string
  readonly moderated?: boolean
  readonly emojiId?: string | null
  readonly emojiName?: string | null
}

/** How to reach Discord; `api` replaces Discord by another server that speaks its protocol. */
export interface DiscordClientOptions {
  readonly token: Redacted.Redacted
  readonly api: string | undefined
  /** How long the gateway may show no life, in milliseconds; longer than it takes between two heartbeats. */
  readonly silentAfterMs: number
}

/** Logs in and stays connected; waits while Discord is unreachable, fails when the token is refused. */
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

const connect = (options: DiscordClientOptions, readsMessages: boolean) =>
  attempt(options, readsMessages).pipe(
    Effect.tapErrorTag("Unreachable", (error) =>
      Effect.logWarning(`Discord is not reachable, trying again: ${error.description}`)
    ),
    Effect.retry({
      while: (error) => error._tag === "Unreachable",
      schedule: Schedule.exponential("500 millis").pipe(
        Schedule.modifyDelay((_, delay) => Duration.min(delay, "10 seconds")),
        Schedule.jittered
      )
    }),
    Effect.catchTag("Unreachable", (error) => Effect.die(error))
  )

const attempt = Effect.fn("DiscordClient.connect")(function* (
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
  const client = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Client({
          intents: [
            GatewayIntentBits.Guilds,
            GatewayIntentBits.GuildMessages,
            GatewayIntentBits.DirectMessages,
            ...(readsMessages ? [GatewayIntentBits.MessageContent] : [])
          ],
          // Without these, nothing is told of an edit or deletion of a message that this process has not seen, nor of
          // direct messages.
          partials: [Partials.Message, Partials.Channel],
          makeCache: Options.cacheWithLimits(kept),
          // Two majors of undici share one global dispatcher, and the newer one cannot send discord.js's files.
          rest: {
            // Connections that are kept make the next call fast; many calls at once do not need one each.
            agent: new Agent({ connections: 64, keepAliveTimeout: 30_000 }),
            ...(options.api === undefined ? {} : { api: options.api }),
            // Calls in channels are paced before they get here: what is refused comes back instead of waiting with its text.
            rejectOnRateLimit: ({ route }) => route.startsWith("/channels/"),
            globalRequestsPerSecond: Number.POSITIVE_INFINITY,
            offset: 0
          }
        })
    ),
    (client) => Effect.promise(() => client.destroy())
  )
  let toldSince = Date.now()
  let heardAt = Date.now()
  let lost: number | undefined
  const offer = (event: DiscordEvent | undefined) => {
    if (event !== undefined) events.unsafeOffer(event)
  }
  client
    .on(Events.ClientReady, (ready_) => {
      for (const guildId of ready_.guilds.cache.keys()) offer({ _tag: "GuildAvailable", guildId })
      Deferred.unsafeDone(ready, Effect.succeed(ready_))
    })
    // Each new session: what happened before it is not replayed by the gateway.
    .on(Events.ShardReady, () => {
      toldSince = Date.now()
      heardAt = Date.now()
      lost = undefined
      offer({ _tag: "Ready", written: written(client) })
    })
    .on(Events.GuildCreate, (guild) => offer({ _tag: "GuildAvailable", guildId: guild.id }))
    .on(Events.MessageCreate, (message) => offer({ _tag: "Message", message: FromDiscord.message(message) }))
    .on(Events.MessageUpdate, (_, message) => offer(FromDiscord.edited(message)))
    .on(Events.MessageDelete, ({ channelId, id }) => offer({ _tag: "MessagesDeleted", channelId, messageIds: [id] }))
    .on(Events.MessageBulkDelete, (messages, { id }) =>
      offer({ _tag: "MessagesDeleted", channelId: id, messageIds: [...messages.keys()] })
    )
    .on(Events.InteractionCreate, (interaction) => offer(FromDiscord.interaction(interaction)))
    .on(Events.ThreadDelete, (thread) => offer({ _tag: "ThreadGone", threadId: thread.id }))
    .on(Events.ThreadUpdate, (before, thread) => {
      if (thread.locked === true) offer({ _tag: "ThreadGone", threadId: thread.id })
      else if (before.locked === true) offer({ _tag: "ThreadUnlocked", threadId: thread.id })
    })
    // What the bot may do where: some thread may be open to it again.
    .on(Events.ChannelUpdate, (_, channel) => {
      if (!channel.isDMBased()) offer({ _tag: "PermissionsChanged", guildId: channel.guildId })
    })
    .on(Events.GuildRoleUpdate, (_, { guild }) => offer({ _tag: "PermissionsChanged", guildId: guild.id }))
    .on(Events.GuildMemberUpdate, (_, member) => {
      if (member.id === client.user?.id) offer({ _tag: "PermissionsChanged", guildId: member.guild.id })
    })
    .on(Events.Raw, () => {
      heardAt = Date.now()
    })
    // After it, the client does not come back by itself.
    .on(Events.ShardDisconnect, ({ code }) => {
      lost = code
    })
    // The client reconnects by itself; without a listener Node would end the process.
    .on(Events.Error, (error) =>
      Runtime.runFork(runtime)(Effect.logWarning(`The gateway connection failed: ${error.message}`))
    )
  yield* Effect.tryPromise({
    try: () => client.login(Redacted.value(options.token)),
    catch: loginFailure
  }).pipe(Effect.tapError(() => Effect.promise(() => client.destroy())))
  const bot = yield* Deferred.await(ready)
  const { application, guilds } = bot
  // Once logged in, the client calls itself ready for ever: only its shards tell how they are.
  const connected = () => client.ws.shards.every(({ status }) => status === Status.Ready)
  /** The newest sign of life: something that happened, or the heartbeat that was answered last. */
  const heard = () => Math.max(heardAt, ...client.ws.shards.map(({ lastPingTimestamp }) => lastPingTimestamp))
  const silence = () => {
    if (lost !== undefined) {
      return `Discord has ended the login with code ${lost}${lostReasons.get(lost) ?? ""}. Put that right and start the bot again.`
    }
    if (!connected()) return "The connection to Discord's gateway is lost; it is being made again."
    const forMs = Date.now() - heard()
    return forMs > options.silentAfterMs
      ? `Discord's gateway has shown no life for ${Math.round(forMs / 1000)} s.`
      : undefined
  }
  if (guilds.cache.size === 0) {
    yield* Effect.logWarning(`The bot is in no server yet. An admin lets it in with ${Invite.link(application.id)}`)
  }
  return DiscordClient.of({
    rest: client.rest,
    message: (from) => FromDiscord.messageFromApi(bot, from),
    applicationId: bot.application.id,
    readsMessages,
    events,
    silence,
    toldSince: () => (connected() ? toldSince : undefined),
    askMember: yield* MemberAsks.make(client, connected),
    uploadLimitOf: (guildId) =>
      uploadLimits[client.guilds.cache.get(guildId)?.premiumTier ?? GuildPremiumTier.None] * 1024 * 1024,
    guild: (guildId) => {
      const guild = client.guilds.cache.get(guildId)
      if (guild === undefined) return undefined
      return { name: guild.name, locale: guild.preferredLocale, permissions: guild.members.me?.permissions.bitfield }
    },
    thread: (threadId) => {
      const thread = client.channels.cache.get(threadId)
      if (thread?.isThread() !== true || thread.archived === true) return undefined
      const { me } = thread.guild.members
      return {
        lastMessageId: thread.lastMessageId ?? undefined,
        locked: thread.locked === true,
        mayWrite: me === null || thread.permissionsFor(me)?.has(writing) !== false
      }
    },
    forum: (threadId) => {
      const thread = client.channels.cache.get(threadId)
      if (thread?.isThread() !== true || thread.parent?.type !== ChannelType.GuildForum) return undefined
      return {
        forumId: thread.parent.id,
        tags: thread.parent.availableTags.map(({ emoji, id, moderated, name }) => ({
          id,
          name,
          moderated,
          emojiId: emoji?.id ?? null,
          emojiName: emoji?.name ?? null
        })),
        applied: thread.appliedTags
      }
    }
  })
})

const writing = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.SendMessagesInThreads

const written = (client: Client): ReadonlyArray<Written> =>
  [...client.channels.cache.values()].flatMap((channel) =>
    channel.isTextBased() && !channel.isDMBased() && channel.lastMessageId !== null
      ? [{ channelId: channel.id, lastMessageId: channel.lastMessageId }]
      : []
  )
/** What has to be known comes with each event or is in rows: of people, only those of the newest events are kept. */
const people = {
  maxSize: 200,
  keepOverLimit: ({ client, id }: { readonly client: Client; readonly id: string }) => id === client.user?.id
}
const kept = {
  ...Options.DefaultMakeCacheSettings,
  GuildMemberManager: people,
  MessageManager: 0,
  ReactionManager: 0,
  ThreadMemberManager: 0,
  UserManager: people
}

/** By boosts, in MiB. */
const uploadLimits = {
  [GuildPremiumTier.None]: 10,
  [GuildPremiumTier.Tier1]: 10,
  [GuildPremiumTier.Tier2]: 50,
  [GuildPremiumTier.Tier3]: 100
} as const

const lostReasons = new Map([
  [4004, " (the bot token is not good any more)"],
  [4013, " (it does not know the intents)"],
  [4014, " (it does not grant the intents: turn them on in the developer portal)"]
])

const loginFailure = (thrown: unknown): BotStartError | DisallowedIntents | Unreachable => {
  if (thrown instanceof DiscordjsError && thrown.code === DiscordjsErrorCodes.TokenInvalid) {
    return refused("Discord does not know this bot token")
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  if (text.includes("disallowed intents")) return { _tag: "DisallowedIntents" }
  if (thrown instanceof DiscordjsError) return refused("Discord does not accept this bot token")
  const status = thrown instanceof Error && "status" in thrown ? Number(thrown.status) : 0
  if (status === 401) return refused("Discord does not know this bot token")
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : text
  return { _tag: "Unreachable", description: cause === "" ? "no answer" : cause }
}
