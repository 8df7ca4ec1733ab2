import type * as AcpSession from "@heddle/acp/AcpSession"
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

/** What following a session needs. */
export interface Options<ListError> {
  readonly sessionId: string | undefined
  readonly listAll: Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
  /** Lists what was updated at or after a time in epoch milliseconds. */
  readonly listSince: (startMs: number) => Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
  /** Tells whether asking again may help. */
  readonly isTemporary: (error: ListError) => boolean
  /** Publishes what is known before the first list, too, and goes on without a list that cannot be had. */
  readonly partial: boolean
}

/** Reads the events of a session to its end. */
export type Source<E, R> = (
  receive: (event: AcpSession.SessionEvent) => Effect.Effect<void>
) => Effect.Effect<void, E, R>

/** Keeps the index of a session current: lists, folds pushes, and lists again when pushes may have been missed. */
export const changes = <E, R, LE extends { readonly message: string }>(
  source: Source<E, R>,
  options: Options<LE>
): Stream.Stream<ArtifactIndex, E | LE, R> =>
  Stream.unwrapScoped(Effect.map(start(source, options), (out) => Mailbox.toStream(out)))

/** Like {@link changes}, but gives each index to an effect, without the memory of a stream. */
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

    const perform = ([next, commands]: ReturnType<typeof FollowerMachine.step>): void => {
      state = next
      for (const command of commands) {
        if (command._tag === "Publish") out.unsafeOffer(command.index)
        else if (command.job === "End") out.unsafeDone(Exit.void)
        // A fiber only while there is something to do: most sessions are followed idle.
        else Runtime.runFork(runtime)(run(jobs[command.job]), { scope, immediate: false })
      }
    }
    const dispatch = (event: FollowerMachine.Event) => perform(FollowerMachine.step(state, event, options.sessionId))

    const list = (complete: boolean, entries: Effect.Effect<ReadonlyArray<ArtifactEntry>, LE>) =>
      Effect.suspend(() => {
        const asOf = state.index.revision
        return Effect.map(entries, (listed) => dispatch({ _tag: "Listed", list: listed, asOf, complete }))
      })
    const retried = (effect: Effect.Effect<void, LE>) =>
      Effect.retry(effect, { schedule: Retries.list, while: options.isTemporary })
    const requested = (complete: boolean) => Effect.sync(() => dispatch({ _tag: "ListRequested", complete }))

    const jobs = {
      // A whole list has all that was pushed before it was asked for, so each try begins anew.
      Load: retried(Effect.zipRight(requested(true), list(true, options.listAll))),
      // One list for all pushes of a moment; none where a whole list is to come.
      Refresh: Effect.suspend(() => {
        const { incompleteSince, needsLoad } = state
        if (incompleteSince === undefined || needsLoad) return Effect.void
        return Effect.zipRight(requested(false), retried(list(false, options.listSince(incompleteSince))))
      }).pipe(Effect.delay(gathering))
    }

    const run = (job: Effect.Effect<void, LE>) =>
      Effect.matchCauseEffect(options.partial ? Effect.catchAll(job, ignored) : job, {
        onSuccess: () => Effect.sync(() => dispatch({ _tag: "JobDone" })),
        onFailure: (cause) => out.failCause(cause)
      })

    // The source first, so that no push is missed between its subscription and the list.
    yield* Effect.forkScoped(
      Effect.matchCauseEffect(
        source((event) => Effect.sync(() => dispatch({ _tag: "Received", event }))),
        {
          onSuccess: () => Effect.sync(() => dispatch({ _tag: "SourceEnded" })),
          onFailure: (cause) => out.failCause(cause)
        }
      )
    )
    yield* Effect.yieldNow()
    perform(FollowerMachine.startNext(state))
    return out
  })

const ignored = ({ message }: { readonly message: string }) =>
  Effect.logInfo("A list of artifacts cannot be had", message)

const gathering = "250 millis"
