import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { BotSettings } from "../model/BotSettings.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"

/** What a reader sees of an agent. */
export interface Seen {
  /** When anything that it shows changed last, in epoch milliseconds; undefined before it shows anything. */
  readonly changedAt: () => number | undefined
  /** Whether it is at work, and does not wait for anybody. */
  readonly isAtWork: () => boolean
}

/**
 * Shows that agents are at work while nothing else tells it: before they show anything, and whenever that rests for long.
 * Such hints take a small share of the token's calls, however many agents are silent.
 */
export class Typing extends Context.Tag("@heddle/bot/Typing")<
  Typing,
  {
    /** Does so in a thread until the scope ends. */
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
        // Only a hint for the reader: the turn does not depend on it.
        Effect.logDebug("Typing could not be shown", error.message)
      )
    return yield* make(type, 1000 / (requestsPerSecond * share))
  })
)

/** Makes it of a way to show it once; between two of these is at least so much time, in milliseconds. */
export const make = Effect.fnUntraced(function* (
  type: (threadId: string) => Effect.Effect<void>,
  leastMs: number
): Effect.fn.Return<Context.Tag.Service<typeof Typing>, never, Scope.Scope> {
  const threads = new Set<Thread>()
  const joined = yield* Effect.makeLatch(false)
  const calls = yield* Effect.makeSemaphore(mostCalls)

  /** The thread that is looked at next, and when. */
  const next = () => {
    let first: { readonly thread: Thread; readonly at: number } | undefined
    for (const thread of threads) {
      const at = dueAt(thread)
      if (first === undefined || at < first.at) first = { thread, at }
    }
    return first
  }

  // One fiber for all threads: thousands may be silent.
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
  /** When it was last looked at whether there is anything to show; undefined before that. */
  lookedAt: number | undefined
}

/** Who has just written comes first, in the order of the threads' coming; then whose turn is overdue the longest. */
const dueAt = ({ lookedAt, seen }: Thread): number =>
  Math.max((seen.changedAt() ?? never) + silence, lookedAt === undefined ? never : lookedAt + again)

const never = Number.NEGATIVE_INFINITY

/** Of the calls of the token. */
const share = 0.1

/** So many calls may be under way. */
const mostCalls = 4

/** After so long a reader asks whether anything goes on, in milliseconds. */
const silence = 10_000

/** Discord shows it for ten seconds. */
const again = 8000
