import type { Faults } from "../faults/Faults.ts"

/** Drops, duplicates and delays events by the faults of a test. */
export class EventFaults {
  readonly #faults: Faults
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(faults: Faults) {
    this.#faults = faults
  }

  /** The copies of an event to send now; delayed copies go to `sendLater` when they are due. */
  apply<Event extends { readonly event: string }>(
    event: Event,
    sendLater: (copies: ReadonlyArray<Event>) => void
  ): ReadonlyArray<Event> {
    const fault = this.#faults.event(event.event)
    if (fault === undefined) return [event]
    const copies = fault.drop === true ? [] : fault.duplicate === true ? [event, event] : [event]
    if (fault.delayMs === undefined) return copies
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      sendLater(copies)
    }, fault.delayMs)
    this.#timers.add(timer)
    return []
  }

  /** Cancels the delayed events. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
