import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Work that has to make progress: due from when there is something to do until it is done. */
export interface WatchedWork {
  /** There is something to do; work that was due before stays due since then. */
  readonly setDue: () => void
  /** It made progress, and there is more to do. */
  readonly progressed: () => void
  /** There is nothing left to do. */
  readonly setIdle: () => void
}

/** Work that is due and makes no progress. */
export interface Stuck {
  readonly what: string
  readonly forMs: number
}

/** Knows which work of this process makes no progress. */
export class Watchdog extends Context.Tag("@heddle/bot/Watchdog")<
  Watchdog,
  {
    /** Watches work, named by the words `what`, until it rests. */
    readonly watch: (what: string) => WatchedWork
    /** Watches an effect until its end. */
    readonly during: <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The work without progress for that many milliseconds, the longest first. */
    readonly stuck: (forMs: number) => ReadonlyArray<Stuck>
  }
>() {}

export const layer: Layer.Layer<Watchdog> = Layer.effect(
  Watchdog,
  Effect.map(Effect.clock, (clock) => {
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    const setDue = new Map<WatchedWork, { readonly what: string; readonly since: number }>()
    const watch = (what: string): WatchedWork => {
      const work: WatchedWork = {
        setDue: () => {
          if (!setDue.has(work)) setDue.set(work, { what, since: now() })
        },
        progressed: () => void setDue.set(work, { what, since: now() }),
        setIdle: () => void setDue.delete(work)
      }
      return work
    }
    return Watchdog.of({
      watch,
      during: (what, effect) =>
        Effect.suspend(() => {
          const work = watch(what)
          work.setDue()
          return Effect.ensuring(effect, Effect.sync(work.setIdle))
        }),
      stuck: (forMs) =>
        [...setDue.values()]
          .map(({ since, what }) => ({ what, forMs: now() - since }))
          .filter((each) => each.forMs >= forMs)
          .toSorted((a, b) => b.forMs - a.forMs)
    })
  })
)
