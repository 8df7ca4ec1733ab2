import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BotSettings } from "../model/BotSettings.ts"
import * as RateBudget from "./RateBudget.ts"

/** Paces the calls of one token: one at a time per bucket, by priority, never faster than Discord allows. */
export class RateLimiter extends Context.Tag("@heddle/bot/RateLimiter")<
  RateLimiter,
  {
    /**
     * Waits for a slot of a bucket and uses it for one call. The call is chosen in the slot, so that it sends the
     * newest state. A caller with nothing to send calls `markUnused`, and the slot is free. A waiting request's rank may be
     * replaced, followed by {@link reconsider}.
     */
    readonly withSlot: <A, E, R>(
      request: RateBudget.SlotRequest,
      use: (markUnused: () => void) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Selects again after a rank has changed. */
    readonly reconsider: () => void
    /** Reads the rate limit headers of a response. */
    readonly learn: (bucket: string, state: RateBudget.BucketState) => void
    /** Discord answered 429: everything, or only its bucket, rests. */
    readonly pause: (what: "all" | { readonly bucket: string }, forMs: number) => void
    /** The monotonic time of ranks, in milliseconds. */
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
    const waiting = new Map<RateBudget.SlotRequest, Deferred.Deferred<void>>()
    const latch = yield* Effect.makeLatch(false)
    const reconsider = () => void latch.unsafeOpen()

    const decide = Effect.suspend(() => {
      latch.unsafeClose()
      const decision = budget.next(waiting.keys(), now())
      switch (decision._tag) {
        case "Go": {
          const granted = waiting.get(decision.request)
          waiting.delete(decision.request)
          budget.take(decision.request.bucket, now())
          if (granted !== undefined) Deferred.unsafeDone(granted, Effect.void)
          return Effect.void
        }
        case "Wait":
          return Effect.asVoid(Effect.timeoutOption(latch.await, Math.max(1, Math.ceil(decision.until - now()))))
        case "Idle":
          return latch.await
      }
    })
    yield* Effect.forkScoped(Effect.forever(decide))

    return RateLimiter.of({
      withSlot: (request, use) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const granted = yield* Deferred.make<void>()
            let used = false
            waiting.set(request, granted)
            reconsider()
            const call = Effect.suspend(() => {
              used = true
              const markUnused = () => void (used = false)
              return use(markUnused)
            })
            return yield* restore(Effect.zipRight(Deferred.await(granted), call)).pipe(
              Effect.ensuring(
                Effect.sync(() => {
                  // A request that is still in the list was interrupted while it waited.
                  if (!waiting.delete(request)) budget.release(request.bucket, used, now())
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
