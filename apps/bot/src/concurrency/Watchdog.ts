import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Something that has to get on: due from when there is something to do, until it is done. */
export interface Mover {
  /** There is something to do; what was due before stays due since then. */
  readonly due: () => void
  /** It got on, and there is more to do. */
  readonly moved: () => void
  /** There is nothing left to do. */
  readonly rests: () => void
}

/** Something that is due and does not get on. */
export interface Stuck {
  readonly what: string
  readonly forMs: number
}

/** Knows of everything in this process that has to get on whether it does. */
export class Watchdog extends Context.Tag("@heddle/bot/Watchdog")<
  Watchdog,
  {
    /** Watches something, named by the words `what`, until it rests. */
    readonly watch: (what: string) => Mover
    /** Watches an effect that has to come to its end. */
    readonly during: <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** What has not got on for so long, the longest first. */
    readonly stuck: (forMs: number) => ReadonlyArray<Stuck>
  }
>() {}

export const layer: Layer.Layer<Watchdog> = Layer.effect(
  Watchdog,
  Effect.map(Effect.clock, (clock) => {
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    const due = new Map<Mover, { readonly what: string; readonly since: number }>()
    const watch = (what: string): Mover => {
      const mover: Mover = {
        due: () => {
          if (!due.has(mover)) due.set(mover, { what, since: now() })
        },
        moved: () => void due.set(mover, { what, since: now() }),
        rests: () => void due.delete(mover)
      }
      return mover
    }
    return Watchdog.of({
      watch,
      during: (what, effect) =>
        Effect.suspend(() => {
          const mover = watch(what)
          mover.due()
          return Effect.ensuring(effect, Effect.sync(mover.rests))
        }),
      stuck: (forMs) =>
        [...due.values()]
          .map(({ since, what }) => ({ what, forMs: now() - since }))
          .filter((each) => each.forMs >= forMs)
          .toSorted((a, b) => b.forMs - a.forMs)
    })
  })
)
