import { MessageId } from "@heddle/core/domain/AssistantMessage"
import type { AssistantOffline } from "@heddle/core/Assistant"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { Accounts } from "../access/Accounts.ts"
import * as RetrySchedules from "../concurrency/RetrySchedules.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isNotWritable } from "../discord/DiscordError.ts"
import type { IncomingMessage } from "../discord/DiscordEvent.ts"
import type { Messages } from "../messages/Messages.ts"
import { type Chat, Chats } from "../store/Chats.ts"
import { Languages } from "../store/Languages.ts"
import * as ChatDelivery from "./ChatDelivery.ts"
import * as QuestionDeadlines from "./QuestionDeadlines.ts"

/**
 * Conversations with the assistants on people's own computers. Each message of a person is sent once and in order; each
 * reply is shown once. Polling for replies ends two hours after the person's last message.
 */
export class Conversations extends Context.Tag("@heddle/bot/Conversations")<
  Conversations,
  {
    /** Begins a chat in a new thread with this first message. */
    readonly begin: (
      chat: Pick<Chat, "channelId" | "guildId" | "openId" | "ownerId" | "threadId">,
      firstId: string
    ) => Effect.Effect<void>
    /** Adds a message that the chat's owner wrote in its thread. */
    readonly addMessage: (message: IncomingMessage) => Effect.Effect<void>
    /** The thread was deleted or locked. */
    readonly close: (threadId: string) => Effect.Effect<void>
  }
>() {}

type Requirements = Accounts | Chats | DiscordApi | Languages

/** The conversations that run in this process. */
interface ActiveConversation {
  /** Threads in which this process wrote: their rows and posts agree. */
  readonly current: Set<string>
  /** Wakes the conversation of a thread because a message waits. */
  readonly wakeUps: Map<string, Queue.Queue<void>>
  /** Tells that a thread shows something new. */
  readonly shown: Queue.Queue<void>
}

export const layer: Layer.Layer<Conversations, never, Requirements> = Layer.scoped(
  Conversations,
  Effect.gen(function* () {
    const context = yield* Effect.context<Requirements>()
    const rows = yield* Chats
    const following = yield* FiberMap.make<string>()
    const running: ActiveConversation = {
      current: new Set(),
      wakeUps: new Map(),
      shown: yield* Queue.sliding<void>(1)
    }

    const start = Effect.fnUntraced(function* (threadId: string) {
      const wakeUp = running.wakeUps.get(threadId) ?? (yield* Queue.sliding<void>(1))
      running.wakeUps.set(threadId, wakeUp)
      yield* Queue.offer(wakeUp, undefined)
      yield* FiberMap.run(
        following,
        threadId,
        follow(threadId, running, wakeUp).pipe(
          // The person may have written just as the conversation ended.
          Effect.zipRight(Queue.size(wakeUp)),
          Effect.repeat({ while: (waiting) => waiting > 0 }),
          Effect.catchAllCause((cause) => Effect.logWarning("A chat with a local assistant broke off", cause)),
          Effect.provide(context)
        ),
        { onlyIfMissing: true }
      )
    })
    for (const { threadId } of yield* rows.all) yield* start(threadId)
    yield* Effect.forkScoped(Effect.provide(QuestionDeadlines.run(running.shown), context))

    return Conversations.of({
      begin: Effect.fn("Conversations.begin")(function* (chat, firstId) {
        const now = yield* Clock.currentTimeMillis
        yield* rows.open({ ...chat, lastSeenId: firstId, activeUntil: now }, now)
      }),
      addMessage: (message) =>
        Effect.flatMap(Effect.provide(receive(message), context), (isNew) =>
          isNew ? start(message.channelId) : Effect.void
        ),
      close: Effect.fn("Conversations.close")(function* (threadId) {
        yield* rows.close(threadId, yield* Clock.currentTimeMillis)
        yield* FiberMap.remove(following, threadId)
      })
    })
  })
)

/** Stores a message of the person; returns whether there is something new to send. */
const receive = Effect.fn("Conversations.receive")(function* (message: IncomingMessage) {
  const rows = yield* Chats
  const threadId = message.channelId
  const content = message.content.trim()
  const saw = Effect.as(rows.markSeen(threadId, message.id), false)
  if (!message.fromPerson || (content === "" && message.attachments.length === 0)) return yield* saw
  const chat = yield* rows.find(threadId)
  if (Option.isNone(chat)) return false
  const entry = { eventId: message.id, threadId, content, sentAt: undefined }
  const { assistant } = yield* (yield* Languages).ofGuild(chat.value.guildId)
  if (message.attachments.length > 0) {
    const words = content === "" ? assistant.nothingToSend : assistant.textOnly
    yield* ChatDelivery.reply(entry, { content: words }, "files").pipe(Effect.catchAll(unposted))
  }
  if (content === "") return yield* saw
  return yield* rows.addMessage(entry, (yield* Clock.currentTimeMillis) + activeFor)
})

const unposted = (error: DiscordError) => Effect.logDebug("A remark could not be posted", error.message)

/** Sends and shows messages until the person has been silent for long enough. */
const follow = Effect.fn("Conversations.follow")(function* (
  threadId: string,
  running: ActiveConversation,
  wakeUp: Queue.Queue<void>
) {
  const rows = yield* Chats
  const accounts = yield* Accounts
  let failures = 0
  for (;;) {
    const found = yield* rows.find(threadId)
    // A message to an ended chat starts no further polling.
    if (Option.isNone(found)) return yield* Effect.asVoid(Queue.takeAll(wakeUp))
    const messages = yield* (yield* Languages).ofGuild(found.value.guildId)
    if (yield* accounts.isAnother(found.value.ownerId, found.value.openId)) {
      yield* ChatDelivery.post(threadId, { content: messages.assistant.otherAccount }, `other ${threadId}`)
      return yield* rows.close(threadId, yield* Clock.currentTimeMillis)
    }
    for (const entry of yield* rows.queued(threadId)) yield* ChatDelivery.send(found.value, entry, messages)
    const chat = yield* rows.find(threadId)
    if (Option.isNone(chat)) continue
    const left = chat.value.activeUntil - (yield* Clock.currentTimeMillis)
    if (left <= 0) return
    const ended = yield* listen(chat.value, messages, running).pipe(
      Effect.raceFirst(Effect.raceFirst(Queue.take(wakeUp), Effect.sleep(left))),
      Effect.either
    )
    if (ended._tag === "Right") {
      failures = 0
      continue
    }
    const next = yield* afterFailure(chat.value, ended.left, messages)
    if (next === "end") return
    if (next === "look") continue
    yield* Effect.logInfo(`A chat is tried again: ${ended.left._tag}`)
    const wait = Duration.max(RetrySchedules.chatDelay(failures++), RetryPolicy.requestedWait(ended.left))
    yield* Effect.raceFirst(Effect.sleep(wait), Queue.take(wakeUp))
  }
})

/** Shows each reply as it comes; never completes in a chat without a sent message. */
const listen = Effect.fnUntraced(function* (
  { cursor, openId, ownerId, threadId }: Chat,
  messages: Messages,
  { current, shown }: ActiveConversation
) {
  if (cursor === undefined) return yield* Effect.never
  return yield* (yield* Accounts).use(
    ownerId,
    ({ assistant }) =>
      assistant
        .since(MessageId.make(cursor), { poll: { initialInterval: "1 second", maxInterval: "15 seconds" } })
        .pipe(
          Stream.runForEach((message) =>
            Effect.uninterruptible(
              Effect.flatMap(ChatDelivery.show(threadId, message, messages, current.has(threadId)), (isShown) =>
                isShown ? Queue.offer(shown, void current.add(threadId)) : Effect.void
              )
            )
          )
        ),
    openId
  )
})

/** What follows a failure: end the chat, read its rows again, or retry later. */
const afterFailure = Effect.fnUntraced(function* (
  { openId, ownerId, threadId }: Chat,
  error: AssistantOffline | DiscordError | OpenApiError,
  messages: Messages
) {
  const now = yield* Clock.currentTimeMillis
  if (error._tag === "DiscordError") {
    return isNotWritable(error) ? yield* Effect.as((yield* Chats).close(threadId, now), "end" as const) : "retry"
  }
  if (error._tag === "Reauthorize" && (yield* (yield* Accounts).isAnother(ownerId, openId))) return "look"
  if (isPassing(error)) return "retry"
  // The person's next message tries again.
  yield* ChatDelivery.post(threadId, yield* ChatDelivery.explain(ownerId, error, messages), `e${now}`)
  return "end"
})

/** Whether a later try may succeed. */
const isPassing = ({ _tag }: AssistantOffline | OpenApiError): boolean =>
  ["ContractViolation", "OutcomeUnknown", "RateLimited", "ServiceFailure", "Unreachable"].includes(_tag)

/** How long polling continues after the person's last message, in milliseconds. */
const activeFor = 2 * 3_600_000
