import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { Draining } from "../concurrency/Draining.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import { tell } from "../messages/Explain.ts"
import { AccountUsage } from "../model/AccountUsage.ts"
import type * as Outbox from "../outbox/Outbox.ts"
import { isStoreFailure, retryWhileStoreFails } from "../store/database/RetryPolicy.ts"
import { type Entry, Inbox } from "../store/Inbox.ts"
import { languageOf } from "../store/Languages.ts"
import { type Thread, Threads } from "../store/Threads.ts"
import { type TurnRow, Turns } from "../store/Turns.ts"
import { reference } from "../text/Reference.ts"
import * as Interpreter from "./Interpreter.ts"
import * as LateOutput from "./LateOutput.ts"
import { kindOf, type OpenTurn, type Signal, type Signals } from "./OpenTurn.ts"
import * as Projection from "./session/Projection.ts"
import * as QueuedMessage from "./prompt/QueuedMessage.ts"
import * as StopTask from "./StopTask.ts"
import * as TurnPosts from "./TurnPosts.ts"
import * as TurnState from "./TurnState.ts"

/** What goes on after a turn, until the next one begins. */
export interface After {
  readonly scope: Scope.CloseableScope
  /** Waits until the channel of the turn before is closed: a stop on its way there must not reach the agent in this one. */
  readonly closed: Effect.Effect<void>
  /** Has an entry handled that was stored after the turn. */
  readonly handle: (eventId: string) => Effect.Effect<void>
}

/** How a turn is reached from outside while it runs. */
export const signals: Effect.Effect<Signals> = Effect.all({
  events: Queue.unbounded<Signal>(),
  requeued: Effect.makeLatch(true),
  shut: Deferred.make<never, Outbox.ThreadShut>()
})

/**
 * Makes sure that a stored message was handed to its task and that the answer is shown. It reads its rows before it acts,
 * so running it again goes on where it was cut off. `again`: the thread was closed and goes on already.
 */
export const run = Effect.fnUntraced(function* (eventId: string, signals: Signals, waited: boolean, after: After) {
  const inbox = yield* Inbox
  const found = yield* inbox.find(eventId)
  if (Option.isNone(found)) return over
  const thread = yield* (yield* Threads).find(found.value.threadId)
  if (Option.isNone(thread)) return yield* Effect.as(inbox.finish(eventId), over)
  if (thread.value.closed) {
    // Cut off after the thread was closed and before the task was stopped.
    if (["running", "cut"].includes(found.value.state)) yield* StopTask.insist(eventId, thread.value)
    return yield* cut(eventId)
  }
  yield* (yield* Draining).cut(QueuedMessage.refresh(found.value))
  const taken = yield* inbox.begin(eventId)
  if (Option.isNone(taken)) return over
  const outcome = yield* Effect.scoped(show(taken.value, thread.value, signals, waited, after)).pipe(
    Effect.tap((listening) =>
      listening === undefined
        ? Effect.void
        : Effect.forkIn(listen(thread.value.threadId, listening, after), after.scope)
    ),
    Effect.as(over),
    Effect.catchTag("ThreadShut", ({ known }) =>
      Effect.zipRight(closeThread(eventId, thread.value, known), cut(eventId))
    ),
    Effect.catchAllCause((cause) =>
      // What the store failed is done again, from its rows.
      Cause.isInterruptedOnly(cause) || isStoreFailure(cause)
        ? Effect.failCause(cause)
        : Effect.zipRight(report(taken.value, thread.value, cause), Effect.as(inbox.finish(eventId), over))
    )
  )
  yield* (yield* AccountUsage).turnEnded(thread.value.ownerId, thread.value.guildId)
  return outcome
})

const over = "over"

/** Leaves the message of a closed thread until the thread goes on, which it may do already. */
const cut = (eventId: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.cut(eventId)),
    (closed) => (closed ? over : "again")
  )

/** Has late output shown before the next message. */
const listen = Effect.fnUntraced(function* (threadId: string, listening: LateOutput.Listening, after: After) {
  if (!(yield* LateOutput.listen(listening))) return yield* Scope.close(after.scope, Exit.void)
  const stored = yield* retryWhileStoreFails("Late output", LateOutput.enqueue(threadId))
  if (Option.isSome(stored)) yield* after.handle(stored.value)
})

/** Runs a turn to its end and shows it; gives what late output is read from. */
const show = Effect.fnUntraced(function* (
  entry: Entry,
  thread: Thread,
  signals: Signals,
  waited: boolean,
  after: After
) {
  const turns = yield* Turns
  const row = yield* turns.begin(entry.eventId, thread.threadId, yield* Clock.currentTimeMillis)
  const reaching = (yield* Watchdog).watch(`The answer in thread ${thread.threadId}, which waits for the service,`)
  yield* Effect.addFinalizer(() => Effect.sync(reaching.rests))
  const turn: OpenTurn = {
    entry,
    thread,
    messages: yield* languageOf(thread.guildId),
    turn: row,
    state: TurnState.make(entry.eventId, entry.content, LateOutput.isLateOutput(entry)),
    uploadLimit: (yield* DiscordClient).uploadLimitOf(thread.guildId),
    events: signals.events,
    after: after.scope,
    closed: after.closed,
    reaching,
    waited
  }
  const posts = yield* TurnPosts.open(turn, signals)
  yield* Effect.forkScoped(
    Effect.catchAll(Deferred.await(signals.shut), ({ known }) =>
      Queue.offer(signals.events, { _tag: "ThreadClosed", known })
    )
  )
  const listening = yield* Interpreter.run(turn, posts, rowsOf(entry, row)).pipe(
    Effect.catchAllCause((cause) =>
      isOver(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.raceFirst(showCrash(turn, posts, cause), Deferred.await(signals.shut)), undefined)
    )
  )
  const { extent, session } = turn.state.get()
  const shown = session === undefined ? undefined : Projection.shown(session, extent)
  if (shown !== undefined) yield* turns.setShown(entry.eventId, shown)
  yield* (yield* Inbox).finish(entry.eventId)
  return shown === undefined || listening === undefined ? undefined : { ...listening, shown }
})

const rowsOf = (entry: Entry, { end, prompted, stopAsked }: TurnRow) => ({
  kind: kindOf(entry),
  hasFiles: entry.attachments.length > 0,
  prompted,
  stopAsked,
  recorded: end
})

/** Whether there is no need to tell why a turn failed: nobody can read it, or the turn goes on later. */
const isOver = (cause: Cause.Cause<unknown>): boolean =>
  Cause.isInterrupted(cause) || isStoreFailure(cause) || Cause.isFailure(cause)

/** Ends a turn that an error of the bot itself has ended, and says so. */
const showCrash = Effect.fnUntraced(function* (
  turn: OpenTurn,
  posts: TurnPosts.TurnPosts,
  cause: Cause.Cause<unknown>
) {
  const text = yield* logged(cause, turn.messages)
  yield* (yield* Draining).hold
  yield* TurnPosts.showEnd(turn, posts, { _tag: "Failed", text }, 0)
})

const closeThread = Effect.fnUntraced(function* (turnId: string, thread: Thread, known: boolean) {
  yield* Effect.logInfo(`Thread ${thread.threadId} is gone or locked; its task is stopped`)
  if (!known) yield* (yield* Threads).close(thread.threadId, yield* Clock.currentTimeMillis)
  yield* StopTask.insist(turnId, thread)
})

/** Logs an error of the bot itself under a reference, and gives the words that name it. */
const logged = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, messages: OpenTurn["messages"]) {
  const id = reference()
  yield* Effect.logError(`A turn failed (${id})`, cause)
  return tell(messages, messages.failures.internal(id))
})

/** Says in the thread that a turn failed that could not show it itself. */
const report = Effect.fnUntraced(function* (entry: Entry, thread: Thread, cause: Cause.Cause<unknown>) {
  const content = yield* logged(cause, yield* languageOf(thread.guildId))
  if (LateOutput.isLateOutput(entry)) return
  const api = yield* DiscordApi
  yield* retryWhileUnavailable(
    api.create(entry.threadId, { content }, { nonce: `x${entry.eventId}`.slice(0, 25) })
  ).pipe(Effect.catchAll((error) => Effect.logError("A failure could not be reported in its thread", error.message)))
})
