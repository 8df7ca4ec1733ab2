import type { Body } from "../HttpExchange.ts"

/** Holds back the bodies of one channel together, those to come included. */
export interface Flow {
  readonly paused: () => boolean
  readonly pause: () => void
  readonly resume: () => void
  /** Takes part with a body; the result takes it out again. */
  readonly add: (body: Body) => () => void
}

/** Makes a flow that runs. */
export const make = (): Flow => {
  const bodies = new Set<Body>()
  let paused = false
  return {
    paused: () => paused,
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
