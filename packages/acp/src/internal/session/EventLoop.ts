import * as Effect from "effect/Effect"

/** What a state machine does. */
export interface Machine<State, Event, Command> {
  step(state: State, event: Event): readonly [State, ReadonlyArray<Command>]
  /** Starts what a command says and does not wait for it. */
  perform(command: Command): void
}

/** A state machine at work: one event after the other, each with the commands that it causes. */
export class EventLoop<State, Event, Command> {
  readonly #machine: Machine<State, Event, Command>
  readonly #events: Array<Event> = []
  readonly #waiters = new Set<() => boolean>()
  #state: State
  #handling = false

  constructor(initial: State, machine: Machine<State, Event, Command>) {
    this.#state = initial
    this.#machine = machine
  }

  get state(): State {
    return this.#state
  }

  /** Handles an event at once, or, from within a command, after the present one. */
  dispatch(event: Event): void {
    this.#events.push(event)
    if (this.#handling) return
    this.#handling = true
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#handle(next)
    } finally {
      this.#handling = false
    }
  }

  /** Waits for a state of which `poll` makes an effect, and runs that. */
  until<A, E>(poll: (state: State) => Effect.Effect<A, E> | undefined): Effect.Effect<A, E> {
    return Effect.async<A, E>((resume) => {
      const resumes = () => {
        const found = poll(this.#state)
        if (found !== undefined) resume(found)
        return found !== undefined
      }
      if (resumes()) return
      this.#waiters.add(resumes)
      return Effect.sync(() => this.#waiters.delete(resumes))
    })
  }

  #handle(event: Event): void {
    const [next, commands] = this.#machine.step(this.#state, event)
    this.#state = next
    for (const command of commands) this.#machine.perform(command)
    for (const resumes of this.#waiters) if (resumes()) this.#waiters.delete(resumes)
  }
}
