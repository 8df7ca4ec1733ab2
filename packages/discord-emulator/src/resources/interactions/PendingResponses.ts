import type { Clock } from "../../settings/Clock.ts"
import type { FirstResponse } from "./InteractionTypes.ts"

interface Pending {
  readonly resolve: (response: FirstResponse) => void
  readonly cancelTimeout: () => void
}

/** The interactions that wait for their first response. */
export class PendingResponses {
  readonly #clock: Clock
  readonly #pending = new Map<string, Pending>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits for the first response of an interaction; calls `onTimeout` after `timeoutMs`. */
  wait(interactionId: string, timeoutMs: number, onTimeout: () => void): Promise<FirstResponse> {
    return new Promise((resolve) => {
      const cancelTimeout = this.#clock.after(timeoutMs, onTimeout)
      this.#pending.set(interactionId, { resolve, cancelTimeout })
    })
  }

  /** Ends the wait for an interaction, if there is one. */
  settle(response: FirstResponse): void {
    const pending = this.#pending.get(response.id)
    if (pending === undefined) return
    pending.cancelTimeout()
    this.#pending.delete(response.id)
    pending.resolve(response)
  }

  /** Ends every wait with a failure. */
  close(): void {
    for (const id of this.#pending.keys()) this.settle({ id, type: "failed", error: "The emulator was closed" })
  }
}
