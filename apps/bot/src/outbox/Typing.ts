import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"

/** The visible state of a turn. */
export interface Seen {
  /** The time of its last visible change, in epoch milliseconds; undefined before the first. */
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
    readonly whileSilent: (threadId: string, seen: Seen) => Effect.Effect<void, never, Scope.Scope>
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
    return yield* make(type, 1000 / (requestsPerSecond * share))
  })
)

/** Makes a service from one call; `leastMs` is the shortest time between two calls, in milliseconds. */
export const make = Effect.fnUntraced(function* (
  type: (threadId: string) => Effect.Effect<void>,
  leastMs: number
): Effect.fn.Return<Context.Tag.Service<typeof Typing>, never, Scope.Scope> {
  const threads = new Set<Thread>()
  const joined = yield* Effect.makeLatch(false)
  const calls = yield* Effect.makeSemaphore(mostCalls)

  /** The next thread to check, and when. */
  const next = () => {
    let first: { readonly thread: Thread; readonly at: number } | undefined
    for (const thread of threads) {
      const at = dueAt(thread)
      if (first === undefined || at < first.at) first = { thread, at }
    }
    return first
  }

  // One fiber for all threads, since thousands may be silent.
  yield* Effect.forkScoped(
    Effect.gen(function* () {
      for (;;) {
        yield* joined.close
        const now = yield* Clock.currentTimeMillis
        const found = next()
        if (found === undefined) yield* joined.await
        else if (found.at > now) yield* Effect.timeoutOption(joined.await, found.at - now)
        else {
          const { thread } = found
          thread.lookedAt = now
          if (!thread.seen.isAtWork()) continue
          yield* calls.take(1)
          yield* Effect.forkScoped(Effect.ensuring(type(thread.threadId), calls.release(1)))
          yield* Effect.sleep(leastMs)
        }
      }
    })
  )

  return {
    whileSilent: (threadId, seen) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const thread: Thread = { threadId, seen, lookedAt: undefined }
            threads.add(thread)
            joined.unsafeOpen()
            return thread
          }),
          (thread) => Effect.sync(() => threads.delete(thread))
        )
      )
  }
})

interface Thread {
  readonly threadId: string
  readonly seen: Seen
  /** The time of the last check; undefined before the first. */
  lookedAt: number | undefined
}

/** The newest messages' threads first, in order; then the longest overdue. */
const dueAt = ({ lookedAt, seen }: Thread): number =>
  Math.max((seen.changedAt() ?? never) + silence, lookedAt === undefined ? never : lookedAt + again)

const never = Number.NEGATIVE_INFINITY

/** The share of the token's calls. */
const share = 0.1

/** The limit of calls in flight. */
const mostCalls = 4

/** The silence after which readers need a sign, in milliseconds. */
const silence = 10_000

/** Discord shows the indicator for ten seconds. */
const again = 8000
