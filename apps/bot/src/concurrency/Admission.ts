import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Lets turns begin one after the other, as fast as this process takes them up. Of hundreds that begin at once, after a
 * restart say, the first are answered while the others wait: all of them at the same time would take several times the
 * memory, and nobody's answer would come before everybody's.
 */
export class Admission extends Context.Tag("@heddle/bot/Admission")<
  Admission,
  {
    /** Waits for one's turn to begin. */
    readonly enter: Effect.Effect<void>
  }
>() {}

export const layer: Layer.Layer<Admission> = Layer.sync(Admission, () => {
  const waiting = new Set<() => void>()
  let resting = true
  const next = () => {
    const [go] = waiting
    resting = go === undefined
    if (go === undefined) return
    waiting.delete(go)
    go()
    // A busy process gets here only when it has done what was ready: so it is never given more than it can do, and what
    // waits for others, such as a sandbox that starts, holds up nobody.
    setTimeout(next, apartMs)
  }
  return Admission.of({
    enter: Effect.async<void>((resume) => {
      const go = () => resume(Effect.void)
      waiting.add(go)
      if (resting) next()
      return Effect.sync(() => waiting.delete(go))
    })
  })
})

const apartMs = 2
