import type { Body } from "../../HttpExchange.ts"

/** Pauses and resumes all bodies of one channel together, those that are added later included. */
export interface Backpressure {
  readonly isPaused: () => boolean
  readonly pause: () => void
  readonly resume: () => void
  /** Adds a body; the result removes it again. */
  readonly add: (body: Body) => () => void
}

/** Makes it without bodies, not paused. */
export const make = (): Backpressure => {
  const bodies = new Set<Body>()
  let paused = false
  return {
    isPaused: () => paused,
    pause: () => {
      paused = true
      for (const body of bodies) body.pause()
    },
    resume: () => {
      paused = false
      for (const body of bodies) body.resume()
    },
    add: (body) => {
      bodies.add(body)
      if (paused) body.pause()
      return () => bodies.delete(body)
    }
  }
}
