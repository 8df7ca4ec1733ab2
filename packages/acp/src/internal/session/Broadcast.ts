import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Subscriber, type Summary } from "./Subscriber.ts"

/**
 * Gives events and state changes to any number of readers, each at its own pace.
 *
 * Changes are not queued: a reader that comes back finds their names united and the newest state, so a slow reader
 * holds no history. Of the events it finds the newest few hundred. What happens before the first reader comes is kept for
 * that one.
 */
export class Broadcast<Event> {
  readonly #summary: Summary<Event>
  readonly #subscribers = new Set<Subscriber<Event>>()
  #first: Subscriber<Event> | undefined
  #ended = false

  constructor(summary: Summary<Event>) {
    this.#summary = summary
    this.#first = new Subscriber(summary)
    this.#subscribers.add(this.#first)
  }

  event(event: Event): void {
    for (const subscriber of this.#subscribers) subscriber.event(event)
  }

  change(name: string): void {
    // No reader has a state yet, so the first one starts with the whole state.
    for (const subscriber of this.#subscribers) if (subscriber !== this.#first) subscriber.change(name)
  }

  /** Lets every reader finish what it has and end. */
  end(): void {
    this.#ended = true
    for (const subscriber of this.#subscribers) subscriber.end()
  }

  stream(): Stream.Stream<Event> {
    return Stream.unwrapScoped(Effect.map(this.#reading(true), toStream))
  }

  /** Gives what the stream would give to an effect, in batches, without the memory of a stream; ends with it. */
  follow<E, R>(use: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, E, R>): Effect.Effect<void, E, R> {
    return Effect.acquireUseRelease(
      this.#enter(true),
      (subscriber) => drain(subscriber, use),
      (subscriber) => this.#leave(subscriber)
    )
  }

  /** Reads while an effect runs, and ends with what there was at its end. */
  during<R>(effect: Effect.Effect<void, never, R>): Stream.Stream<Event, never, R> {
    return Stream.unwrapScoped(
      Effect.tap(this.#reading(false), (subscriber) =>
        Effect.forkScoped(
          Effect.ensuring(
            effect,
            Effect.sync(() => subscriber.end())
          )
        )
      ).pipe(Effect.map(toStream))
    )
  }

  #reading(mayBeFirst: boolean) {
    return Effect.acquireRelease(this.#enter(mayBeFirst), (subscriber) => this.#leave(subscriber))
  }

  /** Adds a reader; the first one gets what was kept for it. */
  #enter(mayBeFirst: boolean): Effect.Effect<Subscriber<Event>> {
    return Effect.sync(() => {
      const kept = mayBeFirst ? this.#first : undefined
      if (kept !== undefined) this.#first = undefined
      const subscriber = kept ?? new Subscriber(this.#summary)
      subscriber.start()
      if (this.#ended) subscriber.end()
      this.#subscribers.add(subscriber)
      return subscriber
    })
  }

  #leave(subscriber: Subscriber<Event>): Effect.Effect<unknown> {
    return Effect.sync(() => this.#subscribers.delete(subscriber))
  }
}

// Taken only once the reader's fiber runs again: by then all that one piece of input brought is there.
const toStream = <Event>(subscriber: Subscriber<Event>): Stream.Stream<Event> =>
  Stream.repeatEffectChunkOption(
    Effect.flatMap(subscriber.arrival(), () => {
      const events = subscriber.take()
      return events.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(events))
    })
  )

const drain = Effect.fnUntraced(function* <Event, E, R>(
  subscriber: Subscriber<Event>,
  use: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, E, R>
) {
  for (;;) {
    yield* subscriber.arrival()
    const events = subscriber.take()
    if (events.length === 0) return
    yield* use(events)
  }
})
