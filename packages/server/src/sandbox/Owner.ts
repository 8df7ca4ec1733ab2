import type { TaskId } from "@heddle/core/domain/Task"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Subscribers } from "./journal/Subscribers.ts"
import type { UnitOfWork } from "./journal/UnitOfWork.ts"
import type { SandboxEvent } from "./session/SandboxEvent.ts"
import type { SessionContext } from "./session/SessionContext.ts"

/** The owner of a sandbox: one fiber handles its events in order, and others do the work that takes time. */
export interface Owner extends Pick<SessionContext, "fork" | "offer" | "offerAfter"> {
  /** Handles the events, each batch in one transaction; returns an effect that waits for the end. */
  readonly run: (
    session: Session,
    handle: (event: SandboxEvent) => void
  ) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  /** Since when there is no event and no work, in milliseconds of the monotonic clock; undefined while there is. */
  readonly restsSince: () => number | undefined
}

interface Session {
  readonly taskId: TaskId
  readonly subscribers: Subscribers
  readonly unitOfWork: UnitOfWork
}

/** Makes the owner of a sandbox; closing the scope ends its work. */
export const make: Effect.Effect<Owner, never, Scope.Scope> = Effect.gen(function* () {
  const events = yield* Mailbox.make<SandboxEvent>()
  const work = yield* FiberSet.make<void>()
  const fork = yield* FiberSet.runtime(work)<never>()
  const wait = yield* FiberSet.makeRuntime<never, void, never>()
  let restsSince: number | undefined = performance.now()
  const offer = (event: SandboxEvent) => {
    restsSince = undefined
    events.unsafeOffer(event)
  }
  const noteRest = () => {
    if (Option.getOrElse(events.unsafeSize(), () => 0) === 0) restsSince = performance.now()
  }

  return {
    fork,
    offer,
    offerAfter: (time, event) => {
      wait(Effect.andThen(Effect.sleep(time), () => offer(event)))
    },
    restsSince: () => ([...work].length === 0 ? restsSince : undefined),
    run: Effect.fnUntraced(function* ({ subscribers, taskId, unitOfWork }, handle) {
      const ended = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const [batch] = yield* events.takeAll
        for (const event of batch) {
          // A message that cannot be handled must not end the sandbox for all clients.
          yield* Effect.try(() => handle(event)).pipe(
            Effect.catchAll(({ error }) => Effect.logError(`an event was left out: ${event._tag}`, error))
          )
        }
        yield* unitOfWork.commit
        noteRest()
      }).pipe(
        Effect.forever,
        Effect.catchAllCause((cause) => Effect.logError("the owner of a sandbox failed", cause)),
        Effect.annotateLogs({ taskId }),
        Effect.ensuring(
          Effect.suspend(() => {
            for (const subscriber of subscribers.all) subscriber.channel.close()
            return Deferred.succeed(ended, undefined)
          })
        ),
        Effect.forkScoped
      )
      return Deferred.await(ended)
    })
  }
})
