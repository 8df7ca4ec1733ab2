import {
  ApplicationCommandType,
  ChannelType,
  RESTEvents,
  type APIApplicationCommand,
  type APIGuildForumChannel,
  type APIGuildMember,
  type APIMessage,
  type RequestData,
  type RequestMethod,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import { Routes, type RouteLike } from "discord.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { bucketOf } from "./Bucket.ts"
import { call, idOf } from "./Call.ts"
import { DiscordClient, type ForumTag } from "./DiscordClient.ts"
import { type DiscordError, isNobody } from "./DiscordError.ts"
import type { IncomingMessage } from "./DiscordEvent.ts"
import * as Interactions from "./Interactions.ts"
import { flags, type MessageBody, toWire, uploads } from "./MessageBody.ts"
import { says } from "./SameMessage.ts"
import { RateLimiter } from "./RateLimiter.ts"
import type { BucketState, Priority, SlotRequest } from "./RateBudget.ts"

/** The calls that may use a slot. */
export interface Calls {
  /** Posts a message; a second call with the same nonce within minutes returns the first message's id. */
  readonly create: (
    channelId: string,
    body: MessageBody,
    options: { readonly nonce: string; readonly replyTo?: string }
  ) => Effect.Effect<string, DiscordError>
  /** Makes a message of the bot say something else; without `files` its files stay. */
  readonly edit: (channelId: string, messageId: string, body: MessageBody) => Effect.Effect<void, DiscordError>
  readonly remove: (channelId: string, messageId: string) => Effect.Effect<void, DiscordError>
  /** Whether a message says this, its files aside. */
  readonly says: (channelId: string, messageId: string, body: MessageBody) => Effect.Effect<boolean, DiscordError>
}

/**
 * What the bot does at Discord. Every call waits for a slot of the {@link RateLimiter}, and again when Discord refuses it
 * as one too many. Answers to interactions have limits of their own and go at once.
 */
export class DiscordApi extends Context.Tag("@heddle/bot/DiscordApi")<
  DiscordApi,
  Interactions.Interactions & {
    /** Posts a message; a second call with the same nonce within minutes returns the first message's id. */
    readonly create: Calls["create"]
    /**
     * Waits for a slot of the {@link RateLimiter} and uses it for one of the calls, chosen when the slot comes. A call
     * fails with status 429 when Discord refuses it as one too many: then the next slot comes when it may be made.
     */
    readonly withSlot: <A, E, R>(
      request: SlotRequest,
      use: (calls: Calls, unused: () => void) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Deletes a message of the bot. */
    readonly removeMessage: (channelId: string, messageId: string) => Effect.Effect<void, DiscordError>
    /** Opens a public thread on a message; its id is the message's id. */
    readonly createThread: (channelId: string, messageId: string, name: string) => Effect.Effect<string, DiscordError>
    /** Opens a thread that only those see who are added to it; returns its id. */
    readonly createPrivateThread: (channelId: string, name: string) => Effect.Effect<string, DiscordError>
    readonly addToThread: (threadId: string, userId: string) => Effect.Effect<void, DiscordError>
    /** Makes an archived thread writable again. */
    readonly unarchive: (threadId: string) => Effect.Effect<void, DiscordError>
    /**
     * Adds those of these tags, by name, that a forum does not have, if there is room for them; returns all that it has
     * then, with their ids. One at a time, so that posts that need tags at once do not undo each other's.
     */
    readonly addTags: (
      forumId: string,
      tags: ReadonlyArray<ForumTag>
    ) => Effect.Effect<ReadonlyArray<ForumTag>, DiscordError>
    /** Gives a post of a forum these tags, at most five, and no others. */
    readonly setTags: (threadId: string, tagIds: ReadonlyArray<string>) => Effect.Effect<void, DiscordError>
    readonly typing: (channelId: string) => Effect.Effect<void, DiscordError>
    readonly react: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
    readonly unreact: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
    /** Reads up to 100 messages after one, oldest first. */
    readonly messagesAfter: (
      channelId: string,
      messageId: string,
      priority?: Priority
    ) => Effect.Effect<ReadonlyArray<IncomingMessage>, DiscordError>
    /** Reads one message. */
    readonly message: (
      channelId: string,
      messageId: string,
      priority?: Priority
    ) => Effect.Effect<IncomingMessage, DiscordError>
    /**
     * Tells the roles of a member; undefined when they are not in the guild. The gateway is asked, and only when it does not
     * tell, this is a call.
     */
    readonly member: (guildId: string, userId: string) => Effect.Effect<ReadonlyArray<string> | undefined, DiscordError>
    /** Writes to one person alone, in their direct messages; fails with status 403 when they take none. */
    readonly direct: (userId: string, body: MessageBody, nonce: string) => Effect.Effect<void, DiscordError>
    /** Replaces the bot's commands of a guild; returns the ids of its slash commands by name. */
    readonly setCommands: (
      guildId: string,
      commands: RESTPutAPIApplicationGuildCommandsJSONBody
    ) => Effect.Effect<Readonly<Record<string, string>>, DiscordError>
  }
>() {}

export const layer: Layer.Layer<DiscordApi, never, DiscordClient | RateLimiter> = Layer.scoped(
  DiscordApi,
  Effect.gen(function* () {
    const { applicationId, askMember, message: read, rest } = yield* DiscordClient
    const limiter = yield* RateLimiter
    const interactions = yield* Interactions.make(applicationId, rest)
    const oneForum = yield* Effect.makeSemaphore(1)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const listener: Listener = ({ method, path }, { headers }) => {
          const state = bucketState(headers)
          if (state !== undefined) limiter.learn(bucketOf(method, path), state)
        }
        rest.on(RESTEvents.Response, listener)
        return listener
      }),
      (listener) => Effect.sync(() => rest.off(RESTEvents.Response, listener))
    )

    /** A call that Discord refused as one too many: what it names rests. */
    const obey = (bucket: string) => (error: DiscordError) =>
      Effect.sync(() => {
        if (error.status === 429) limiter.pause(error.global === true ? "all" : { bucket }, error.retryAfterMs ?? 1000)
      })
    const paced = (
      name: string,
      priority: Priority,
      method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT",
      route: RouteLike,
      options: RequestData = {}
    ) =>
      Effect.suspend(() => {
        const bucket = bucketOf(method, route)
        return limiter
          .withSlot({ bucket, rank: { priority, since: limiter.now() } }, () =>
            request(name, method, route, options).pipe(Effect.tapError(obey(bucket)))
          )
          .pipe(Effect.retry({ while: (error) => error.status === 429 }))
      })
    const request = (name: string, method: string, route: RouteLike, options: RequestData) =>
      call(name, (signal) => rest.request({ ...options, method: method as RequestMethod, fullRoute: route, signal }))

    const message = (body: MessageBody, options: Parameters<Calls["create"]>[2]): RequestData => ({
      body: {
        ...toWire(body),
        flags: flags(body, false),
        nonce: options.nonce,
        enforce_nonce: true,
        ...(options.replyTo === undefined
          ? {}
          : {
              message_reference: { message_id: options.replyTo, fail_if_not_exists: false },
              allowed_mentions: { parse: [], replied_user: false }
            })
      },
      files: uploads(body)
    })
    const calls = (bucket: string): Calls => ({
      create: (channelId, body, options) =>
        request("createMessage", "POST", Routes.channelMessages(channelId), message(body, options)).pipe(
          Effect.tapError(obey(bucket)),
          idOf
        ),
      edit: (channelId, messageId, body) =>
        request("editMessage", "PATCH", Routes.channelMessage(channelId, messageId), {
          body: toWire(body),
          files: uploads(body)
        }).pipe(Effect.tapError(obey(bucket)), Effect.asVoid),
      remove: (channelId, messageId) =>
        request("deleteMessage", "DELETE", Routes.channelMessage(channelId, messageId), {}).pipe(
          Effect.tapError(obey(bucket)),
          Effect.asVoid
        ),
      says: (channelId, messageId, body) =>
        request("readMessage", "GET", Routes.channelMessage(channelId, messageId), {}).pipe(
          Effect.tapError(obey(bucket)),
          Effect.map((message) => says(message as APIMessage, body))
        )
    })

    return DiscordApi.of({
      ...interactions,
      create: (channelId, body, options) =>
        paced("createMessage", "first", "POST", Routes.channelMessages(channelId), message(body, options)).pipe(idOf),
      withSlot: (request, use) => limiter.withSlot(request, (unused) => use(calls(request.bucket), unused)),
      createThread: (channelId, messageId, name) =>
        paced("createThread", "first", "POST", Routes.threads(channelId, messageId), {
          body: { name, type: ChannelType.PublicThread, auto_archive_duration: 10080 }
        }).pipe(
          // The thread of a message can only be made once; its id is known.
          Effect.catchIf(
            (error) => error.code === 160004,
            () => Effect.void
          ),
          Effect.as(messageId)
        ),
      createPrivateThread: (channelId, name) =>
        paced("createPrivateThread", "first", "POST", Routes.threads(channelId), {
          body: { name, type: ChannelType.PrivateThread, invitable: false, auto_archive_duration: 10080 }
        }).pipe(idOf),
      addToThread: (threadId, userId) =>
        Effect.asVoid(paced("addToThread", "first", "PUT", Routes.threadMembers(threadId, userId))),
      unarchive: (threadId) =>
        Effect.asVoid(
          paced("unarchiveThread", "first", "PATCH", Routes.channel(threadId), { body: { archived: false } })
        ),
      addTags: (forumId, tags) =>
        oneForum.withPermits(1)(
          Effect.gen(function* () {
            const forum = yield* paced("readForum", "routine", "GET", Routes.channel(forumId))
            const { available_tags: there } = forum as APIGuildForumChannel
            const missing = tags.filter(({ name }) => !there.some((each) => each.name === name))
            // A forum has at most 20 tags.
            if (missing.length === 0 || there.length + missing.length > 20) return there
            const added = missing.map(({ emojiName, name }) => ({
              name,
              emoji_id: null,
              emoji_name: emojiName ?? null
            }))
            const changed = yield* paced("defineTags", "routine", "PATCH", Routes.channel(forumId), {
              body: { available_tags: [...there, ...added] }
            })
            return (changed as APIGuildForumChannel).available_tags
          })
        ),
      setTags: (threadId, tagIds) =>
        Effect.asVoid(
          paced("setTags", "routine", "PATCH", Routes.channel(threadId), { body: { applied_tags: tagIds } })
        ),
      typing: (channelId) => Effect.asVoid(paced("typing", "hint", "POST", Routes.channelTyping(channelId))),
      react: (channelId, messageId, emoji) =>
        Effect.asVoid(
          paced(
            "react",
            "routine",
            "PUT",
            Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji))
          )
        ),
      unreact: (channelId, messageId, emoji) =>
        Effect.asVoid(
          paced(
            "unreact",
            "routine",
            "DELETE",
            Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji))
          )
        ),
      removeMessage: (channelId, messageId) =>
        Effect.asVoid(paced("deleteMessage", "routine", "DELETE", Routes.channelMessage(channelId, messageId))),
      messagesAfter: (channelId, messageId, priority = "first") =>
        paced("listMessages", priority, "GET", Routes.channelMessages(channelId), {
          query: new URLSearchParams({ after: messageId, limit: "100" })
        }).pipe(
          Effect.map((messages) =>
            (messages as ReadonlyArray<APIMessage>).map(read).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
          )
        ),
      message: (channelId, messageId, priority = "first") =>
        paced("readMessage", priority, "GET", Routes.channelMessage(channelId, messageId)).pipe(
          Effect.map((message) => read(message as APIMessage))
        ),
      member: (guildId, userId) =>
        Effect.flatMap(
          askMember(guildId, userId),
          Option.match({
            onSome: Effect.succeed,
            onNone: () =>
              paced("readMember", "first", "GET", Routes.guildMember(guildId, userId)).pipe(
                Effect.map((member): ReadonlyArray<string> | undefined => (member as APIGuildMember).roles),
                Effect.catchIf(isNobody, () => Effect.succeed(undefined))
              )
          })
        ),
      direct: (userId, body, nonce) =>
        paced("openDirect", "first", "POST", Routes.userChannels(), { body: { recipient_id: userId } }).pipe(
          idOf,
          Effect.flatMap((channelId) =>
            paced("createMessage", "first", "POST", Routes.channelMessages(channelId), message(body, { nonce }))
          ),
          Effect.asVoid
        ),
      setCommands: (guildId, commands) =>
        paced("setCommands", "first", "PUT", Routes.applicationGuildCommands(applicationId, guildId), {
          body: commands
        }).pipe(
          Effect.map((registered) =>
            Object.fromEntries(
              (registered as ReadonlyArray<APIApplicationCommand>)
                .filter(({ type }) => type === ApplicationCommandType.ChatInput)
                .map(({ id, name }) => [name, id])
            )
          )
        )
    })
  })
)

type Listener = (
  request: { readonly method: string; readonly path: string },
  response: { readonly headers: Headers }
) => void

/** What the headers of an answer tell about its bucket, if they do. */
const bucketState = (headers: Headers): BucketState | undefined => {
  const hash = headers.get("x-ratelimit-bucket")
  const remaining = Number(headers.get("x-ratelimit-remaining") ?? Number.NaN)
  const resetAfterMs = Number(headers.get("x-ratelimit-reset-after") ?? Number.NaN) * 1000
  return hash === null || Number.isNaN(remaining) || Number.isNaN(resetAfterMs)
    ? undefined
    : { hash, remaining, resetAfterMs }
}
