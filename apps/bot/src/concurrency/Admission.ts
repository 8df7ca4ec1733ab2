import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Lets turns begin one after the other, as fast as this process takes them up. After a restart, hundreds may begin at
 * once. Together they would take several times the memory, and the first answer would come as late as the last.
 */
export class Admission extends Context.Tag("@heddle/bot/Admission")<
  Admission,
  {
    /** Waits until there is room to begin. */
    readonly enter: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Admission> = Layer.sync(Admission, () => {
  const waiting = new Set<() => void>()
  let isIdle = true
  const startNext = () => {
    const [start] = waiting
    isIdle = start === undefined
    if (start === undefined) return
    waiting.delete(start)
    start()
    // A busy process gets here only when it has done what was ready, so it never begins more than it can do. A turn that
    // waits for a service holds up no other turn.
    setTimeout(startNext, intervalMs)
  }
  return Admission.of({
    enter: Effect.async<void>((resume) => {
      const start = () => resume(Effect.void)
      waiting.add(start)
      if (isIdle) startNext()
      return Effect.sync(() => waiting.delete(start))
    })
  })
})

const intervalMs = 2
