import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/** The fibers that run for a connection or a session until it is closed; each needs less memory than in a scope. */
export class Background {
  readonly #runtime: Runtime.Runtime<Scope.Scope>
  readonly #fibers = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
  #isClosed = false

  constructor(runtime: Runtime.Runtime<Scope.Scope>) {
    this.#runtime = runtime
  }

  /** Runs an effect, at once or, where `immediate` is false, later. After the end it is interrupted. */
  fork<A, E>(effect: Effect.Effect<A, E>, options?: Runtime.RunForkOptions): Fiber.RuntimeFiber<A, E> {
    const fiber = Runtime.runFork(this.#runtime, this.#isClosed ? Effect.interrupt : effect, options)
    this.#fibers.add(fiber)
    fiber.addObserver(() => this.#fibers.delete(fiber))
    return fiber
  }

  /** Interrupts all, the newest first as a scope does, and waits for their ends. Until then others may begin. */
  close(): Effect.Effect<void> {
    return Effect.withFiberRuntime((self) => {
      // One of them may be the one that closes.
      const newest = [...this.#fibers].findLast((fiber) => fiber !== self)
      if (newest !== undefined) return Effect.zipRight(Fiber.interrupt(newest), this.close())
      this.#isClosed = true
      return Effect.void
    })
  }
}
