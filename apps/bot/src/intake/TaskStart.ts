import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Store, transaction } from "../store/database/Transaction.ts"
import { AuditLog } from "../store/AuditLog.ts"
import * as Guard from "../access/Guard.ts"
import { TaskHeaders, contentOf } from "../outbox/TaskHeaders.ts"
import { TaskHeaderRows } from "../store/TaskHeaders.ts"
import { Accounts } from "../access/Accounts.ts"
import { connectButton } from "../view/ConnectButtons.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isShut } from "../discord/DiscordError.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { explain, tell } from "../messages/Explain.ts"
import { Languages, messagesFor } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import { refused } from "../messages/Refused.ts"
import { reference } from "../text/Reference.ts"
import { plainName } from "../text/PlainName.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { retryUntilDelivered } from "../store/database/RetryPolicy.ts"
import { Inbox } from "../store/Inbox.ts"
import { ChannelQueue } from "../concurrency/ChannelQueue.ts"
import * as Backfill from "./Backfill.ts"
import { type Request, Requests } from "../store/Requests.ts"
import * as Sent from "../outbox/Sent.ts"
import * as ThreadOwner from "../turn/ThreadOwner.ts"
import { type Thread, Threads } from "../store/Threads.ts"

/** What starting a request needs. */
export type Requirements = Sharding.Sharding

/** From a request to a task with its thread: every step is noted before the next, so that it can go on anywhere. */
const TaskStart = Entity.make("TaskStart", [
  Rpc.make("Start", {
    payload: { requestId: Schema.String, attempt: Schema.Number },
    primaryKey: ({ attempt, requestId }) => `${requestId}:${attempt}`
  }).annotate(ClusterSchema.Persisted, true)
])

/** Starts a request; the same attempt is made once, however often this is called. */
export const enqueue = Effect.fn("TaskStart.enqueue")(function* (requestId: string, attempt: number) {
  const client = yield* TaskStart.client
  yield* retryUntilDelivered(client(requestId).Start({ requestId, attempt }, { discard: true }))
})

export const layer = TaskStart.toLayer(
  Effect.gen(function* () {
    const context = yield* Effect.context<Effect.Effect.Context<ReturnType<typeof run>>>()
    return TaskStart.of({
      Start: ({ payload }) => Effect.provide(run(payload.requestId), context)
    })
  }),
  { concurrency: "unbounded", disableFatalDefects: true }
)

const run = Effect.fn("TaskStart.run")(function* (requestId: string) {
  const requests = yield* Requests
  const found = yield* requests.find(requestId)
  if (Option.isNone(found) || found.value.state !== "starting") return
  const request = found.value
  if (!(yield* acknowledge(request))) return
  const { during } = yield* Watchdog
  // Goes on from its row.
  const resumeFromRow = Effect.flatMap(requests.find(requestId), (row) =>
    startIfAllowed(Option.getOrElse(row, () => request))
  )
  yield* during(`The start of task request ${requestId}`, retryWhileUnavailable(resumeFromRow)).pipe(
    Effect.catchTags({
      Reauthorize: () =>
        Effect.flatMap(Accounts, (accounts) =>
          Effect.if(accounts.isAnother(request.userId, request.openId), {
            onTrue: () =>
              giveUp(request, (messages) => messages.startFailed(tell(messages, messages.failures.otherAccount))),
            onFalse: () => askToConnect(request)
          })
        ),
      DiscordError: (error) =>
        giveUp(request, (messages) =>
          isShut(error)
            ? tell(messages, messages.failures.cannotPost)
            : messages.startFailed(tell(messages, messages.failures.discordRefused(oneLine(error.description, 200))))
        )
    }),
    Effect.catchAll((error: OpenApiError) =>
      giveUp(request, (messages, audience) => messages.startFailed(explain(messages, error, audience)))
    ),
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      const id = reference()
      return Effect.zipRight(
        Effect.logError(`Starting a task failed (${id})`, cause),
        giveUp(request, (messages) => tell(messages, messages.failures.internal(id)))
      )
    })
  )
})

/**
 * Acknowledges a stored command, so that no acknowledged command is lost. One that is too old is dropped: Discord has told
 * its person that the bot did not respond.
 */
const acknowledge = Effect.fnUntraced(function* ({ acknowledged, replyToken, requestId }: Request) {
  if (acknowledged || replyToken === undefined) return true
  const requests = yield* Requests
  const isAcknowledged = yield* (yield* DiscordApi).defer({ id: requestId, token: Redacted.value(replyToken) }).pipe(
    Effect.as(true),
    Effect.catchAll((error) =>
      Effect.as(Effect.logWarning("A command could not be acknowledged in time", error.message), false)
    )
  )
  yield* requests.recordStep(requestId, isAcknowledged ? { acknowledged: true } : { state: "failed" })
  return isAcknowledged
})

/**
 * Starts a request if the policy still allows it; a request may wait long after its command, for an account or the
 * service. Creating a task can hand the prompt over: a service that does not know `hold` runs it at once (decision 0003).
 * One that knows it gets the prompt later, and `Prompt.prepare` asks again. Opening a task shows it in the server.
 */
const startIfAllowed = Effect.fnUntraced(function* (request: Request) {
  const { channelId, guildId, taskId, userId } = request
  const action = { _tag: "StartTask", channelId, hidden: false } as const
  const needsDecision = taskId === undefined || request.kind === "opened"
  const decision = needsDecision ? yield* Guard.askPolicyAgain(userId, guildId, action, maxMemberAgeMs) : "allowed"
  if (decision === "allowed") return yield* start(request)
  yield* giveUp(request, (messages) => refused(messages, decision, action))
})

/** How old an answer of Discord about a member may be, in milliseconds: as new as the command, unless that waited. */
const maxMemberAgeMs = 5000

const start = Effect.fnUntraced(function* (request: Request) {
  const api = yield* DiscordApi
  const requests = yield* Requests
  const { channelId, requestId, userId } = request
  const boundThread = request.threadId === undefined ? Option.none() : yield* (yield* Threads).find(request.threadId)
  if (Option.isSome(boundThread) && boundThread.value.taskId === request.taskId)
    return yield* startInThread(request, boundThread.value, Effect.void)

  const accounts = yield* Accounts
  const task = yield* accounts.use(
    userId,
    ({ tasks }) =>
      request.taskId === undefined
        ? tasks.create(
            new NewTask({
              prompt: request.prompt,
              initialPrompt: "hold",
              ...(request.name === undefined ? {} : { name: request.name })
            }),
            { idempotencyKey: requestId }
          )
        : tasks.get(TaskId.make(request.taskId)),
    request.openId
  )
  const { taskId } = task
  // A thread gets its title once: few renames are allowed.
  const title = plainName(request.name ?? task.name ?? request.prompt, 90) || oneLine(taskId, 90)
  yield* requests.recordStep(requestId, { taskId })

  const headers = yield* TaskHeaders
  const access = yield* headers.accessText({ taskId, ownerId: userId, guildId: request.guildId, channelId })
  const messageId = request.messageId ?? (yield* postHeader(request, title, access))

  const threadId = request.threadId ?? (yield* api.createThread(channelId, messageId, truncate(title, 100)))
  const rows = yield* TaskHeaderRows
  if (Option.isNone(yield* rows.find(threadId))) {
    // The message that the thread is on is another's: the thread itself says what the header would say.
    const inThread = yield* api.create(threadId, { content: access }, { nonce: `a${requestId}`.slice(0, 25) })
    yield* rows.add({ threadId, channelId: threadId, messageId: inThread, words: "", access })
  }
  const now = yield* Clock.currentTimeMillis
  // In a post of a forum, what was said before the bot was asked is not for the task.
  const position = { threadId, lastSeenId: messageId }
  const thread = { ...position, guildId: request.guildId, channelId, ownerId: userId, taskId, name: title }
  const bind = transaction(
    Effect.all([
      (yield* Threads).bind(thread, now),
      (yield* Inbox).add({
        eventId: requestId,
        threadId,
        kind: request.kind === "opened" ? "opened" : "message",
        authorId: userId,
        authorName: "",
        content: request.prompt,
        attachments: request.attachments,
        first: true,
        late: false,
        receivedAt: now
      }),
      requests.recordStep(requestId, { threadId }),
      (yield* AuditLog).record({
        eventId: requestId,
        guildId: request.guildId,
        at: now,
        actorId: userId,
        threadId,
        action: { _tag: request.kind === "opened" ? "Opened" : "Started", task: title }
      })
    ])
  )
  yield* startInThread(request, thread, bind)
})

/** Starts the task in its thread, and tells the person who asked for it. */
const startInThread = Effect.fnUntraced(function* (
  request: Request,
  { threadId }: Omit<Thread, "closed">,
  bind: Effect.Effect<unknown, never, Store>
) {
  const { requestId } = request
  const queues = yield* ChannelQueue
  const isDelivered = yield* Deferred.make<void>()
  const bindAndDeliver = bind.pipe(
    Effect.zipRight(ThreadOwner.deliver(threadId, requestId)),
    Effect.zipRight(Deferred.succeed(isDelivered, undefined))
  )
  const informInvoker = answerInvoker(request, (messages) => ({ content: messages.started(threadId) }), Effect.void)
  yield* Effect.all(
    [
      // Messages from before the thread was bound come before new ones.
      queues.runAndWait(threadId, Effect.zipRight(bindAndDeliver, Backfill.read(threadId, { wasAway: false }))),
      Effect.zipRight(Deferred.await(isDelivered), informInvoker)
    ],
    { concurrency: "unbounded", discard: true }
  )
  yield* (yield* Requests).recordStep(requestId, { state: "started" })
})

/** Posts the message that the thread is opened on, and remembers that it tells of the task. */
const postHeader = Effect.fnUntraced(function* (request: Request, title: string, access: string) {
  const { channelId, requestId, userId } = request
  const { turnPosts } = yield* messagesFor(request.guildId)
  const headerText =
    request.kind === "opened"
      ? turnPosts.openedHeader(userId, title)
      : turnPosts.startedHeader(
          userId,
          title,
          request.name === undefined ? "" : oneLine(request.prompt, 300),
          request.attachments.slice(0, 10).map((file) => oneLine(file.name, 100))
        )
  const content = contentOf({ words: headerText, access })
  const requests = yield* Requests
  const sent = yield* Effect.findFirst(
    (yield* Sent.afterNonceWindow(channelId, requestId)).filter((message) => message.content === content),
    ({ id }) => Effect.map(requests.isHeader(id), (isOfAnotherRequest) => !isOfAnotherRequest)
  )
  const messageId = Option.isSome(sent)
    ? sent.value.id
    : yield* (yield* DiscordApi).create(channelId, { content }, { nonce: requestId })
  const header = { threadId: messageId, channelId, messageId, words: headerText, access }
  yield* transaction(
    Effect.zipRight((yield* TaskHeaderRows).add(header), requests.recordStep(requestId, { messageId }))
  )
  return messageId
})

const askToConnect = Effect.fnUntraced(function* (request: Request) {
  yield* (yield* Requests).recordStep(request.requestId, { state: "waiting" })
  yield* answerInvoker(
    request,
    (messages) => ({
      content: messages.connectAgainPrivate,
      rows: [[connectButton(messages)]]
    }),
    postPublicly(request, (messages) => messages.connectAgainToStart(request.userId))
  )
})

const giveUp = Effect.fnUntraced(function* (
  request: Request,
  text: (messages: Messages, audience: "person" | "everybody") => string
) {
  yield* (yield* Requests).recordStep(request.requestId, { state: "failed" })
  yield* answerInvoker(
    request,
    (messages) => ({ content: text(messages, "person") }),
    postPublicly(request, (messages) => `<@${request.userId}> ${text(messages, "everybody")}`)
  )
})

/** Fills the private reply of the command; after its 15 minutes, `fallback` says it elsewhere. */
const answerInvoker = <R>(
  { guildId, locale, replyToken }: Request,
  body: (messages: Messages) => MessageBody,
  fallback: Effect.Effect<void, never, R>
) => {
  if (replyToken === undefined) return fallback
  return Effect.gen(function* () {
    const messages = yield* (yield* Languages).ofPerson({ guildId, locale: locale ?? "" })
    const api = yield* DiscordApi
    yield* retryWhileUnavailable(api.editReply({ token: Redacted.value(replyToken) }, body(messages)))
  }).pipe(
    Effect.catchAll((error) =>
      Effect.zipRight(Effect.logDebug("A private answer could not be filled any more", error.message), fallback)
    )
  )
}

const postPublicly = (request: Request, text: (messages: Messages) => string) =>
  Effect.gen(function* () {
    const content = text(yield* messagesFor(request.guildId))
    const nonce = `${request.requestId}:${request.attempt}`.slice(-25)
    // A forum takes no messages, but its posts do.
    const api = yield* DiscordApi
    yield* retryWhileUnavailable(api.create(request.threadId ?? request.channelId, { content }, { nonce }))
  }).pipe(
    Effect.catchAll((error) => Effect.logWarning("A person could not be informed of a failed start", error.message)),
    Effect.asVoid
  )
