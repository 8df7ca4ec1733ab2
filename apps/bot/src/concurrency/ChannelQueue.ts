import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"

/** Runs the effects of each channel one after the other; channels do not wait for each other. */
export class ChannelQueue extends Context.Tag("@heddle/bot/ChannelQueue")<
  ChannelQueue,
  {
    /** Adds an effect behind those of the same channel. */
    readonly add: <R>(channelId: string, effect: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
    /**
     * Adds an item behind the effects of the same channel. Consecutive waiting items with the same `handleBatch` form a
     * batch of at most {@link maxBatch}; one call of `handleBatch` handles it.
     */
    readonly addToBatch: <A, R>(
      channelId: string,
      item: A,
      handleBatch: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>
    ) => Effect.Effect<void, never, R>
    /** Adds an effect and waits for its result; after `end` it waits without limit. */
    readonly runAndWait: <A, E, R>(channelId: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Interrupts the running effects and starts no more. */
    readonly end: Effect.Effect<void>
  }
>() {}

/** Maximum number of items in a batch: the messages that Discord returns in one page. */
const maxBatch = 100

interface Todo {
  readonly run: Effect.Effect<void>
  /** The items of a batch, and the function that handles them. */
  readonly batch?: Array<unknown>
  readonly handleBatch?: unknown
}

/** A queue without effects takes no memory. */
export const layer: Layer.Layer<ChannelQueue> = Layer.scoped(
  ChannelQueue,
  Effect.map(FiberSet.make<void>(), (fibers) => {
    const queues = new Map<string, Array<Todo>>()
    let hasEnded = false
    const drain = (channelId: string, queue: Array<Todo>) =>
      Effect.gen(function* () {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          // After a failure the next effects still run.
          yield* Effect.catchAllCause(next.run, (cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.logError(`Something that happened in channel ${channelId} could not be handled`, cause)
          )
        }
        queues.delete(channelId)
      })
    const put = (channelId: string, effect: Todo) => {
      if (hasEnded) return Effect.void
      const queue = queues.get(channelId)
      if (queue !== undefined) {
        queue.push(effect)
        return Effect.void
      }
      const created = [effect]
      queues.set(channelId, created)
      return Effect.asVoid(FiberSet.run(fibers, drain(channelId, created)))
    }
    const add = <R>(channelId: string, effect: Effect.Effect<void, never, R>) =>
      Effect.contextWithEffect((context: Context.Context<R>) =>
        put(channelId, { run: Effect.provide(effect, context) })
      )
    return ChannelQueue.of({
      add,
      addToBatch: <A, R>(
        channelId: string,
        item: A,
        handleBatch: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>
      ): Effect.Effect<void, never, R> =>
        Effect.contextWithEffect((context: Context.Context<R>) => {
          const newest = queues.get(channelId)?.at(-1)
          if (newest?.handleBatch === handleBatch && newest.batch !== undefined && newest.batch.length < maxBatch) {
            newest.batch.push(item)
            return Effect.void
          }
          const batch = [item]
          return put(channelId, {
            run: Effect.provide(
              Effect.suspend(() => handleBatch(batch)),
              context
            ),
            batch,
            handleBatch
          })
        }),
      runAndWait: <A, E, R>(channelId: string, effect: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<A, E>()
          const runAndReport = Effect.onExit(effect, (exit) =>
            // After `end` the effect has no result; the caller is about to end, too.
            exit._tag === "Failure" && Cause.isInterruptedOnly(exit.cause) ? Effect.void : Deferred.done(done, exit)
          )
          yield* add(
            channelId,
            Effect.catchAllCause(Effect.asVoid(runAndReport), (cause) =>
              Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.void
            )
          )
          return yield* Deferred.await(done)
        }),
      end: Effect.suspend(() => {
        hasEnded = true
        return FiberSet.clear(fibers)
      })
    })
  })
)
