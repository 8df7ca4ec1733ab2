import { type APIMessage, type RouteLike, Routes } from "discord.js"
import * as Effect from "effect/Effect"
import type { DiscordError } from "./DiscordError.ts"
import type { IncomingMessage } from "./DiscordEvent.ts"
import type { MessageBody } from "./MessageBody.ts"
import { type Calls, idOf, newMessage, type RateLimited } from "./RateLimitedCalls.ts"
import type { Priority } from "./RateBudget.ts"

/** Discord's largest page of messages. */
export const messagesPerPage = 100

/** Messages and reactions. */
export interface MessageCalls {
  /** Posts a message; a repeated nonce within minutes returns the first message's id. */
  readonly create: Calls["create"]
  /** Deletes a message of the bot. */
  readonly removeMessage: (channelId: string, messageId: string) => Effect.Effect<void, DiscordError>
  readonly typing: (channelId: string) => Effect.Effect<void, DiscordError>
  readonly react: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
  readonly unreact: (channelId: string, messageId: string, emoji: string) => Effect.Effect<void, DiscordError>
  /** Reads up to `messagesPerPage` messages after a given one, oldest first. */
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
  /** Sends a direct message; fails with status 403 when the person does not accept any. */
  readonly direct: (userId: string, body: MessageBody, nonce: string) => Effect.Effect<void, DiscordError>
}

export const make = (rateLimited: RateLimited, read: (message: APIMessage) => IncomingMessage): MessageCalls => ({
  create: (channelId, body, options) =>
    rateLimited("createMessage", "first", "POST", Routes.channelMessages(channelId), newMessage(body, options)).pipe(
      idOf
    ),
  removeMessage: (channelId, messageId) =>
    Effect.asVoid(rateLimited("deleteMessage", "routine", "DELETE", Routes.channelMessage(channelId, messageId))),
  typing: (channelId) => Effect.asVoid(rateLimited("typing", "hint", "POST", Routes.channelTyping(channelId))),
  react: (channelId, messageId, emoji) =>
    Effect.asVoid(rateLimited("react", "routine", "PUT", reaction(channelId, messageId, emoji))),
  unreact: (channelId, messageId, emoji) =>
    Effect.asVoid(rateLimited("unreact", "routine", "DELETE", reaction(channelId, messageId, emoji))),
  messagesAfter: (channelId, messageId, priority = "first") =>
    rateLimited("listMessages", priority, "GET", Routes.channelMessages(channelId), {
      query: new URLSearchParams({ after: messageId, limit: String(messagesPerPage) })
    }).pipe(
      Effect.map((messages) =>
        (messages as ReadonlyArray<APIMessage>).map(read).toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      )
    ),
  message: (channelId, messageId, priority = "first") =>
    rateLimited("readMessage", priority, "GET", Routes.channelMessage(channelId, messageId)).pipe(
      Effect.map((message) => read(message as APIMessage))
    ),
  direct: (userId, body, nonce) =>
    rateLimited("openDirect", "first", "POST", Routes.userChannels(), { body: { recipient_id: userId } }).pipe(
      idOf,
      Effect.flatMap((channelId) =>
        rateLimited("createMessage", "first", "POST", Routes.channelMessages(channelId), newMessage(body, { nonce }))
      ),
      Effect.asVoid
    )
})

const reaction = (channelId: string, messageId: string, emoji: string): RouteLike =>
  Routes.channelMessageOwnReaction(channelId, messageId, encodeURIComponent(emoji))
