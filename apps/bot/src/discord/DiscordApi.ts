import {
  ChannelType,
  type APIMessage,
  type RequestData,
  type RESTPutAPIApplicationGuildCommandsJSONBody
} from "discord.js"
import { InteractionResponseType, MessageFlags, Routes, type RouteLike } from "discord.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DiscordClient } from "./DiscordClient.ts"
import { type DiscordError, fromUnknown } from "./DiscordError.ts"
import type { IncomingMessage, ReplyTo } from "./DiscordEvent.ts"
import { flags, type MessageBody, modalToWire, toWire, uploads } from "./MessageBody.ts"
import type { Modal } from "../view/Post.ts"
import { messageFromApi } from "./FromDiscord.ts"

/** What the bot does at Discord. Every call goes through the one REST queue of discord.js, which keeps its rate limits. */
export class DiscordApi extends Context.Tag("@heddle/bot/DiscordApi")<
  DiscordApi,
  {
    /** Posts a message; a second call with the same nonce within minutes returns the first message's id. */
    readonly create: (
      channelId: string,
      body: MessageBody,
      options: { readonly nonce: string; readonly replyTo?: string }
    ) => Effect.Effect<string, DiscordError>
    /** Makes a message of the bot say something else; without `files` its files stay. */
    readonly edit: (channelId: string, messageId: string, body: MessageBody) => Effect.Effect<void, DiscordError>
    readonly remove: (channelId: string, messageId: string) => Effect.Effect<void, DiscordError>
    /** Opens a public thread on a message; its id is the message's id. */
    readonly createThread: (channelId: string, messageId: string, name: string) => Effect.Effect<string, DiscordError>
    /** Makes an archived thread writable again. */
    readonly unarchive: (threadId: string) => Effect.Effect<void, DiscordError>
    readonly typing: (channelId: string) => Effect.Effect<void, DiscordError>
    readonly react: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
    readonly unreact: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
    /** Reads up to 100 messages after one, oldest first. */
    readonly messagesAfter: (
      channelId: string,
      messageId: string
    ) => Effect.Effect<ReadonlyArray<IncomingMessage>, DiscordError>
    /** Acknowledges a command within its 3 seconds; the answer follows by `editReply` and only the invoker sees it. */
    readonly defer: (reply: ReplyTo) => Effect.Effect<void, DiscordError>
    /** Acknowledges a button whose message will change by itself. */
    readonly deferUpdate: (reply: ReplyTo) => Effect.Effect<void, DiscordError>
    /** Answers a button by a form to fill in; it has to be the first answer. */
    readonly modal: (reply: ReplyTo, modal: Modal) => Effect.Effect<void, DiscordError>
    /** Answers an interaction at once, visible to the invoker alone. */
    readonly respond: (reply: ReplyTo, body: MessageBody) => Effect.Effect<void, DiscordError>
    /** Fills or changes the answer of an interaction; works for 15 minutes. */
    readonly editReply: (reply: Pick<ReplyTo, "token">, body: MessageBody) => Effect.Effect<void, DiscordError>
    /** Says one thing more to the invoker alone; works for 15 minutes. */
    readonly followUp: (reply: Pick<ReplyTo, "token">, body: MessageBody) => Effect.Effect<void, DiscordError>
    /** Replaces the bot's commands of a guild. */
    readonly setCommands: (
      guildId: string,
      commands: RESTPutAPIApplicationGuildCommandsJSONBody
    ) => Effect.Effect<void, DiscordError>
  }
>() {}

export const layer: Layer.Layer<DiscordApi, never, DiscordClient> = Layer.effect(
  DiscordApi,
  Effect.map(DiscordClient, ({ rest, applicationId }) => {
    const call = (name: string, run: (signal: AbortSignal) => Promise<unknown>) =>
      Effect.tryPromise({ try: run, catch: fromUnknown(name) }).pipe(Effect.withSpan(`Discord.${name}`))
    const post = (name: string, route: RouteLike, options: RequestData) =>
      call(name, (signal) => rest.post(route, { ...options, signal }))
    const callback = (name: string, reply: ReplyTo, body: unknown) =>
      Effect.asVoid(post(name, Routes.interactionCallback(reply.id, reply.token), { body, auth: false }))

    return DiscordApi.of({
      create: (channelId, body, options) =>
        post("createMessage", Routes.channelMessages(channelId), {
          body: {
            ...toWire(body),
            flags: flags(body, false),
            nonce: options.nonce,
            enforce_nonce: true,
            ...(options.replyTo === undefined
              ? {}
              : { message_reference: { message_id: options.replyTo, fail_if_not_exists: false } })
          },
          files: uploads(body)
        }).pipe(Effect.map((message) => (message as APIMessage).id)),
      edit: (channelId, messageId, body) =>
        call("editMessage", (signal) =>
          rest.patch(Routes.channelMessage(channelId, messageId), { body: toWire(body), files: uploads(body), signal })
        ),
      remove: (channelId, messageId) =>
        call("deleteMessage", (signal) => rest.delete(Routes.channelMessage(channelId, messageId), { signal })),
      createThread: (channelId, messageId, name) =>
        post("createThread", Routes.threads(channelId, messageId), {
          body: { name, type: ChannelType.PublicThread, auto_archive_duration: 10080 }
        }).pipe(
          // The thread of a message can only be made once; its id is known.
          Effect.catchIf(
            (error) => error.code === 160004,
            () => Effect.void
          ),
          Effect.as(messageId)
        ),
      unarchive: (threadId) =>
        call("unarchiveThread", (signal) =>
          rest.patch(Routes.channel(threadId), { body: { archived: false }, signal })
        ),
      typing: (channelId) => post("typing", Routes.channelTyping(channelId), {}),
      react: (channelId, messageId, emoji) =>
        call("react", (signal) =>
          rest.put(Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji)), { signal })
        ),
      unreact: (channelId, messageId, emoji) =>
        call("unreact", (signal) =>
          rest.delete(Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji)), { signal })
        ),
      messagesAfter: (channelId, messageId) =>
        call("listMessages", (signal) =>
          rest.get(Routes.channelMessages(channelId), {
            query: new URLSearchParams({ after: messageId, limit: "100" }),
            signal
          })
        ).pipe(
          Effect.map((messages) =>
            (messages as ReadonlyArray<APIMessage>)
              .map(messageFromApi)
              .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
          )
        ),
      defer: (reply) =>
        callback("defer", reply, {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral }
        }),
      deferUpdate: (reply) => callback("deferUpdate", reply, { type: InteractionResponseType.DeferredMessageUpdate }),
      modal: (reply, modal) =>
        callback("modal", reply, { type: InteractionResponseType.Modal, data: modalToWire(modal) }),
      respond: (reply, body) =>
        callback("respond", reply, {
          type: InteractionResponseType.ChannelMessageWithSource,
          data: { ...toWire(body), flags: flags(body, true) }
        }),
      editReply: (reply, body) =>
        call("editReply", (signal) =>
          rest.patch(Routes.webhookMessage(applicationId, reply.token, "@original"), {
            body: toWire(body),
            auth: false,
            signal
          })
        ),
      followUp: (reply, body) =>
        post("followUp", Routes.webhook(applicationId, reply.token), {
          body: { ...toWire(body), flags: flags(body, true) },
          auth: false
        }),
      setCommands: (guildId, commands) =>
        call("setCommands", (signal) =>
          rest.put(Routes.applicationGuildCommands(applicationId, guildId), { body: commands, signal })
        )
    })
  })
)
