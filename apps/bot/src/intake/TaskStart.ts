import * as ClusterSchema from "@effect/cluster/ClusterSchema"
import * as Entity from "@effect/cluster/Entity"
import type * as Sharding from "@effect/cluster/Sharding"
import * as Rpc from "@effect/rpc/Rpc"
import { TaskId } from "@heddle/core/domain/Task"
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
import { DiscordApi } from "../discord/DiscordApi.ts"
import { type DiscordError, isNotWritable, isOutOfThreads } from "../discord/DiscordError.ts"
import { retryUnlessAlone } from "../discord/FailsAlone.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { explain, tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import { messagesFor } from "../store/Languages.ts"
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
import * as StartAnswers from "./StartAnswers.ts"
import * as TaskAgent from "./TaskAgent.ts"
import * as TaskCreation from "./TaskCreation.ts"
import * as ThreadCap from "./ThreadCap.ts"
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
      Start: ({ payload }) => Effect.provide(run(payload.requestId, payload.attempt), context)
    })
  }),
  { concurrency: "unbounded", disableFatalDefects: true }
)

const run = Effect.fn("TaskStart.run")(function* (requestId: string, attempt: number) {
  const requests = yield* Requests
  const found = yield* requests.find(requestId)
  if (Option.isNone(found) || found.value.attempt !== attempt) return
  const request = found.value
  // An interrupted start may not have told its person that the outcome is unknown.
  if (request.state !== "starting" && request.state !== "unknown") return
  if (!(yield* acknowledge(request))) return
  const { during } = yield* Watchdog
  // Goes on from its row.
  const resumeFromRow = Effect.flatMap(requests.find(requestId), (row) => resume(Option.getOrElse(row, () => request)))
  const place = request.threadId ?? request.channelId
  yield* during(`The start of task request ${requestId}`, retryUnlessAlone(place, resumeFromRow)).pipe(
    Effect.catchTags({
      InsufficientScope: (error) => StartAnswers.askToAllow(requestId, error),
      Reauthorize: () =>
        Effect.flatMap(Accounts, (accounts) =>
          Effect.if(accounts.isAnother(request.userId, request.openId), {
            onTrue: () =>
              StartAnswers.giveUp(requestId, {
                notStarted: (messages) => tell(messages, messages.failures.otherAccount),
                noThread: (messages) => messages.failures.otherAccount.happened
              }),
            onFalse: () => StartAnswers.askToConnect(request)
          })
        ),
      AgentNotOffered: ({ offered, wanted }) =>
        StartAnswers.giveUp(requestId, { notStarted: ({ agent }) => agent.notOffered(wanted, offered) }),
      DiscordError: (error) => StartAnswers.giveUp(requestId, refusalOf(error))
    }),
    Effect.catchAll((error: OpenApiError) =>
      StartAnswers.giveUp(requestId, { notStarted: (messages, audience) => explain(messages, error, audience) })
    ),
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      const id = reference()
      return Effect.zipRight(
        Effect.logError(`Starting a task failed (${id})`, cause),
        StartAnswers.giveUp(requestId, {
          because: (messages) => tell(messages, messages.failures.internal(id)),
          noThread: ({ failures, ...messages }) =>
            tell(messages, { happened: failures.internal(id).happened, changed: "", next: "" }, id)
        })
      )
    })
  )
})

/** The texts for a task that Discord gives no thread, or no message. */
const refusalOf = (error: DiscordError): StartAnswers.Failure => {
  if (!isNotWritable(error) && !isOutOfThreads(error))
    return {
      notStarted: (messages) => tell(messages, discordRefused(messages, error)),
      noThread: (messages) => discordRefused(messages, error).happened
    }
  const textOf = ({ failures, tooManyThreads }: Messages) =>
    isOutOfThreads(error) ? tooManyThreads : failures.cannotPost
  return {
    because: (messages) => tell(messages, textOf(messages)),
    noThread: (messages) => tell(messages, { ...textOf(messages), changed: "" })
  }
}

const discordRefused = ({ failures }: Messages, { description }: DiscordError) =>
  failures.discordRefused(oneLine(description, 200))

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
 * Goes on with a request where its row says. A creation whose answer was lost is never sent again by itself, unless the
 * service keeps its key. The policy is asked again, because a request may wait long after its command, for an account or
 * the service. Creating a task can hand the prompt over: a service that does not know `hold` runs it at once (decision
 * 0003). One that knows it gets the prompt later, and `Prompt.prepare` asks again. Opening a task shows it in the server.
 */
const resume = Effect.fnUntraced(function* (request: Request) {
  if (request.taskId !== undefined && request.kind === "new") return yield* start(request)
  if (TaskCreation.isLost(request) && !(yield* TaskCreation.mayRepeat(request)))
    return yield* startCreated(request, TaskCreation.find(request))
  const { channelId, guildId, userId } = request
  const action = { _tag: "StartTask", channelId, hidden: false } as const
  const decision = yield* Guard.askPolicyAgain(userId, guildId, action, maxMemberAgeMs)
  if (decision !== "allowed")
    return yield* StartAnswers.giveUp(request.requestId, {
      because: (messages) => refused(messages, decision, action)
    })
  if (request.kind === "opened") return yield* start(request)
  const creation = TaskCreation.create(request)
  return yield* (yield* ThreadCap.isNear(request))
    ? startInNewThread(request, creation)
    : startCreated(request, creation)
})

/** Opens the thread before the task is created. Where no task comes about, the thread is archived. */
const startInNewThread = <E extends { readonly _tag: string }, R>(
  request: Request,
  creation: Effect.Effect<TaskCreation.Creation, E, R>
) =>
  Effect.gen(function* () {
    const { channelId, guildId, userId } = request
    const api = yield* DiscordApi
    const title = titleOf(request, request.prompt)
    const task = { taskId: "", ownerId: userId, guildId, channelId }
    const messageId =
      request.messageId ?? (yield* postHeader(request, title, yield* (yield* TaskHeaders).accessText(task)))
    yield* api.createThread(channelId, messageId, truncate(title, 100))
    const created = Effect.tapError(creation, ({ _tag }) =>
      _tag === "Reauthorize" || _tag === "InsufficientScope" ? Effect.void : Effect.ignoreLogged(api.archive(messageId))
    )
    yield* startCreated({ ...request, messageId }, created)
  })

/** A thread gets its title once: few renames are allowed. */
const titleOf = ({ name }: Request, otherwise: string) => plainName(name ?? otherwise, 90)

/** Starts the task that was created, or tells that this is not known. */
const startCreated = <E, R>(request: Request, creation: Effect.Effect<TaskCreation.Creation, E, R>) =>
  Effect.flatMap(creation, (known) =>
    known._tag === "Created"
      ? start(request, known.task)
      : StartAnswers.tellUnknown(request, { candidates: known.candidates })
  )

/** How old an answer of Discord about a member may be, in milliseconds: as new as the command, unless that waited. */
const maxMemberAgeMs = 5000

const start = Effect.fnUntraced(function* (
  request: Request,
  created?: Extract<TaskCreation.Creation, { readonly _tag: "Created" }>["task"]
) {
  const api = yield* DiscordApi
  const requests = yield* Requests
  const { channelId, requestId, userId } = request
  const boundThread = request.threadId === undefined ? Option.none() : yield* (yield* Threads).find(request.threadId)
  if (Option.isSome(boundThread) && boundThread.value.taskId === request.taskId)
    return yield* startInThread(request, boundThread.value, Effect.void)

  const task = created ?? (yield* knownTask(request))
  const { taskId } = task
  const title = titleOf(request, task.name ?? request.prompt) || oneLine(taskId, 90)
  yield* requests.recordStep(requestId, { taskId })
  yield* TaskAgent.remember(request, task)

  const headers = yield* TaskHeaders
  const bound = { taskId, ownerId: userId, guildId: request.guildId, channelId }
  const access = yield* headers.accessText(bound)
  const messageId = request.messageId ?? (yield* postHeader(request, title, access))

  const threadId = request.threadId ?? (yield* api.createThread(channelId, messageId, truncate(title, 100)))
  const rows = yield* TaskHeaderRows
  const header = yield* rows.find(threadId)
  if (Option.isSome(header) && header.value.access !== access) yield* headers.update({ ...bound, threadId })
  if (Option.isNone(header)) {
    // The message that the thread is on is another's: the thread itself says what the header would say.
    const inThread = yield* api.create(threadId, { content: access }, { nonce: `a${requestId}`.slice(0, 25) })
    yield* rows.add({ threadId, channelId: threadId, messageId: inThread, words: "", access })
  }
  const now = yield* Clock.currentTimeMillis
  // In a post of a forum, what was said before the bot was asked is not for the task.
  const position = { threadId, lastSeenId: messageId }
  const thread = { ...position, guildId: request.guildId, channelId, ownerId: userId, taskId, name: title }
  const bindThread = transaction(
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
  yield* startInThread(request, thread, bindThread)
})

/** Reads the task of a request. One that the request has created needs only a name, and never seems not to be started. */
const knownTask = Effect.fnUntraced(function* ({ kind, openId, taskId = "", userId }: Request) {
  const id = TaskId.make(taskId)
  return yield* (yield* Accounts)
    .use(userId, ({ tasks }) => tasks.get(id), openId)
    .pipe(
      Effect.catchIf(
        (error) => kind === "new" && error._tag !== "Reauthorize",
        () => Effect.succeed({ taskId: id, name: undefined, agent: undefined })
      )
    )
})

/** Starts the task in its thread, and tells the person who started it. */
const startInThread = Effect.fnUntraced(function* (
  request: Request,
  { threadId }: Omit<Thread, "closed">,
  bindThread: Effect.Effect<unknown, never, Store>
) {
  const { requestId } = request
  const queues = yield* ChannelQueue
  const isDelivered = yield* Deferred.make<void>()
  const bindAndDeliver = bindThread.pipe(
    Effect.zipRight(ThreadOwner.deliver(threadId, requestId)),
    Effect.zipRight(Deferred.succeed(isDelivered, undefined))
  )
  const informInvoker = StartAnswers.tellStarted(request, threadId)
  yield* Effect.all(
    [
      // Messages from before the thread was bound come before new ones.
      queues.runAndWait(threadId, Effect.zipRight(bindAndDeliver, Backfill.read(threadId, { wasAway: false }))),
      // The person is told as soon as the task is delivered, while older messages are still read.
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
