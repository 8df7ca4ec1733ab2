import type { Body } from "../../HttpExchange.ts"

/** Pauses and resumes all bodies of one channel together, those that are added later included. */
export class Backpressure {
  readonly #bodies = new Set<Body>()
  #isPaused = false

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(): void {
    this.#isPaused = true
    for (const body of this.#bodies) body.pause()
  }

  resume(): void {
    this.#isPaused = false
    for (const body of this.#bodies) body.resume()
  }

  add(body: Body): void {
    this.#bodies.add(body)
    if (this.#isPaused) body.pause()
  }

  remove(body: Body): void {
    this.#bodies.delete(body)
  }
}
