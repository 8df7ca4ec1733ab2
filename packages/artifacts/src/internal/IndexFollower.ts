import type * as AcpSession from "@heddle/acp/AcpSession"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import type { ArtifactIndex } from "../ArtifactIndex.ts"
import * as FollowerMachine from "./FollowerMachine.ts"
import * as Retries from "./Retries.ts"

/** How a session is followed. */
export interface Options<ListError> {
  readonly sessionId: string | undefined
  readonly listAll: Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
  /** Lists what was updated at or after a time in epoch milliseconds. */
  readonly listSince: (startMs: number) => Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
  /** Tells whether another try may succeed. */
  readonly isTemporary: (error: ListError) => boolean
  /** Publishes pushes before the first list, and continues when the list fails. */
  readonly partial: boolean
}

/** Reads the events of a session to its end. */
export type Source<E, R> = (
  receive: (event: AcpSession.SessionEvent) => Effect.Effect<void>
) => Effect.Effect<void, E, R>

/** Keeps the index of a session current: lists, applies pushes, and lists again when pushes may have been missed. */
export const changes = <E, R, LE extends { readonly message: string }>(
  source: Source<E, R>,
  options: Options<LE>
): Stream.Stream<ArtifactIndex, E | LE, R> =>
  Stream.unwrapScoped(Effect.map(start(source, options), (out) => Mailbox.toStream(out)))

/** Like {@link changes}, but runs an effect with each index, without the memory of a stream. */
export const follow = <E, R, LE extends { readonly message: string }, E2, R2>(
  source: Source<E, R>,
  options: Options<LE>,
  use: (index: ArtifactIndex) => Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, E | LE | E2, R | R2> =>
  Effect.scoped(
    Effect.gen(function* () {
      const out = yield* start(source, options)
      for (;;) {
        const next = yield* Effect.catchIf(out.take, Cause.isNoSuchElementException, () => Effect.succeed(undefined))
        if (next === undefined) return
        yield* use(next)
      }
    })
  )

const start = <E, R, LE extends { readonly message: string }>(source: Source<E, R>, options: Options<LE>) =>
  Effect.gen(function* () {
    const out = yield* Mailbox.make<ArtifactIndex, E | LE>({ capacity: 1, strategy: "sliding" })
    const scope = yield* Effect.scope
    const runtime = yield* Effect.runtime()
    let state = FollowerMachine.initial(options.partial)

    const apply = ([next, commands]: ReturnType<typeof FollowerMachine.step>): void => {
      state = next
      for (const command of commands) {
        if (command._tag === "Publish") out.unsafeOffer(command.index)
        else if (command._tag === "End") out.unsafeDone(Exit.void)
        // A fiber only for a job, because most followed sessions are idle.
        else Runtime.runFork(runtime)(run(jobs[command.job]), { scope, immediate: false })
      }
    }
    const dispatch = (event: FollowerMachine.Event) => apply(FollowerMachine.step(state, event, options.sessionId))

    const applyList = (
      request: Effect.Effect<ReadonlyArray<ArtifactEntry>, LE>,
      { complete }: { readonly complete: boolean }
    ) =>
      Effect.suspend(() => {
        const asOf = state.index.revision
        return Effect.map(request, (list) => dispatch({ _tag: "Listed", list, asOf, complete }))
      })
    const withRetries = (effect: Effect.Effect<void, LE>) =>
      RetryPolicy.retryIf(effect, options.isTemporary, Retries.listRetries)
    const markRequested = (event: { readonly complete: boolean }) =>
      Effect.sync(() => dispatch({ _tag: "ListRequested", ...event }))

    const jobs = {
      // A whole list contains every push before its request, so each retry marks a new request.
      Load: withRetries(
        Effect.zipRight(markRequested({ complete: true }), applyList(options.listAll, { complete: true }))
      ),
      // One list for all pushes within the delay. Only the list is retried: later pushes need a request of their own.
      Refresh: Effect.suspend(() => {
        const { incompleteSince, needsLoad } = state
        if (incompleteSince === undefined || needsLoad) return Effect.void
        return Effect.zipRight(
          markRequested({ complete: false }),
          withRetries(applyList(options.listSince(incompleteSince), { complete: false }))
        )
      }).pipe(Effect.delay(refreshDelay))
    }

    const run = (job: Effect.Effect<void, LE>) =>
      Effect.matchCauseEffect(options.partial ? Effect.catchAll(job, logAndIgnore) : job, {
        onSuccess: () => Effect.sync(() => dispatch({ _tag: "JobDone" })),
        onFailure: (cause) => out.failCause(cause)
      })

    // Subscribe to the source first, so that no push is missed before the list.
    yield* Effect.forkScoped(
      Effect.matchCauseEffect(
        source((event) => Effect.sync(() => dispatch({ _tag: "Received", event }))),
        {
          onSuccess: () => Effect.sync(() => dispatch({ _tag: "SourceEnded" })),
          onFailure: (cause) => out.failCause(cause)
        }
      )
    )
    // Lets the forked fiber subscribe.
    yield* Effect.yieldNow()
    apply(FollowerMachine.startNext(state))
    return out
  })

const logAndIgnore = ({ message }: { readonly message: string }) =>
  Effect.logInfo("A list of artifacts is unavailable", message)

const refreshDelay = "250 millis"
