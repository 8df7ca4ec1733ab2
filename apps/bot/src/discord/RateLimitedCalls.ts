import { type APIMessage, type REST, type RequestData, type RequestMethod, type RouteLike, Routes } from "discord.js"
import * as Effect from "effect/Effect"
import { bucketOf } from "./Bucket.ts"
import { type DiscordError, fromUnknown } from "./DiscordError.ts"
import { flags, type MessageBody, toWire, uploads } from "./MessageBody.ts"
import type { Priority, SlotRequest } from "./RateBudget.ts"
import type { RateLimiter } from "./RateLimiter.ts"
import { retryWhileRateLimited } from "./RetryPolicy.ts"
import { hasContentOf } from "./SameMessage.ts"

/** The calls that use a slot. */
export interface Calls {
  /** Posts a message; a repeated nonce within minutes returns the first message's id. */
  readonly create: (channelId: string, body: MessageBody, options: CreateOptions) => Effect.Effect<string, DiscordError>
  /** Edits a message of the bot; without `files` its files stay. Returns Discord's time of the edit in epoch milliseconds. */
  readonly edit: (
    channelId: string,
    messageId: string,
    body: MessageBody
  ) => Effect.Effect<number | undefined, DiscordError>
  readonly remove: (channelId: string, messageId: string) => Effect.Effect<void, DiscordError>
  /** Whether a message has this content, apart from its files. */
  readonly hasContent: (channelId: string, messageId: string, body: MessageBody) => Effect.Effect<boolean, DiscordError>
}

/** The options of a new message. */
export interface CreateOptions {
  readonly nonce: string
  readonly replyTo?: string
}

/** Makes one call when the rate limiter grants a slot. */
export type RateLimited = (
  name: string,
  priority: Priority,
  method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT",
  route: RouteLike,
  options?: RequestData
) => Effect.Effect<unknown, DiscordError>

/** A named call to Discord that is aborted when its fiber is interrupted. */
export const call = (
  name: string,
  run: (signal: AbortSignal) => Promise<unknown>
): Effect.Effect<unknown, DiscordError> =>
  Effect.tryPromise({ try: run, catch: fromUnknown(name) }).pipe(Effect.withSpan(`Discord.${name}`))

/** The id of the created object. */
export const idOf = Effect.map((created: unknown) => (created as APIMessage).id)

/** Every call waits for a slot, and for another one after a 429. */
export const rateLimited =
  (rest: REST, limiter: RateLimiter["Type"]): RateLimited =>
  (name, priority, method, route, options = {}) =>
    Effect.suspend(() => {
      const bucket = bucketOf(method, route)
      return limiter
        .withSlot({ bucket, rank: { priority, since: limiter.now() } }, () =>
          request(rest, name, method, route, options).pipe(Effect.tapError(pause(limiter, bucket)))
        )
        .pipe(retryWhileRateLimited)
    })

/** Waits for a slot and makes one call in it, chosen when the slot comes. */
export const withSlot =
  (rest: REST, limiter: RateLimiter["Type"]) =>
  <A, E, R>(
    slot: SlotRequest,
    use: (calls: Calls, markUnused: () => void) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    limiter.withSlot(slot, (markUnused) => use(callsInSlot(rest, limiter, slot.bucket), markUnused))

/** The message calls inside a granted slot. */
const callsInSlot = (rest: REST, limiter: RateLimiter["Type"], bucket: string): Calls => {
  const once = (name: string, method: string, route: RouteLike, options: RequestData = {}) =>
    request(rest, name, method, route, options).pipe(Effect.tapError(pause(limiter, bucket)))
  return {
    create: (channelId, body, options) =>
      idOf(once("createMessage", "POST", Routes.channelMessages(channelId), newMessage(body, options))),
    edit: (channelId, messageId, body) =>
      Effect.map(
        once("editMessage", "PATCH", Routes.channelMessage(channelId, messageId), {
          body: toWire(body),
          files: uploads(body)
        }),
        (message) => {
          const editedAt = (message as Partial<APIMessage> | null | undefined)?.edited_timestamp
          return typeof editedAt === "string" ? Date.parse(editedAt) : undefined
        }
      ),
    remove: (channelId, messageId) =>
      Effect.asVoid(once("deleteMessage", "DELETE", Routes.channelMessage(channelId, messageId))),
    hasContent: (channelId, messageId, body) =>
      Effect.map(once("readMessage", "GET", Routes.channelMessage(channelId, messageId)), (message) =>
        hasContentOf(message as APIMessage, body)
      )
  }
}

/** The request that creates a message. */
export const newMessage = (body: MessageBody, { nonce, replyTo }: CreateOptions): RequestData => ({
  body: {
    ...toWire(body),
    flags: flags(body, false),
    nonce,
    enforce_nonce: true,
    ...(replyTo === undefined
      ? {}
      : {
          message_reference: { message_id: replyTo, fail_if_not_exists: false },
          allowed_mentions: { parse: [], replied_user: false }
        })
  },
  files: uploads(body)
})

const request = (rest: REST, name: string, method: string, route: RouteLike, options: RequestData) =>
  call(name, (signal) => rest.request({ ...options, method: method as RequestMethod, fullRoute: route, signal }))

/** After a 429 the named bucket rests. */
const pause = (limiter: RateLimiter["Type"], bucket: string) => (error: DiscordError) =>
  Effect.sync(() => {
    if (error.status === 429) limiter.pause(error.global === true ? "all" : { bucket }, error.retryAfterMs ?? 1000)
  })
