import * as Effect from "effect/Effect"

/** A state machine at work: one event after the other, each with the commands that it causes. */
export interface EventLoop<State, Event> {
  readonly state: () => State
  /** Handles an event at once, or, from within a command, after the present one. */
  readonly dispatch: (event: Event) => void
  /** Waits for a state of which `poll` makes an effect, and runs that. */
  readonly until: <A, E>(poll: (state: State) => Effect.Effect<A, E> | undefined) => Effect.Effect<A, E>
}

/** Runs a machine: `perform` starts what a command says and does not wait for it. */
export const make = <State, Event, Command>(
  initial: State,
  step: (state: State, event: Event) => readonly [State, ReadonlyArray<Command>],
  perform: (command: Command) => void
): EventLoop<State, Event> => {
  let state = initial
  let handling = false
  const events: Array<Event> = []
  const waiters = new Set<() => boolean>()

  const handle = (event: Event) => {
    const [next, commands] = step(state, event)
    state = next
    for (const command of commands) perform(command)
    for (const resumes of waiters) if (resumes()) waiters.delete(resumes)
  }

  return {
    state: () => state,
    dispatch: (event) => {
      events.push(event)
      if (handling) return
      handling = true
      try {
        for (let next = events.shift(); next !== undefined; next = events.shift()) handle(next)
      } finally {
        handling = false
      }
    },
    until: <A, E>(poll: (state: State) => Effect.Effect<A, E> | undefined) =>
      Effect.async<A, E>((resume) => {
        const resumes = () => {
          const found = poll(state)
          if (found !== undefined) resume(found)
          return found !== undefined
        }
        if (resumes()) return
        waiters.add(resumes)
        return Effect.sync(() => waiters.delete(resumes))
      })
  }
}
