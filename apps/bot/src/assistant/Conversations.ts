import { createHash } from "node:crypto"
import type { AssistantOffline } from "@heddle/core/Assistant"
import { type AssistantMessage, MessageId } from "@heddle/core/domain/AssistantMessage"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Accounts } from "../access/Accounts.ts"
import { failedFor } from "../account/ConnectFailure.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isShut } from "../discord/DiscordError.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { Languages } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import * as View from "../view/AssistantChat.ts"
import * as AssistantQuestion from "../model/AssistantQuestion.ts"
import { type Chat, type ChatEntry, Chats } from "../store/Chats.ts"

/**
 * Chats with local assistants: what the person writes in the thread is sent, once and in its order, and what comes back
 * is shown, once, from where the chat was left. Replies are asked for until two hours after the person's last words.
 */
export class Conversations extends Context.Tag("@heddle/bot/Conversations")<
  Conversations,
  {
    /** Begins a chat in a new thread, whose first message is this one. */
    readonly begin: (
      chat: Pick<Chat, "channelId" | "guildId" | "openId" | "ownerId" | "threadId">,
      firstId: string
    ) => Effect.Effect<void>
    /** Takes what the owner of a chat wrote in its thread. */
    readonly said: (message: IncomingMessage) => Effect.Effect<void>
    /** The thread is gone or locked. */
    readonly shut: (threadId: string) => Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Conversations, never, Accounts | Chats | DiscordApi | Languages> = Layer.scoped(
  Conversations,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const api = yield* DiscordApi
    const languages = yield* Languages
    const rows = yield* Chats
    const following = yield* FiberMap.make<string>()
    /** Threads that show just what is noted of them, since this process wrote there. */
    const looked = new Set<string>()
    /** Says that there is something new to send. */
    const pokes = new Map<string, Queue.Queue<void>>()

    const post = (threadId: string, body: MessageBody, key: string, replyTo?: string) =>
      api.create(threadId, body, { nonce: nonceOf(key), ...(replyTo === undefined ? {} : { replyTo }) })

    /** Says something about what the person wrote. */
    const remark = ({ eventId, threadId }: ChatEntry, body: MessageBody, about: "files" | "send") =>
      post(threadId, body, `${about} ${eventId}`, eventId)

    const whyNot = (ownerId: string, error: AssistantOffline | OpenApiError, messages: Messages) =>
      error._tag === "AssistantOffline"
        ? Effect.succeed(notSent(error, messages))
        : Effect.provideService(failedFor(ownerId, messages, error), Accounts, accounts)

    const send = Effect.fn("Conversations.send")(function* (chat: Chat, entry: ChatEntry, messages: Messages) {
      const sent = yield* accounts
        .use(
          chat.ownerId,
          ({ assistant }) => assistant.sendText(entry.content, { idempotencyKey: entry.eventId }),
          chat.openId
        )
        .pipe(Effect.either)
      if (sent._tag === "Left") yield* remark(entry, yield* whyNot(chat.ownerId, sent.left, messages), "send")
      yield* rows.sent(entry, sent._tag === "Right" ? sent.right : undefined)
    })

    /** Shows a message of the conversation, unless the thread shows it already. */
    const show = Effect.fn("Conversations.show")(function* (
      threadId: string,
      message: AssistantMessage,
      messages: Messages
    ) {
      const chat = yield* rows.find(threadId)
      if (Option.isNone(chat)) return
      if (message.role !== "assistant") return yield* rows.shown(threadId, message.messageId, undefined)
      const asked = AssistantQuestion.fromMessage(message)
      const questionId = createHash("sha256")
        .update(`${threadId} ${message.messageId}`)
        .digest("base64url")
        .slice(0, 16)
      if (Option.isSome(asked)) yield* rows.ask({ questionId, threadId, question: asked.value })
      const standing =
        message.metadata["state"] === "open" || message.metadata["state"] === undefined ? "open" : "elsewhere"
      const bodies = Option.match(asked, {
        onNone: () => View.reply(message, messages),
        onSome: (question) => [View.question(questionId, question, {}, standing, messages)]
      })
      // Posted before a kill, but not noted: Discord knows nonces for minutes only.
      const there = looked.has(threadId) ? [] : yield* api.messagesAfter(threadId, chat.value.lastPostId)
      let last: string | undefined
      for (const [index, body] of bodies.entries()) {
        const same = there.find(
          ({ content, fromPerson }) => !fromPerson && body.content !== "" && content === body.content
        )
        last = same?.id ?? (yield* post(threadId, body, `${message.messageId}:${index}`))
      }
      yield* rows.shown(threadId, message.messageId, last)
      looked.add(threadId)
    })

    /** Sends and shows until nobody has written for long. */
    const follow = Effect.fn("Conversations.follow")(function* (threadId: string, poke: Queue.Queue<void>) {
      let failures = 0
      for (;;) {
        const found = yield* rows.find(threadId)
        // Whoever wrote to a chat that has ended is not to be looked for again and again.
        if (Option.isNone(found)) return yield* Effect.asVoid(Queue.takeAll(poke))
        const messages = yield* languages.ofGuild(found.value.guildId)
        if (yield* accounts.isAnother(found.value.ownerId, found.value.openId)) {
          yield* post(threadId, { content: messages.assistant.otherAccount }, `other ${threadId}`)
          return yield* rows.close(threadId, yield* Clock.currentTimeMillis)
        }
        for (const entry of yield* rows.queued(threadId)) yield* send(found.value, entry, messages)
        const chat = yield* rows.find(threadId)
        if (Option.isNone(chat)) continue
        const { activeUntil, cursor, openId, ownerId } = chat.value
        const left = activeUntil - (yield* Clock.currentTimeMillis)
        if (left <= 0) return
        const heard =
          cursor === undefined
            ? Effect.never
            : accounts.use(
                ownerId,
                ({ assistant }) =>
                  assistant
                    .since(MessageId.make(cursor), { poll: { first: "1 second", slowest: "15 seconds" } })
                    .pipe(Stream.runForEach((message) => Effect.uninterruptible(show(threadId, message, messages)))),
                openId
              )
        const ended = yield* heard.pipe(
          Effect.raceFirst(Effect.raceFirst(Queue.take(poke), Effect.sleep(left))),
          Effect.either
        )
        if (ended._tag === "Right") {
          failures = 0
          continue
        }
        const error = ended.left
        if (error._tag === "DiscordError") {
          if (isShut(error)) return yield* rows.close(threadId, yield* Clock.currentTimeMillis)
        } else if (error._tag === "Reauthorize" && (yield* accounts.isAnother(ownerId, openId))) {
          continue
        } else if (!isPassing(error)) {
          // What the person writes next tries again.
          return yield* Effect.asVoid(
            post(threadId, yield* whyNot(ownerId, error, messages), `e${yield* Clock.currentTimeMillis}`)
          )
        }
        yield* Effect.logInfo(`A chat is tried again: ${error._tag}`)
        yield* Effect.raceFirst(Effect.sleep(Math.min(60_000, 1000 * 2 ** failures++)), Queue.take(poke))
      }
    })

    const start = Effect.fnUntraced(function* (threadId: string) {
      const poke = pokes.get(threadId) ?? (yield* Queue.sliding<void>(1))
      pokes.set(threadId, poke)
      yield* Queue.offer(poke, undefined)
      yield* FiberMap.run(
        following,
        threadId,
        follow(threadId, poke).pipe(
          // Somebody may have written at the moment at which it ended.
          Effect.zipRight(Queue.size(poke)),
          Effect.repeat({ while: (waiting) => waiting > 0 }),
          Effect.catchAllCause((cause) => Effect.logWarning("A chat with a local assistant broke off", cause))
        ),
        { onlyIfMissing: true }
      )
    })

    const said = Effect.fn("Conversations.said")(function* (message: IncomingMessage) {
      const threadId = message.channelId
      const content = message.content.trim()
      if (!message.fromPerson || (content === "" && message.attachments.length === 0)) {
        return yield* rows.saw(threadId, message.id)
      }
      const chat = yield* rows.find(threadId)
      if (Option.isNone(chat)) return
      const entry = { eventId: message.id, threadId, content }
      const { assistant } = yield* languages.ofGuild(chat.value.guildId)
      if (message.attachments.length > 0) {
        const words = content === "" ? assistant.nothingToSend : assistant.textOnly
        yield* remark(entry, { content: words }, "files").pipe(Effect.catchAll(untold))
      }
      if (content === "") return yield* rows.saw(threadId, message.id)
      if (yield* rows.said(entry, (yield* Clock.currentTimeMillis) + patience)) yield* start(threadId)
    })

    for (const { threadId } of yield* rows.all) yield* start(threadId)

    return Conversations.of({
      begin: Effect.fn("Conversations.begin")(function* (chat, firstId) {
        const now = yield* Clock.currentTimeMillis
        yield* rows.open({ ...chat, lastSeenId: firstId, activeUntil: now }, now)
      }),
      said,
      shut: Effect.fn("Conversations.shut")(function* (threadId) {
        yield* rows.close(threadId, yield* Clock.currentTimeMillis)
        yield* FiberMap.remove(following, threadId)
      })
    })
  })
)

/** What the person is told about words for an assistant that is away. */
export const notSent = ({ status }: AssistantOffline, { assistant }: Messages): MessageBody => ({
  content: status === 404 ? assistant.notDelivered : assistant.perhapsDelivered
})

const untold = (error: DiscordError) => Effect.logDebug("A remark could not be posted", error.message)

/** Asking again later may help. */
const isPassing = ({ _tag }: OpenApiError): boolean =>
  ["ContractViolation", "OutcomeUnknown", "RateLimited", "ServiceFailure", "Unreachable"].includes(_tag)

/** As long as Discord takes, and the same for the same words. */
const nonceOf = (key: string): string => createHash("sha256").update(key).digest("base64url").slice(0, 24)

/** How long after the person's last words replies are asked for, in milliseconds. */
const patience = 2 * 3_600_000
