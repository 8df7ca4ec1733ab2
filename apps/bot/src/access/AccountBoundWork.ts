import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Interruptible from "../concurrency/Interruptible.ts"

/** The person disconnected or replaced the account while work ran on it. */
export class AccountEnded extends Data.TaggedError("AccountEnded") {}

/** How many pieces of work the service stopped with the account, and how many may go on there. */
export interface EndedWork {
  readonly stopped: number
  readonly continuing: number
}

/** Ends work together with the account that it runs on. Holds the state of this process only. */
export interface AccountBoundWork {
  /**
   * Runs work until {@link AccountBoundWork.end}. That interrupts the work, runs `cleanUp`, which returns whether the
   * service stopped it (undefined: that is not counted), and fails this effect with `AccountEnded`.
   */
  readonly run: <A, E, R, R2>(
    userId: string,
    work: Effect.Effect<A, E, R>,
    cleanUp: Effect.Effect<boolean | undefined, never, R2>
  ) => Effect.Effect<A, E | AccountEnded, R | R2>
  /** Ends all work on the account of a person; each has four seconds to clean up. */
  readonly end: (userId: string) => Effect.Effect<EndedWork>
}

interface BoundWork {
  /** Interrupts the work, once it has begun. */
  interrupt: (() => void) | undefined
  /** The account has ended. */
  isOver: boolean
  /** Whether the service stopped the work; undefined when it ended by itself. */
  readonly finished: Deferred.Deferred<boolean | undefined>
}

export const make = (): AccountBoundWork => {
  const running = new Map<string, Set<BoundWork>>()
  const begin = (userId: string) =>
    Effect.map(Deferred.make<boolean | undefined>(), (finished): BoundWork => {
      const entry: BoundWork = { interrupt: undefined, isOver: false, finished }
      running.set(userId, (running.get(userId) ?? new Set()).add(entry))
      return entry
    })
  const finish = (userId: string, entry: BoundWork) =>
    Effect.suspend(() => {
      const siblings = running.get(userId)
      siblings?.delete(entry)
      if (siblings?.size === 0) running.delete(userId)
      return Deferred.succeed(entry.finished, undefined)
    })
  return {
    run: (userId, work, cleanUp) =>
      Effect.acquireUseRelease(
        begin(userId),
        (entry) =>
          Interruptible.make(work, (interrupt) => {
            entry.interrupt = interrupt
            if (entry.isOver) interrupt()
          }).pipe(
            Effect.flatMap(Option.match({ onNone: () => new AccountEnded(), onSome: Effect.succeed })),
            Effect.tapErrorTag("AccountEnded", () =>
              Effect.flatMap(cleanUp, (stopped) => Deferred.succeed(entry.finished, stopped))
            )
          ),
        (entry) => finish(userId, entry)
      ),
    end: (userId) =>
      Effect.gen(function* () {
        const all = [...(running.get(userId) ?? [])]
        for (const entry of all) {
          entry.isOver = true
          entry.interrupt?.()
        }
        const outcomes = yield* Effect.forEach(all, ({ finished }) => withTimeout(Deferred.await(finished)), {
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
