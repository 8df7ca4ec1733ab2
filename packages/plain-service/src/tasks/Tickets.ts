import { randomBytes } from "node:crypto"
import { keepNewest } from "../KeepNewest.ts"
import type { Readings } from "../Readings.ts"

/** The tokens of a task's sandbox, and how often the sandbox moved (2.7, 5). */
export class Tickets {
  readonly #readings: () => Readings
  readonly #expiries = new Map<string, number>()
  #moves = 0

  constructor(readings: () => Readings) {
    this.#readings = readings
  }

  /** The part of the sandbox address that changes when it moves. */
  get place(): string {
    return String(this.#moves)
  }

  issue(): { readonly token: string; readonly expiresAt: number } {
    const token = randomBytes(24).toString("base64url")
    const expiresAt = Date.now() + this.#readings().ticketLifetimeMs
    this.#expiries.set(token, expiresAt)
    keepNewest(this.#expiries)
    return { token, expiresAt }
  }

  /** Gives the sandbox another address; no token from before opens it. */
  move(): void {
    this.#moves += 1
    this.revoke()
  }

  revoke(): void {
    this.#expiries.clear()
  }

  /** The milliseconds for which a token is still good; 0 for one that is not. */
  left(place: string, token: string): number {
    return place === this.place ? Math.max(0, (this.#expiries.get(token) ?? 0) - Date.now()) : 0
  }
}
