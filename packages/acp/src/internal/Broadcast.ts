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

  const take = (reader: Reader<Event>) =>
    Effect.suspend(() => {
      if (reader.changed === undefined && reader.events.length === 0) return Effect.fail(Option.none())
      const beginning = reader.changed === undefined ? [] : [summary(reader.changed)]
      if (reader.missed > 0) beginning.push(missed(reader.missed))
      const { events } = reader
      reader.missed = 0
      reader.changed = undefined
      reader.events = []
      return Effect.succeed(Chunk.unsafeFromArray([...beginning, ...events]))
    })

  const arrival = (reader: Reader<Event>) =>
    Effect.async<void>((resume) => {
      if (over || reader.changed !== undefined || reader.events.length > 0) return resume(Effect.void)
      reader.resume = () => resume(Effect.void)
      return Effect.sync(() => {
        reader.resume = undefined
      })
    })

  // Taken only once the reader's fiber runs again: by then all that one piece of input brought is there.
  const pull = (reader: Reader<Event>) => Effect.zipRight(arrival(reader), take(reader))

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
      Effect.acquireRelease(
        Effect.sync(() => {
          const reader = first ?? newReader<Event>()
          first = undefined
          reader.changed = new Set()
          readers.add(reader)
          return reader
        }),
        (reader) => Effect.sync(() => readers.delete(reader))
      ).pipe(Effect.map((reader) => Stream.repeatEffectChunkOption(pull(reader))))
    )
  }
}

const newReader = <Event>(): Reader<Event> => ({ changed: undefined, events: [], missed: 0, resume: undefined })

const mostEvents = 512

interface Reader<Event> {
  changed: Set<string> | undefined
  events: Array<Event>
  missed: number
  resume: (() => void) | undefined
}
