import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * Gives events and state changes to any number of readers, each at its own pace.
 *
 * Changes are not queued: a reader that comes back finds their names united and the newest state, so a slow reader
 * holds no history.
 */
export interface Broadcast<Event> {
  readonly event: (event: Event) => void
  readonly change: (name: string) => void
  /** Lets every reader finish what it has and end. */
  readonly end: () => void
  readonly stream: Stream.Stream<Event>
}

/** Makes a broadcast; `summary` turns united changes into the event that readers get. */
export const make = <Event>(summary: (changed: ReadonlySet<string>) => Event): Broadcast<Event> => {
  const readers = new Set<Reader<Event>>()
  let over = false

  const wake = (reader: Reader<Event>) => {
    const { resume } = reader
    reader.resume = undefined
    resume?.()
  }

  const take = (reader: Reader<Event>) =>
    Effect.suspend(() => {
      if (reader.changed === undefined && reader.events.length === 0) return Effect.fail(Option.none())
      const first = reader.changed === undefined ? [] : [summary(reader.changed)]
      const { events } = reader
      reader.changed = undefined
      reader.events = []
      return Effect.succeed(Chunk.unsafeFromArray([...first, ...events]))
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
        reader.events.push(event)
        wake(reader)
      }
    },
    change: (name) => {
      for (const reader of readers) {
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
          const reader: Reader<Event> = { changed: new Set(), events: [], resume: undefined }
          readers.add(reader)
          return reader
        }),
        (reader) => Effect.sync(() => readers.delete(reader))
      ).pipe(Effect.map((reader) => Stream.repeatEffectChunkOption(pull(reader))))
    )
  }
}

interface Reader<Event> {
  changed: Set<string> | undefined
  events: Array<Event>
  resume: (() => void) | undefined
}
