import type { Backpressure } from "./Backpressure.ts"

/**
 * Reports the end of heartbeats, with a third of the limit as tolerance. Two heartbeats in a row show that a server sends
 * them; the limit is then `silence`, or three times their interval where that is longer.
 */
export class Heartbeats {
  readonly #silence: number
  readonly #backpressure: Backpressure
  readonly #onSilence: () => void
  #limit = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #hasReceived = false
  #quiet = 0
  #isHeartbeat = false
  /** When the last heartbeat came, if nothing came since. */
  #heartbeatAt: number | undefined

  constructor(silence: number, backpressure: Backpressure, onSilence: () => void) {
    this.#silence = silence
    this.#backpressure = backpressure
    this.#onSilence = onSilence
  }

  /** The piece that is being read is a heartbeat. */
  heartbeat(): void {
    this.#isHeartbeat = true
    const now = performance.now()
    if (this.#heartbeatAt !== undefined) this.#expectWithin(Math.max(this.#silence, 3 * (now - this.#heartbeatAt)))
    this.#heartbeatAt = now
  }

  /** A piece was read. */
  received(): void {
    this.#hasReceived = true
    if (!this.#isHeartbeat) this.#heartbeatAt = undefined
    this.#isHeartbeat = false
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #expectWithin(millis: number): void {
    if (millis <= this.#limit || millis > maxTimer) return
    this.#limit = millis
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.#check(), millis / 3)
  }

  #check(): void {
    this.#quiet = this.#hasReceived || this.#backpressure.isPaused ? 0 : this.#quiet + 1
    this.#hasReceived = false
    if (this.#quiet >= 3) this.#onSilence()
  }
}

/** The longest delay of a timer. */
const maxTimer = 2 ** 31 - 1
