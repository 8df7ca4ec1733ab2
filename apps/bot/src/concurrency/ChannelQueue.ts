import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"

/** What is done in each channel, one after the other; what concerns other channels goes on beside it. */
export class ChannelQueue extends Context.Tag("@heddle/bot/ChannelQueue")<
  ChannelQueue,
  {
    /** Puts something to do behind everything that was added for the same channel. */
    readonly add: <R>(channelId: string, todo: Effect.Effect<void, never, R>) => Effect.Effect<void, never, R>
    /**
     * Puts one of several alike behind everything that was added for the same channel: those that follow each other, and
     * were not begun yet, are done by one call of `all`, at most {@link together} of them.
     */
    readonly gather: <A, R>(
      channelId: string,
      one: A,
      all: (these: ReadonlyArray<A>) => Effect.Effect<void, never, R>
    ) => Effect.Effect<void, never, R>
    /** Does the same and waits for its end; after the lanes were ended, for ever. */
    readonly within: <A, E, R>(channelId: string, todo: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Cuts everything that is under way and begins nothing any more. */
    readonly end: Effect.Effect<void>
  }
>() {}

/** How many are done at once: as many as are read at once. */
const together = 100

interface Todo {
  readonly run: Effect.Effect<void>
  /** Those that are gathered to be done together, and by what. */
  readonly these?: Array<unknown>
  readonly all?: unknown
}

/** A lane without anything to do takes no memory. */
export const layer: Layer.Layer<ChannelQueue> = Layer.scoped(
  ChannelQueue,
  Effect.map(FiberSet.make<void>(), (fibers) => {
    const lanes = new Map<string, Array<Todo>>()
    let ended = false
    const drain = (channelId: string, lane: Array<Todo>) =>
      Effect.gen(function* () {
        for (let next = lane.shift(); next !== undefined; next = lane.shift()) {
          // What fails does not keep what comes behind it from being done.
          yield* Effect.catchAllCause(next.run, (cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.logError(`Something that happened in channel ${channelId} could not be handled`, cause)
          )
        }
        lanes.delete(channelId)
      })
    const put = (channelId: string, todo: Todo) => {
      if (ended) return Effect.void
      const lane = lanes.get(channelId)
      if (lane !== undefined) {
        lane.push(todo)
        return Effect.void
      }
      const fresh = [todo]
      lanes.set(channelId, fresh)
      return Effect.asVoid(FiberSet.run(fibers, drain(channelId, fresh)))
    }
    const add = <R>(channelId: string, todo: Effect.Effect<void, never, R>) =>
      Effect.contextWithEffect((context: Context.Context<R>) => put(channelId, { run: Effect.provide(todo, context) }))
    return ChannelQueue.of({
      add,
      gather: <A, R>(
        channelId: string,
        one: A,
        all: (these: ReadonlyArray<A>) => Effect.Effect<void, never, R>
      ): Effect.Effect<void, never, R> =>
        Effect.contextWithEffect((context: Context.Context<R>) => {
          const last = lanes.get(channelId)?.at(-1)
          if (last?.all === all && last.these !== undefined && last.these.length < together) {
            last.these.push(one)
            return Effect.void
          }
          const these = [one]
          return put(channelId, {
            run: Effect.provide(
              Effect.suspend(() => all(these)),
              context
            ),
            these,
            all
          })
        }),
      within: <A, E, R>(channelId: string, todo: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const done = yield* Deferred.make<A, E>()
          const tell = Effect.onExit(todo, (exit) =>
            // What the end of the lanes has cut is not done: whoever waits for it is about to end, too.
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
