import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import { AccountUsage } from "../model/AccountUsage.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import { untilAnswered } from "../discord/Retry.ts"
import { Draining } from "../concurrency/Draining.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import { tell } from "../messages/Explain.ts"
import { type Languages, languageOf } from "../store/Languages.ts"
import type { Messages } from "../messages/Messages.ts"
import { reference } from "../text/Reference.ts"
import { isStoreFailure, untilStored } from "../store/database/UntilStored.ts"
import * as RequestCard from "../view/RequestCard.ts"
import * as Post from "../model/Post.ts"
import * as Waiters from "../view/Queue.ts"
import * as View from "../view/Turn.ts"
import * as CardLinks from "./CardLinks.ts"
import * as LateOutput from "./LateOutput.ts"
import { awaitStop } from "./Attempt.ts"
import { attend } from "./Supervisor.ts"
import type { End } from "../model/Conversation.ts"
import { type Entry, Inbox } from "../store/Inbox.ts"
import type { Control } from "./OpenTurn.ts"
import * as Outbox from "../outbox/Outbox.ts"
import type { PermissionRow } from "../store/PermissionRow.ts"
import { Permissions } from "../store/Permissions.ts"
import * as Projection from "./Projection.ts"
import { recheck } from "./Recheck.ts"
import * as StatusTag from "./StatusTag.ts"
import * as Permitted from "./Permitted.ts"
import * as StopTask from "./StopTask.ts"
import { type Thread, Threads } from "../store/Threads.ts"
import * as TurnState from "./TurnState.ts"
import { Turns } from "../store/Turns.ts"
import { Typing } from "../outbox/Typing.ts"

/** How a turn is reached from outside while it runs. */
export interface Signals {
  readonly control: Queue.Queue<Control>
  /** Opened when the messages that wait for the turn are others or say something else, and when the language changed. */
  readonly requeued: Effect.Latch
  /** Fails when nothing can be posted any more. */
  readonly shut: Deferred.Deferred<never, Outbox.ThreadShut>
}

/** What goes on after a turn, until the next one begins. */
export interface After {
  readonly scope: Scope.CloseableScope
  /** Waits until the channel of the turn before is closed: a stop on its way there must not reach the agent in this one. */
  readonly closed: Effect.Effect<void>
  /** Has an entry handled that was stored after the turn. */
  readonly handle: (eventId: string) => Effect.Effect<void>
}

export const signals: Effect.Effect<Signals> = Effect.all({
  control: Queue.unbounded<Control>(),
  requeued: Effect.makeLatch(true),
  shut: Deferred.make<never, Outbox.ThreadShut>()
})

/**
 * Makes sure that a stored message was handed to its task and that the answer is shown.
 * It looks at its own rows before it acts, so running it again continues where it was cut off. `waited` for another turn,
 * a message counts only if its author may still say it. `again`: the thread was closed and goes on already.
 */
export const run = Effect.fnUntraced(function* (eventId: string, signals: Signals, waited: boolean, after: After) {
  const inbox = yield* Inbox
  const found = yield* inbox.find(eventId)
  if (Option.isNone(found)) return over
  const thread = yield* (yield* Threads).find(found.value.threadId)
  if (Option.isNone(thread) || thread.value.closed) {
    // Cut off after the thread was closed and before the task was stopped.
    if (Option.isSome(thread) && ["running", "cut"].includes(found.value.state))
      yield* StopTask.insist(eventId, thread.value)
    return Option.isSome(thread) ? yield* cut(eventId) : yield* Effect.as(inbox.finish(eventId), over)
  }
  yield* (yield* Draining).cut(
    Effect.zipRight(recheck(found.value), Permitted.dropRefused(found.value, thread.value, waited))
  )
  const taken = yield* inbox.begin(eventId)
  if (Option.isNone(taken)) return over
  const outcome = yield* Effect.scoped(show(taken.value, thread.value, signals, after)).pipe(
    Effect.tap((heard) =>
      heard === undefined ? Effect.void : Effect.forkIn(listen(thread.value.threadId, heard, after), after.scope)
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

/** Has shown what the agent says after its answer, soon and before anybody writes again. */
const listen = Effect.fnUntraced(function* (threadId: string, heard: LateOutput.Heard, after: After) {
  if (!(yield* LateOutput.listen(heard))) return yield* Scope.close(after.scope, Exit.void)
  const owed = yield* untilStored("What was said late", LateOutput.owe(threadId))
  if (Option.isSome(owed)) yield* after.handle(owed.value)
})

const over = "over"

/** Leaves the message of a closed thread until the thread goes on, which it may do already. */
const cut = (eventId: string) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.cut(eventId)),
    (closed) => (closed ? over : "again")
  )

const show = Effect.fnUntraced(function* (
  entry: Entry,
  thread: Thread,
  { control, requeued, shut }: Signals,
  after: After
) {
  const { threadId } = thread
  const messages = yield* languageOf(thread.guildId)
  const { readsMessages } = yield* DiscordClient
  const startedAt = yield* Clock.currentTimeMillis
  const turns = yield* Turns
  const turn = yield* turns.begin(entry.eventId, threadId, startedAt)
  const permissions = yield* Permissions
  const isLateOutput = LateOutput.isLateOutput(entry)
  const state = TurnState.make(entry.eventId, entry.content, isLateOutput)
  const uploadLimit = (yield* DiscordClient).uploadLimitOf(thread.guildId)
  // The server may choose another language while the turn goes on.
  let spoken = { messages, view: View.view(thread.name, messages, uploadLimit) }
  const speak = Effect.map(languageOf(thread.guildId), (now) => {
    if (now !== spoken.messages) spoken = { messages: now, view: View.view(thread.name, now, uploadLimit) }
  })
  /** The post that the answer begins with: whoever reads it has to see which message it answers. */
  let opening: string | undefined
  const outbox = yield* Outbox.open({
    threadId,
    turnId: entry.eventId,
    late: entry.late,
    messages,
    over: shut,
    wanted: (isThere) => {
      const { messages, view } = spoken
      const { end, notice, permissions, waiting } = state.get()
      const until = notice?._tag === "Reconnect" ? "account" : permissions.some(isOpen) ? "question" : "answer"
      const answer = view(state.conversation(), isThere)
      opening = answer.find(({ key }) => !Post.isCard(key))?.key
      return {
        posts: [
          ...(entry.late ? [Waiters.late(messages)] : []),
          ...(entry.first && !readsMessages ? [Post.text("mentions", messages.help.mentionsOnly)] : []),
          // Before the text, which is never complete while it grows.
          ...(end === undefined ? Waiters.queue(waiting ?? nobody, until, messages) : []),
          ...answer
        ],
        goes: state.goes
      }
    },
    replyTo: (key) =>
      key !== opening || entry.first
        ? Effect.succeed(undefined)
        : Effect.map(turns.isApart(entry.eventId), (apart) => (apart ? entry.eventId : undefined)),
    load: (file) => (file.text === undefined ? state.load(file) : Effect.succeed(Buffer.from(file.text))),
    // Nobody can answer what is not there: the agent is refused and goes on.
    refused: (key) => {
      const asked = RequestCard.requestOf(key)
      return asked === undefined
        ? Effect.void
        : Effect.flatMap(permissions.unshown(asked), (open) =>
            open ? Effect.asVoid(Queue.offer(control, "Answered")) : Effect.void
          )
    }
  })
  // Cards that ask somebody, and what became of them, do not wait in line with growing text.
  const tag = yield* StatusTag.open(threadId, messages)
  if (!isLateOutput) tag.become("working")
  state.onChange((part) => {
    outbox.changed({ hurry: part.permissions !== undefined || part.notice !== undefined })
    if (!isLateOutput) tag.become(StatusTag.statusOf(state.get()))
  })
  const isAtWork = () => {
    const { end, notice, permissions } = state.get()
    return end === undefined && notice === undefined && !permissions.some(isOpen)
  }
  if (!isLateOutput) {
    yield* (yield* Typing).whileSilent(threadId, { changedAt: outbox.changedAt, isAtWork })
  }
  yield* Effect.forkScoped(watchQueue(threadId, requeued, state, speak))

  if (turn.stopAsked) {
    state.set({ stopAsked: true })
    yield* Queue.offer(control, "Stop")
  }
  const stopped = yield* Deferred.make<void>()
  const draining = yield* Draining
  const scope = yield* Effect.scope
  const reaching = (yield* Watchdog).watch(`The answer in thread ${threadId}, which waits for the service,`)
  yield* Effect.addFinalizer(() => Effect.sync(reaching.rests))
  let last: Omit<LateOutput.Heard, "shown"> | undefined
  const heard = (what: typeof last) => void (last = what)
  let nearlyDone = false
  const answered = Effect.suspend(() => {
    nearlyDone = true
    return Scope.extend(draining.hold, scope)
  })
  // A turn that had failed is only shown to its end, as far as that can be known.
  const failed =
    turn.end?._tag === "Failed"
      ? Effect.raceFirst(Effect.delay(Effect.succeed(turn.end), "30 seconds"), Deferred.await(shut))
      : Deferred.await(shut)
  const attended = yield* Effect.exit(
    draining.cut(
      Effect.raceFirst(
        attend({
          entry,
          thread,
          messages,
          turn,
          state,
          uploadLimit,
          control,
          answered,
          stopped,
          after: after.scope,
          closed: after.closed,
          heard,
          reaching
        }),
        failed
      ),
      () => nearlyDone
    )
  )
  reaching.rests()
  if (Exit.isFailure(attended) && isOver(attended.cause)) return yield* Effect.failCause(attended.cause)
  const end = Exit.isSuccess(attended) ? attended.value : yield* internal(attended.cause, messages)
  // Kept before it is shown, so that it is shown the same after a restart.
  if (turn.end === undefined) yield* turns.setEnd(entry.eventId, end)
  yield* permissions.withdrawAll(entry.eventId)
  state.set({
    notice: undefined,
    above: yield* CardLinks.of(thread, turn, state.get().cards),
    end,
    permissions: yield* permissions.ofTurn(entry.eventId)
  })
  // From here on nothing runs that could be stopped but the posting.
  yield* Effect.forkScoped(Effect.map(awaitStop({ control, entry, state }), () => state.set({ stopAsked: true })))
  yield* answered
  yield* Effect.raceFirst(Effect.zipRight(outbox.flush, tag.settled), Deferred.await(shut))
  const { extent, session } = state.get()
  const shown = session === undefined ? undefined : Projection.shown(session, extent)
  if (shown !== undefined) yield* turns.setShown(entry.eventId, shown)
  yield* (yield* Inbox).finish(entry.eventId)
  return shown === undefined || last === undefined ? undefined : { ...last, shown }
})

const nobody: Waiters.Line = { count: 0, several: false, first: [] }

const isOpen = ({ state }: PermissionRow): boolean => state === "open"

/** Keeps what is shown of the queue equal to its rows, and in the language of the server. */
const watchQueue = (
  threadId: string,
  requeued: Effect.Latch,
  state: TurnState.TurnState,
  speak: Effect.Effect<void, never, Languages>
) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    for (;;) {
      yield* requeued.await
      yield* requeued.close
      yield* untilStored("A language", speak)
      const waiting = yield* untilStored("A queue", inbox.queued(threadId, Waiters.most))
      const first = waiting.first.map((each) => ({ ...each, files: each.attachments.map(({ name }) => name) }))
      state.set({ waiting: { ...waiting, first } })
    }
  })

/** Whether there is nobody to tell why it failed, or no need to, since it goes on later. */
const isOver = (cause: Cause.Cause<unknown>): boolean =>
  Cause.isInterrupted(cause) ||
  isStoreFailure(cause) ||
  Option.exists(Cause.failureOption(cause), (error) => error instanceof Outbox.ThreadShut)

const closeThread = Effect.fnUntraced(function* (turnId: string, thread: Thread, known: boolean) {
  yield* Effect.logInfo(`Thread ${thread.threadId} is gone or locked; its task is stopped`)
  if (!known) yield* (yield* Threads).close(thread.threadId, yield* Clock.currentTimeMillis)
  yield* StopTask.insist(turnId, thread)
})

const internal = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, messages: Messages) {
  const id = reference()
  yield* Effect.logError(`A turn failed (${id})`, cause)
  return { _tag: "Failed", text: tell(messages, messages.failures.internal(id)) } satisfies End
})

const report = Effect.fnUntraced(function* (entry: Entry, thread: Thread, cause: Cause.Cause<unknown>) {
  const { text } = yield* internal(cause, yield* languageOf(thread.guildId))
  if (LateOutput.isLateOutput(entry)) return
  const api = yield* DiscordApi
  yield* untilAnswered(api.create(entry.threadId, { content: text }, { nonce: `x${entry.eventId}`.slice(0, 25) })).pipe(
    Effect.catchAll((error) => Effect.logError("A failure could not be reported in its thread", error.message))
  )
})
