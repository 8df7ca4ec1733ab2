import * as Effect from "effect/Effect"
import * as Metrics from "../Metrics.ts"
import type { Inbound, Transport } from "../Transport.ts"

/** Counts what one run of a transport receives. */
export class Meter {
  readonly #receive: (inbound: Inbound) => void
  #open: 0 | 1 = 0

  constructor(receive: (inbound: Inbound) => void) {
    this.#receive = receive
  }

  receive(inbound: Inbound): void {
    switch (inbound._tag) {
      case "Message":
        Metrics.messagesReceived.unsafeUpdate(1, [])
        break
      case "Skipped":
        Metrics.skipped.unsafeUpdate(1, [])
        break
      case "Connected":
        this.#setOpen(1)
        break
      case "Interrupted":
        Metrics.interruptions.unsafeUpdate(1, [])
        this.#setOpen(0)
    }
    this.#receive(inbound)
  }

  /** The run is over. */
  end(): void {
    this.#setOpen(0)
  }

  #setOpen(now: 0 | 1): void {
    if (now !== this.#open) Metrics.openChannels.unsafeModify(now - this.#open, [])
    this.#open = now
  }
}

/** Runs a transport, and counts what it receives. */
export const metered =
  (run: Transport["run"]): Transport["run"] =>
  (receive) =>
    Effect.suspend(() => {
      const meter = new Meter(receive)
      return Effect.ensuring(
        run((inbound) => meter.receive(inbound)),
        Effect.sync(() => meter.end())
      )
    })

/** Counts a message that is sent, whether or not it arrives. */
export const countSent: Effect.Effect<void> = Effect.sync(() => Metrics.messagesSent.unsafeUpdate(1, []))
