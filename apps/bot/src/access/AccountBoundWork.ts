import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The person disconnected or replaced the account while work ran on it. */
export class AccountEnded extends Data.TaggedError("AccountEnded") {}

/** How many pieces of work the service stopped with the account, and how many may go on there. */
export interface EndedWork {
  readonly stopped: number
  readonly continuing: number
}

/** Tells whether the service stopped a piece of work; undefined is not counted. */
export type Finish = (isStopped: boolean | undefined) => void

/** Ends work together with the account that it runs on. Holds the state of this process only. */
export interface AccountBoundWork {
  /**
   * Notes that work runs on the account of a person until the scope ends. {@link AccountBoundWork.end} calls `onEnd`, and
   * waits until the function that it gives is called or the scope ends.
   */
  readonly begin: (userId: string, onEnd: (finish: Finish) => void) => Effect.Effect<void, never, Scope.Scope>
  /** Ends all work on the account of a person; each has four seconds to clean up. */
  readonly end: (userId: string) => Effect.Effect<EndedWork>
}

interface BoundWork {
  readonly onEnd: () => void
  /** Whether the service stopped the work, once the account has ended. */
  finished: Deferred.Deferred<boolean | undefined> | undefined
}

export const make = (): AccountBoundWork => {
  const running = new Map<string, Set<BoundWork>>()
  const enter = (userId: string, entry: BoundWork) => running.set(userId, (running.get(userId) ?? new Set()).add(entry))
  const leave = (userId: string, entry: BoundWork) => {
    const siblings = running.get(userId)
    siblings?.delete(entry)
    if (siblings?.size === 0) running.delete(userId)
  }
  return {
    begin: (userId, onEnd) =>
      Effect.suspend(() => {
        const finish: Finish = (isStopped) => {
          if (entry.finished !== undefined) Deferred.unsafeDone(entry.finished, Effect.succeed(isStopped))
        }
        const entry: BoundWork = { onEnd: () => onEnd(finish), finished: undefined }
        return Effect.acquireRelease(
          Effect.sync(() => void enter(userId, entry)),
          () =>
            Effect.sync(() => {
              leave(userId, entry)
              finish(undefined)
            })
        )
      }),
    end: (userId) =>
      Effect.gen(function* () {
        const fiberId = yield* Effect.fiberId
        const all = [...(running.get(userId) ?? [])]
        // Before any is told: one that ends meanwhile would complete nothing.
        const finished = all.map((entry) => (entry.finished ??= Deferred.unsafeMake<boolean | undefined>(fiberId)))
        for (const { onEnd } of all) onEnd()
        const outcomes = yield* Effect.forEach(finished, (finished) => withTimeout(Deferred.await(finished)), {
          concurrency: "unbounded"
        })
        return {
          stopped: outcomes.filter((isStopped) => isStopped === true).length,
          continuing: outcomes.filter((isStopped) => isStopped === false).length
        }
      })
  }
}

const withTimeout = (finished: Effect.Effect<boolean | undefined>) =>
  Effect.timeoutTo(finished, { duration: cleanUpTimeout, onSuccess: (isStopped) => isStopped, onTimeout: () => false })

/** How long work has to clean up when its account has ended. */
const cleanUpTimeout = "4 seconds"
