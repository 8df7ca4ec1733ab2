import type { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import type { UnitOfWork } from "./journal/UnitOfWork.ts"
import type { SandboxEvent } from "./session/SandboxEvent.ts"
import type { SessionContext } from "./session/SessionContext.ts"

/** The owner of a sandbox: at most one fiber handles its events in order, and others do the work that takes time. */
export interface Owner extends Pick<SessionContext, "fork" | "offer" | "offerAfter"> {
  /** Handles the events, each batch in one transaction, until the scope closes, or a defect, which runs `failed`. */
  readonly run: (
    session: Session,
    handle: (event: SandboxEvent) => void,
    failed: Effect.Effect<void>
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Since when there is no event and no work, in milliseconds of the monotonic clock; undefined while there is. */
  readonly restsSince: () => number | undefined
}

interface Session {
  readonly taskId: TaskId
  readonly unitOfWork: UnitOfWork
}

/** Makes the owner of a sandbox; closing the scope ends its work. */
export const make: Effect.Effect<Owner, never, Scope.Scope> = Effect.gen(function* () {
  let events: Array<SandboxEvent> = []
  const work = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(work)<never>()
  const scope = yield* Effect.scope
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  let restsSince: number | undefined = performance.now()
  // Where events wait: nothing handles them yet, a fiber is started for the next one, or one handles all.
  let start: (() => void) | undefined
  const offer = (event: SandboxEvent) => {
    restsSince = undefined
    events.push(event)
    start?.()
  }

  return {
    fork,
    offer,
    offerAfter: (time, event) => {
      runFork(
        Effect.andThen(Effect.sleep(time), () => offer(event)),
        { scope }
      )
    },
    restsSince: () => ([...work].length === 0 ? restsSince : undefined),
    run: Effect.fnUntraced(function* ({ taskId, unitOfWork }, handle, failed) {
      const close = Effect.sync(() => {
        start = undefined
      })
      const handleAll = Effect.gen(function* () {
        while (events.length > 0) {
          const batch = events
          events = []
          for (const event of batch) {
            // A message that cannot be handled must not end the sandbox for all clients.
            yield* Effect.try(() => handle(event)).pipe(
              Effect.catchAll(({ error }) => Effect.logError(`an event was left out: ${event._tag}`, error))
            )
          }
          yield* unitOfWork.commit
        }
        restsSince = performance.now()
        start = startHandling
      }).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(Effect.logError("the owner of a sandbox failed", cause), Effect.zipRight(close, failed))
        ),
        Effect.annotateLogs({ taskId })
      )
      // No fiber waits while nothing happens: an idle session would keep its memory.
      const startHandling = () => {
        start = undefined
        runFork(handleAll, { scope, immediate: false })
      }
      yield* Effect.addFinalizer(() => close)
      start = startHandling
      if (events.length > 0) startHandling()
    })
  }
})
