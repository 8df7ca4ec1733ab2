import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"

/** The visible state of a turn. */
export interface VisibleTurn {
  /** The time of its last visible change, in milliseconds of the monotonic clock; undefined before the first. */
  readonly changedAt: () => number | undefined
  /** Whether the agent works and does not wait for a person. */
  readonly isAtWork: () => boolean
}

/**
 * Shows the typing indicator of working agents before their first post and during long pauses. The indicators use a
 * small share of the token's calls, independent of the number of agents.
 */
export class Typing extends Context.Tag("@heddle/bot/Typing")<
  Typing,
  {
    /** Shows it in a thread until the scope ends. */
    readonly whileSilent: (threadId: string, turn: VisibleTurn) => Effect.Effect<void, never, Scope.Scope>
  }
>() {}

export const layer: Layer.Layer<Typing, never, BotSettings | DiscordApi> = Layer.scoped(
  Typing,
  Effect.gen(function* () {
    const api = yield* DiscordApi
    const { requestsPerSecond } = yield* BotSettings
    const type = (threadId: string) =>
      Effect.catchAll(api.typing(threadId), (error) =>
        // The turn does not depend on this hint.
        Effect.logDebug("Typing could not be shown", error.message)
      )
    return yield* make(type, 1000 / (requestsPerSecond * callShare))
  })
)

/** Makes a service from one call; `minIntervalMs` is the shortest time between two calls, in milliseconds. */
export const make = Effect.fnUntraced(function* (
  type: (threadId: string) => Effect.Effect<void>,
  minIntervalMs: number
): Effect.fn.Return<Context.Tag.Service<typeof Typing>, never, Scope.Scope> {
  const threads = new Set<Thread>()
  const threadAdded = yield* Effect.makeLatch(false)
  const calls = yield* Effect.makeSemaphore(maxConcurrentCalls)

  /** The next thread to check, and when. */
  const nextDue = () => {
    let earliest: { readonly thread: Thread; readonly at: number } | undefined
    for (const thread of threads) {
      const at = dueAt(thread)
      if (earliest === undefined || at < earliest.at) earliest = { thread, at }
    }
    return earliest
  }

  // One fiber for all threads, since thousands may be silent.
  yield* Effect.forkScoped(
    Effect.gen(function* () {
      for (;;) {
        yield* threadAdded.close
        const now = yield* MonotonicClock.now
        const due = nextDue()
        if (due === undefined) yield* threadAdded.await
        else if (due.at > now) yield* Effect.timeoutOption(threadAdded.await, due.at - now)
        else {
          const { thread } = due
          thread.checkedAt = now
          if (!thread.turn.isAtWork()) continue
          yield* calls.take(1)
          yield* Effect.forkScoped(Effect.ensuring(type(thread.threadId), calls.release(1)))
          yield* Effect.sleep(minIntervalMs)
        }
      }
    })
  )

  return {
    whileSilent: (threadId, turn) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const thread: Thread = { threadId, turn, checkedAt: undefined }
            threads.add(thread)
            threadAdded.unsafeOpen()
            return thread
          }),
          (thread) => Effect.sync(() => threads.delete(thread))
        )
      )
  }
})

interface Thread {
  readonly threadId: string
  readonly turn: VisibleTurn
  /** The time of the last check; undefined before the first. */
  checkedAt: number | undefined
}

/** The newest messages' threads first, in order; then the longest overdue. */
const dueAt = ({ checkedAt: lookedAt, turn: seen }: Thread): number =>
  Math.max((seen.changedAt() ?? never) + silenceMs, lookedAt === undefined ? never : lookedAt + repeatMs)

const never = Number.NEGATIVE_INFINITY

/** The share of the token's calls. */
const callShare = 0.1

/** The limit of calls in flight. */
const maxConcurrentCalls = 4

/** The silence after which readers need a sign, in milliseconds. */
const silenceMs = 10_000

/** Discord shows the indicator for ten seconds. */
const repeatMs = 8000
