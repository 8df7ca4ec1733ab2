import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Subscriber, type Summary } from "./Subscriber.ts"

/**
 * Gives events and state changes to any number of readers, each at its own pace.
 *
 * Changes are not queued: a reader that comes back finds their names united and the newest state, so a slow reader
 * holds no history. Of the events it finds the newest few hundred.
 */
export interface Broadcast<Event> {
  readonly event: (event: Event) => void
  readonly change: (name: string) => void
  /** Lets every reader finish what it has and end. */
  readonly end: () => void
  readonly stream: Stream.Stream<Event>
  /** Gives what the stream would give to an effect, in batches, without the memory of a stream; ends with it. */
  readonly follow: <E, R>(
    use: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<void, E, R>
  /** Reads while an effect runs, and ends with what there was at its end. */
  readonly during: <R>(effect: Effect.Effect<void, never, R>) => Stream.Stream<Event, never, R>
}

/** Makes a broadcast without readers. What happens before the first reader comes is kept for that one. */
export const make = <Event>(summary: Summary<Event>): Broadcast<Event> => {
  const newSubscriber = () => new Subscriber(summary)
  let first: Subscriber<Event> | undefined = newSubscriber()
  const subscribers = new Set([first])
  let ended = false

  const enter = (take: () => Subscriber<Event>) =>
    Effect.sync(() => {
      const subscriber = take()
      subscriber.start()
      if (ended) subscriber.end()
      subscribers.add(subscriber)
      return subscriber
    })
  const leave = (subscriber: Subscriber<Event>) => Effect.sync(() => subscribers.delete(subscriber))
  const reading = (take: () => Subscriber<Event>) => Effect.acquireRelease(enter(take), leave)

  const takeFirst = () => {
    const subscriber = first ?? newSubscriber()
    first = undefined
    return subscriber
  }

  return {
    event: (event) => {
      for (const subscriber of subscribers) subscriber.event(event)
    },
    change: (name) => {
      // No reader has a state yet, so the first one starts with the whole state.
      for (const subscriber of subscribers) if (subscriber !== first) subscriber.change(name)
    },
    end: () => {
      ended = true
      for (const subscriber of subscribers) subscriber.end()
    },
    stream: Stream.suspend(() => Stream.unwrapScoped(Effect.map(reading(takeFirst), toStream))),
    follow: (use) => Effect.acquireUseRelease(enter(takeFirst), (subscriber) => drain(subscriber, use), leave),
    during: (effect) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const subscriber = yield* reading(newSubscriber)
          yield* Effect.forkScoped(
            Effect.ensuring(
              effect,
              Effect.sync(() => subscriber.end())
            )
          )
          return toStream(subscriber)
        })
      )
  }
}

// Taken only once the reader's fiber runs again: by then all that one piece of input brought is there.
const toStream = <Event>(subscriber: Subscriber<Event>): Stream.Stream<Event> =>
  Stream.repeatEffectChunkOption(
    Effect.flatMap(subscriber.arrival, () => {
      const events = subscriber.take()
      return events.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(events))
    })
  )

const drain = Effect.fnUntraced(function* <Event, E, R>(
  subscriber: Subscriber<Event>,
  use: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, E, R>
) {
  for (;;) {
    yield* subscriber.arrival
    const events = subscriber.take()
    if (events.length === 0) return
    yield* use(events)
  }
})
