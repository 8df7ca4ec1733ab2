import * as Effect from "effect/Effect"

/** How changes and dropped events become events. */
export interface Summary<Event> {
  changesOf(names: ReadonlySet<string>): Event
  droppedOf(count: number): Event
}

/** A reader of events and state changes, at its own pace. Of its events it keeps the newest 512 at most. */
export class Subscriber<Event> {
  readonly #summary: Summary<Event>
  #changed: Set<string> | undefined
  #events: Array<Event> = []
  #dropped = 0
  #ended = false
  #resume: (() => void) | undefined

  constructor(summary: Summary<Event>) {
    this.#summary = summary
  }

  event(event: Event): void {
    if (this.#events.push(event) > capacity) {
      this.#dropped += capacity / 2
      this.#events = this.#events.slice(capacity / 2)
    }
    this.#wake()
  }

  change(name: string): void {
    if (this.#changed === undefined) this.#changed = new Set([name])
    else this.#changed.add(name)
    this.#wake()
  }

  /** Lets the reader start with the whole state. */
  start(): void {
    this.#changed = new Set()
  }

  /** Lets the reader take what there is, and then nothing. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Waits until there is something to take, or the end. */
  arrival(): Effect.Effect<void> {
    return Effect.async((done) => {
      if (this.#ended || this.#changed !== undefined || this.#events.length > 0) return done(Effect.void)
      this.#resume = () => done(Effect.void)
      return Effect.sync(() => {
        this.#resume = undefined
      })
    })
  }

  /** Removes and returns what there is; empty after the end. */
  take(): ReadonlyArray<Event> {
    const summaries = this.#changed === undefined ? [] : [this.#summary.changesOf(this.#changed)]
    if (this.#dropped > 0) summaries.push(this.#summary.droppedOf(this.#dropped))
    const events = this.#events
    this.#dropped = 0
    this.#changed = undefined
    this.#events = []
    return [...summaries, ...events]
  }

  #wake(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }
}

const capacity = 512
