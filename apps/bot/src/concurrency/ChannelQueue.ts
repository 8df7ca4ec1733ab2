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
    readonly add: <R>(channelId: string, todo: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
    /**
     * Adds an item behind the effects of the same channel. Consecutive waiting items with the same `all` form a batch of
     * at most {@link maxBatch}; one call of `all` handles it.
     */
    readonly addToBatch: <A, R>(
      channelId: string,
      one: A,
      all: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>
    ) => Effect.Effect<void, never, R>
    /** Adds an effect and waits for its result; after `end` it waits without limit. */
    readonly runAndWait: <A, E, R>(channelId: string, todo: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
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
  readonly all?: unknown
}

/** A queue without effects takes no memory. */
export const layer: Layer.Layer<ChannelQueue> = Layer.scoped(
  ChannelQueue,
  Effect.map(FiberSet.make<void>(), (fibers) => {
    const queues = new Map<string, Array<Todo>>()
    let ended = false
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
    const put = (channelId: string, todo: Todo) => {
      if (ended) return Effect.void
      const queue = queues.get(channelId)
      if (queue !== undefined) {
        queue.push(todo)
        return Effect.void
      }
      const fresh = [todo]
      queues.set(channelId, fresh)
      return Effect.asVoid(FiberSet.run(fibers, drain(channelId, fresh)))
    }
    const add = <R>(channelId: string, todo: Effect.Effect<void, never, R>) =>
      Effect.contextWithEffect((context: Context.Context<R>) => put(channelId, { run: Effect.provide(todo, context) }))
    return ChannelQueue.of({
      add,
      addToBatch: <A, R>(
        channelId: string,
        one: A,
        all: (batch: ReadonlyArray<A>) => Effect.Effect<void, never, R>
      ): Effect.Effect<void, never, R> =>
        Effect.contextWithEffect((context: Context.Context<R>) => {
          const last = queues.get(channelId)?.at(-1)
          if (last?.all === all && last.batch !== undefined && last.batch.length < maxBatch) {
            last.batch.push(one)
            return Effect.void
          }
          const batch = [one]
          return put(channelId, {
            run: Effect.provide(
              Effect.suspend(() => all(batch)),
              context
            ),
            batch,
            all
          })
        }),
      runAndWait: <A, E, R>(channelId: string, todo: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<A, E>()
          const tell = Effect.onExit(todo, (exit) =>
            // After `end` the effect has no result; the caller is about to end, too.
            exit._tag === "Failure" && Cause.isInterruptedOnly(exit.cause) ? Effect.void : Deferred.done(done, exit)
          )
          yield* add(
            channelId,
            Effect.catchAllCause(Effect.asVoid(tell), (cause) =>
              Cause.isInterruptedOnly(cause) ? Effect.interrupt : Effect.void
            )
          )
          return yield* Deferred.await(done)
        }),
      end: Effect.suspend(() => {
        ended = true
        return FiberSet.clear(fibers)
      })
    })
  })
)
