import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * Gives events and state changes to any number of readers, each at its own pace.
 *
 * Changes are not queued: a reader that comes back finds their names united and the newest state, so a slow reader
 * holds no history. Events are, but only the newest few hundred of them.
 */
export interface Broadcast<Event> {
  readonly event: (event: Event) => void
  readonly change: (name: string) => void
  /** Lets every reader finish what it has and end. */
  readonly end: () => void
  readonly stream: Stream.Stream<Event>
  /** Gives what the stream would give to an effect, all that is there at a time, and ends with it, without what a stream costs. */
  readonly follow: <E, R>(
    use: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, E, R>
  ) => Effect.Effect<void, E, R>
  /** Reads from now on while an effect runs, and ends with what was there at its end. */
  readonly during: <R>(effect: Effect.Effect<void, never, R>) => Stream.Stream<Event, never, R>
}

/** Makes a broadcast of united changes (`summary`), events, and the number of events that a reader was too slow for. */
export const make = <Event>(
  summary: (changed: ReadonlySet<string>) => Event,
  missed: (count: number) => Event
): Broadcast<Event> => {
  // What happens before anybody listens is the first reader's.
  let first: Reader<Event> | undefined = newReader<Event>()
  const readers = new Set<Reader<Event>>([first])
  let over = false

  const wake = (reader: Reader<Event>) => {
    const { resume } = reader
    reader.resume = undefined
    resume?.()
  }

  /** Nothing when it is over. */
  const take = (reader: Reader<Event>): ReadonlyArray<Event> => {
    const beginning = reader.changed === undefined ? [] : [summary(reader.changed)]
    if (reader.missed > 0) beginning.push(missed(reader.missed))
    const { events } = reader
    reader.missed = 0
    reader.changed = undefined
    reader.events = []
    return [...beginning, ...events]
  }

  const arrival = (reader: Reader<Event>) =>
    Effect.async<void>((resume) => {
      if (over || reader.over || reader.changed !== undefined || reader.events.length > 0) return resume(Effect.void)
      reader.resume = () => resume(Effect.void)
      return Effect.sync(() => {
        reader.resume = undefined
      })
    })

  // Taken only once the reader's fiber runs again: by then all that one piece of input brought is there.
  const pull = (reader: Reader<Event>) =>
    Effect.flatMap(arrival(reader), () => {
      const events = take(reader)
      return events.length === 0 ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(events))
    })

  const enter = (begin: () => Reader<Event>) =>
    Effect.sync(() => {
      const reader = begin()
      reader.changed = new Set()
      readers.add(reader)
      return reader
    })
  const leave = (reader: Reader<Event>) => Effect.sync(() => readers.delete(reader))
  const reading = (begin: () => Reader<Event>) => Effect.acquireRelease(enter(begin), leave)

  const earliest = () => {
    const reader = first ?? newReader<Event>()
    first = undefined
    return reader
  }

  return {
    event: (event) => {
      for (const reader of readers) {
        if (reader.events.push(event) > mostEvents) {
          reader.missed += mostEvents / 2
          reader.events = reader.events.slice(mostEvents / 2)
        }
        wake(reader)
      }
    },
    change: (name) => {
      for (const reader of readers) {
        if (reader === first) continue
        if (reader.changed === undefined) reader.changed = new Set([name])
        else reader.changed.add(name)
        wake(reader)
      }
    },
    end: () => {
      over = true
      for (const reader of readers) wake(reader)
    },
    stream: Stream.unwrapScoped(
      Effect.map(reading(earliest), (reader) => Stream.repeatEffectChunkOption(pull(reader)))
    ),
    follow: (use) =>
      Effect.acquireUseRelease(
        enter(earliest),
        Effect.fnUntraced(function* (reader) {
          for (;;) {
            yield* arrival(reader)
            const events = take(reader)
            if (events.length === 0) return
            yield* use(events)
          }
        }),
        leave
      ),
    during: (effect) =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          const reader = yield* reading(newReader<Event>)
          const finish = Effect.sync(() => {
            reader.over = true
            wake(reader)
          })
          yield* Effect.forkScoped(Effect.ensuring(effect, finish))
          return Stream.repeatEffectChunkOption(pull(reader))
        })
      )
  }
}

const newReader = <Event>(): Reader<Event> => ({
  changed: undefined,
  events: [],
  missed: 0,
  over: false,
  resume: undefined
})

const mostEvents = 512

interface Reader<Event> {
  changed: Set<string> | undefined
  events: Array<Event>
  missed: number
  over: boolean
  resume: (() => void) | undefined
}
