import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { Draining } from "../concurrency/Draining.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { tell } from "../messages/Explain.ts"
import { AccountUsage } from "../model/AccountUsage.ts"
import { BotSettings } from "../model/BotSettings.ts"
import type * as Outbox from "../outbox/Outbox.ts"
import { isStoreFailure } from "../store/database/RetryPolicy.ts"
import { Inbox, type InboxEntry, isLateOutput, turnKind } from "../store/Inbox.ts"
import { messagesFor } from "../store/Languages.ts"
import { type Thread, Threads } from "../store/Threads.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"
import { reference } from "../text/Reference.ts"
import * as ChannelSilence from "./ChannelSilence.ts"
import * as Interpreter from "./Interpreter.ts"
import * as LateOutput from "./LateOutput.ts"
import type { OpenTurn, Signal, Signals } from "./OpenTurn.ts"
import * as SessionHistory from "./session/history/SessionHistory.ts"
import * as Prompt from "./prompt/Prompt.ts"
import * as StopTask from "./StopTask.ts"
import * as TurnPosts from "./TurnPosts.ts"
import * as TurnState from "./TurnState.ts"

/** What a turn has from the owner of its thread. */
export interface OwnerContext extends Pick<OpenTurn, "ownerScope" | "threadChannel" | "wasQueued"> {
  readonly signals: Signals
}

/** The signals that a running turn receives. */
export const signals: Effect.Effect<Signals> = Effect.all({
  events: Queue.unbounded<Signal>(),
  threadShut: Deferred.make<never, Outbox.ThreadShut>()
})

/** How the run of a turn ended; `Again`: the thread was closed meanwhile and is open again. */
export interface Outcome {
  readonly _tag: "Again" | "Done"
  /** Where late output comes from after the turn. */
  readonly lateOutput?: LateOutput.LateOutputSource | undefined
  /** The entry whose turn comes next, before the messages that wait. */
  readonly next?: string | undefined
}

/**
 * Sends a stored message to its task and shows the answer. It reads its rows before it acts, so another run resumes where
 * the last one was interrupted.
 */
export const run = Effect.fnUntraced(function* (eventId: string, owner: OwnerContext) {
  const inbox = yield* Inbox
  const stored = yield* inbox.find(eventId)
  if (Option.isNone(stored)) return done
  const thread = yield* (yield* Threads).find(stored.value.threadId)
  if (Option.isNone(thread)) return yield* Effect.as(inbox.finish(eventId), done)
  if (thread.value.closed) {
    // The bot stopped after the thread was closed and before the task was stopped.
    if (["running", "cut"].includes(stored.value.state)) yield* StopTask.cancelRunWithRetries(eventId, thread.value)
    return yield* markInterrupted(eventId)
  }
  yield* (yield* Draining).cut(Prompt.refresh(stored.value))
  const taken = yield* inbox.begin(eventId)
  const next = Effect.map(inbox.nextFiles(thread.value.threadId), Option.getOrUndefined)
  if (Option.isNone(taken)) return { ...done, next: yield* next }
  const outcome = yield* Effect.scoped(runAndShow(taken.value, thread.value, owner)).pipe(
    Effect.map((lateOutput): Outcome => ({ ...done, lateOutput })),
    Effect.catchTag("ThreadShut", ({ isRowClosed }) =>
      Effect.zipRight(closeThread(eventId, thread.value, isRowClosed), markInterrupted(eventId))
    ),
    Effect.catchAllCause((cause) =>
      // After a store failure the turn runs again, from its rows.
      Cause.isInterruptedOnly(cause) || isStoreFailure(cause)
        ? Effect.failCause(cause)
        : Effect.zipRight(postCrashNotice(taken.value, thread.value, cause), Effect.as(inbox.finish(eventId), done))
    )
  )
  yield* (yield* AccountUsage).turnEnded(thread.value.ownerId, thread.value.guildId)
  return { ...outcome, next: yield* next }
})

const done: Outcome = { _tag: "Done" }

/** Marks the message of a closed thread as cut, until the thread is open again. */
const markInterrupted = (eventId: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.markInterrupted(eventId)),
    (closed): Outcome => (closed ? done : { _tag: "Again" })
  )

/** Runs a turn to its end and shows it. Returns the source of its late output. */
const runAndShow = Effect.fnUntraced(function* (
  entry: InboxEntry,
  thread: Thread,
  { signals, ...owner }: OwnerContext
) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, yield* Clock.currentTimeMillis)
  const channelWatch = (yield* Watchdog).watch(`The answer in thread ${thread.threadId}, which waits for the service,`)
  yield* Effect.addFinalizer(() => Effect.sync(channelWatch.setIdle))
  const state = TurnState.make(entry.eventId, entry.content, isLateOutput(entry))
  const turn: OpenTurn = {
    entry,
    thread,
    messages: yield* messagesFor(thread.guildId),
    row,
    state,
    silentMs: yield* ChannelSilence.make(state),
    uploadLimit: (yield* DiscordClient).uploadLimitOf(thread.guildId),
    events: signals.events,
    channelWatch,
    ...owner
  }
  const posts = yield* TurnPosts.open(turn, signals)
  const { initialPrompt } = yield* BotSettings
  const source = yield* Interpreter.run(turn, posts, { ...machineRows(entry, row), initialPrompt }).pipe(
    Effect.catchAllCause((cause) =>
      needsNoPost(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.raceFirst(showCrash(turn, posts, cause), Deferred.await(signals.threadShut)), undefined)
    )
  )
  const end = yield* LateOutput.beginning(turn)
  if (end?.isOwn === true) yield* turns.setShown(entry.eventId, end.shown)
  else if (entry.first && row.baseline === undefined) yield* setUnopened(entry.eventId)
  yield* (yield* Inbox).finish(entry.eventId)
  return end === undefined || source === undefined ? undefined : { ...source, ...end }
})

/** What the agent says to a first prompt whose turn ended without a session is late output. */
const setUnopened = Effect.fnUntraced(function* (turnId: string) {
  const turns = yield* Turns
  yield* turns.setBaseline(turnId, SessionHistory.unopened.baseline)
  yield* turns.setShown(turnId, SessionHistory.unopened.shown)
})

const machineRows = (entry: InboxEntry, { end, prompted, stopAsked }: TurnRow) => ({
  kind: turnKind(entry),
  prompted,
  stopAsked,
  storedEnd: end
})

/** Whether a failure needs no post: the thread is closed, or the turn runs again later. */
const needsNoPost = (cause: Cause.Cause<unknown>): boolean =>
  Cause.isInterrupted(cause) || isStoreFailure(cause) || Cause.isFailure(cause)

/** Ends a turn after an error of the bot itself, and shows that it failed. */
const showCrash = Effect.fnUntraced(function* (
  turn: OpenTurn,
  posts: TurnPosts.TurnPosts,
  cause: Cause.Cause<unknown>
) {
  const text = yield* logCrash(cause, turn.messages)
  yield* (yield* Draining).hold
  yield* TurnPosts.showEnd(turn, posts, { _tag: "Failed", text }, 0)
})

const closeThread = Effect.fnUntraced(function* (turnId: string, thread: Thread, isRowClosed: boolean) {
  yield* Effect.logInfo(`Thread ${thread.threadId} is gone or locked; its task is stopped`)
  if (!isRowClosed) yield* (yield* Threads).close(thread.threadId, yield* Clock.currentTimeMillis)
  yield* StopTask.cancelRunWithRetries(turnId, thread)
})

/** Logs an error of the bot itself under a reference. Returns the text that names the reference. */
const logCrash = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, messages: OpenTurn["messages"]) {
  const id = reference()
  yield* Effect.logError(`A turn failed (${id})`, cause)
  return tell(messages, messages.failures.internal(id))
})

/** Posts that a turn failed, when the turn could not show it itself. */
const postCrashNotice = Effect.fnUntraced(function* (entry: InboxEntry, thread: Thread, cause: Cause.Cause<unknown>) {
  const content = yield* logCrash(cause, yield* messagesFor(thread.guildId))
  if (isLateOutput(entry)) return
  const api = yield* DiscordApi
  yield* retryWhileUnavailable(
    api.create(entry.threadId, { content }, { nonce: `x${entry.eventId}`.slice(0, 25) })
  ).pipe(Effect.catchAll((error) => Effect.logError("A failure could not be reported in its thread", error.message)))
})
