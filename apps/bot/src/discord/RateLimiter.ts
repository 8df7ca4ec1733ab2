import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotSettings } from "../model/BotSettings.ts"
import * as RateBudget from "./RateBudget.ts"

/** Lets the calls of one token through, one at a time per bucket, in the order of their worth and never faster than Discord allows. */
export class RateLimiter extends Context.Tag("@heddle/bot/RateLimiter")<
  RateLimiter,
  {
    /**
     * Waits for a turn in a bucket and uses it for one call, which is decided only then, so that what is sent is the
     * newest. A use that finds nothing to call says `unused`, and the turn costs nothing. Until its turn comes, `rank`
     * is asked whenever it is decided who is next.
     */
    readonly turn: <A, E, R>(
      ask: RateBudget.Ask,
      use: (unused: () => void) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Decides again, since a rank has changed. */
    readonly reconsider: () => void
    /** What an answer told about the bucket of its call. */
    readonly learn: (bucket: string, state: RateBudget.BucketState) => void
    /** Discord refused a call: what it names rests. */
    readonly pause: (what: "all" | { readonly bucket: string }, forMs: number) => void
    /** The time by which ranks are compared, in milliseconds; it never jumps. */
    readonly now: () => number
  }
>() {}

export const layer: Layer.Layer<RateLimiter, never, BotSettings> = Layer.scoped(
  RateLimiter,
  Effect.gen(function* () {
    const { editIntervalMs, requestsPerSecond } = yield* BotSettings
    const budget = RateBudget.make({ perSecond: requestsPerSecond, gapMs: editIntervalMs })
    const clock = yield* Effect.clock
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    const waiting = new Set<Waiting>()
    const latch = yield* Effect.makeLatch(false)
    const reconsider = () => void latch.unsafeOpen()

    yield* Effect.forkScoped(
      Effect.gen(function* () {
        for (;;) {
          latch.unsafeClose()
          const decision = budget.next(waiting, now())
          switch (decision._tag) {
            case "Go":
              budget.take(decision.ask.bucket, now())
              waiting.delete(decision.ask)
              decision.ask.granted = true
              Deferred.unsafeDone(decision.ask.go, Effect.void)
              break
            case "Wait":
              yield* Effect.timeoutOption(latch.await, Math.max(1, Math.ceil(decision.until - now())))
              break
            case "Idle":
              yield* latch.await
          }
        }
      })
    )

    return RateLimiter.of({
      turn: (ask, use) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const mine: Waiting = { ...ask, go: yield* Deferred.make<void>(), granted: false }
            let used = false
            waiting.add(mine)
            reconsider()
            return yield* restore(
              Effect.zipRight(
                Deferred.await(mine.go),
                Effect.suspend(() => {
                  used = true
                  return use(() => {
                    used = false
                  })
                })
              )
            ).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  waiting.delete(mine)
                  if (mine.granted) budget.giveBack(mine.bucket, used, now())
                  reconsider()
                })
              )
            )
          })
        ),
      reconsider,
      learn: (bucket, state) => budget.learn(bucket, state, now()),
      pause: (what, forMs) => budget.pause(what, forMs, now()),
      now
    })
  })
)

interface Waiting extends RateBudget.Ask {
  readonly go: Deferred.Deferred<void>
  granted: boolean
}
