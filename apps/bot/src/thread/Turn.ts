import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { Accounts } from "../connect/Accounts.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { english as messages } from "../messages/Messages.ts"
import { reference } from "../Reference.ts"
import * as View from "../view/Turn.ts"
import * as Attempt from "./Attempt.ts"
import type { End } from "./Conversation.ts"
import * as Failure from "./Failure.ts"
import { type Entry, Inbox } from "./Inbox.ts"
import * as Outbox from "./Outbox.ts"
import { Permissions } from "./Permissions.ts"
import { type Thread, Threads } from "./Threads.ts"
import * as TurnState from "./TurnState.ts"
import { Turns } from "./Turns.ts"

/** What reaches a turn from outside while it runs. */
export type Control = "Stop" | "Answered"

/**
 * Makes sure that a stored message was handed to its task and that the answer is shown.
 * It looks at its own rows before it acts, so running it again continues where it was cut off.
 */
export const run = Effect.fn("Turn.run")(function* (eventId: string, control: Queue.Queue<Control>) {
  const inbox = yield* Inbox
  const entry = yield* inbox.find(eventId)
  if (Option.isNone(entry) || entry.value.state === "done") return
  const thread = yield* (yield* Threads).find(entry.value.threadId)
  if (Option.isSome(thread) && !thread.value.closed) {
    yield* inbox.setState(eventId, "running")
    yield* unmark(entry.value)
    yield* Effect.scoped(show(entry.value, thread.value, control)).pipe(
      Effect.catchTag("ThreadShut", () => closeThread(thread.value)),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : report(entry.value, cause)
      )
    )
  }
  yield* inbox.setState(eventId, "done")
})

const show = Effect.fnUntraced(function* (entry: Entry, thread: Thread, control: Queue.Queue<Control>) {
  const { threadId } = thread
  const startedAt = yield* Clock.currentTimeMillis
  const turn = yield* (yield* Turns).begin(entry.eventId, threadId, startedAt)
  const state = TurnState.make(entry.eventId)
  const outbox = yield* Outbox.open({
    threadId,
    turnId: entry.eventId,
    wanted: Effect.sync(() => ({ posts: View.posts(state.conversation()), complete: state.complete() })),
    load: (file) => state.load(file)
  })
  // Cards that ask somebody, and what became of them, do not wait in line with growing text.
  state.onChange((part) => outbox.changed({ hurry: part.permissions !== undefined || part.notice !== undefined }))
  yield* Effect.forkScoped(typing(threadId, outbox))

  const attended = yield* Effect.exit(Effect.raceFirst(attend({ entry, thread, turn, state, control }), outbox.over))
  // From here on nothing runs that could be stopped.
  yield* Queue.shutdown(control)
  if (Exit.isFailure(attended) && (Cause.isInterrupted(attended.cause) || isShut(attended.cause))) {
    return yield* Effect.failCause(attended.cause)
  }
  const end = Exit.isSuccess(attended) ? attended.value : yield* internal(attended.cause)
  yield* (yield* Permissions).withdrawAll(entry.eventId)
  state.set({
    notice: undefined,
    end,
    permissions: yield* (yield* Permissions).ofTurn(entry.eventId)
  })
  yield* outbox.flush
})

/** Attempts the turn until it ends, over broken connections and ended authorizations. */
const attend = Effect.fnUntraced(function* (turn: Attempt.Turn) {
  const { state, thread } = turn
  const accounts = yield* Accounts
  const firstFailure = { at: undefined as number | undefined, count: 0 }
  for (;;) {
    const result = yield* Effect.either(Effect.scoped(Attempt.run(turn)))
    if (result._tag === "Right") return result.right
    const now = yield* Clock.currentTimeMillis
    firstFailure.at ??= now
    const remedy = Failure.remedy(result.left)
    switch (remedy._tag) {
      case "Explain":
        return { _tag: "Failed", text: remedy.text } satisfies End
      case "Reconnect": {
        const connected = accounts.awaitConnected(thread.ownerId)
        state.set({
          notice: { _tag: "Reconnect", text: messages.connectAgain(thread.ownerId), customId: "c1:connect" }
        })
        const stopped = yield* Effect.raceFirst(Effect.as(connected, false), Effect.as(Attempt.awaitStop(turn), true))
        state.set({ notice: undefined })
        if (stopped) return { _tag: "Failed", text: messages.notConnected } satisfies End
        firstFailure.at = undefined
        break
      }
      case "TryAgain": {
        if (now - firstFailure.at > patience) return { _tag: "Failed", text: remedy.text } satisfies End
        yield* Effect.logWarning(`Thread ${thread.threadId}: ${remedy.reason}; trying again`)
        state.set({ notice: { _tag: "Waiting", text: messages.waitingForService } })
        const stopped = yield* Effect.raceFirst(
          Effect.as(Effect.sleep(Math.min(10_000, 500 * 2 ** firstFailure.count++)), false),
          Effect.as(Attempt.awaitStop(turn), true)
        )
        if (stopped) return { _tag: "Failed", text: remedy.text } satisfies End
      }
    }
  }
})

/** How long a turn keeps trying while the service is away, in milliseconds. */
const patience = 15 * 60_000

const isShut = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error instanceof Outbox.ThreadShut)

/** Shows that something is being done, until there is something to read. */
const typing = (threadId: string, outbox: Outbox.Outbox) =>
  Effect.flatMap(DiscordApi, (api) =>
    api.typing(threadId).pipe(
      // Only a hint for the reader: the turn does not depend on it.
      Effect.catchAll((error) => Effect.logDebug("Typing could not be shown", error.message)),
      Effect.zipRight(Effect.sleep("8 seconds")),
      Effect.forever,
      Effect.raceFirst(outbox.visible)
    )
  )

const unmark = Effect.fnUntraced(function* (entry: Entry) {
  if (!entry.marked) return
  const api = yield* DiscordApi
  yield* api
    .unreact(entry.threadId, entry.eventId, "⏳")
    .pipe(Effect.catchAll((error) => Effect.logDebug("A reaction could not be removed", error.message)))
  yield* (yield* Inbox).mark(entry.eventId, false)
})

const closeThread = Effect.fnUntraced(function* (thread: Thread) {
  yield* Effect.logInfo(`Thread ${thread.threadId} is gone or locked; its task is left alone`)
  yield* (yield* Threads).close(thread.threadId, yield* Clock.currentTimeMillis)
})

const internal = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const id = reference()
  yield* Effect.logError(`A turn failed (${id})`, cause)
  return { _tag: "Failed", text: messages.internal(id) } satisfies End
})

const report = Effect.fnUntraced(function* (entry: Entry, cause: Cause.Cause<unknown>) {
  const { text } = yield* internal(cause)
  const api = yield* DiscordApi
  yield* api
    .create(entry.threadId, { content: text }, { nonce: `x${entry.eventId}`.slice(0, 25) })
    .pipe(Effect.catchAll((error) => Effect.logError("A failure could not be reported in its thread", error.message)))
})
