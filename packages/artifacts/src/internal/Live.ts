import type * as AcpSession from "@heddle/acp/AcpSession"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import * as ArtifactIndex from "../ArtifactIndex.ts"
import * as ArtifactNotification from "../ArtifactNotification.ts"

/** What following a session needs. */
export interface Options<LE> {
  readonly sessionId: string | undefined
  readonly listAll: Effect.Effect<ReadonlyArray<ArtifactEntry>, LE>
  /** What was updated at or after a time in epoch milliseconds. */
  readonly listSince: (startMs: number) => Effect.Effect<ReadonlyArray<ArtifactEntry>, LE>
  /** Tells whether asking again may help. */
  readonly isPassing: (error: LE) => boolean
  /** Tells also what is known before the first list, and goes on without one that cannot be had. */
  readonly partial: boolean
}

/** Reads a session to its end and has each event heard. */
export type Source<E, R> = (hear: (event: AcpSession.SessionEvent) => Effect.Effect<void>) => Effect.Effect<void, E, R>

/** Follows a session: subscribes, loads, folds what is pushed, and loads again whenever pushes may have been missed. */
export const changes = <E, R, LE extends { readonly message: string }>(
  source: Source<E, R>,
  options: Options<LE>
): Stream.Stream<ArtifactIndex.ArtifactIndex, E | LE, R> =>
  Stream.unwrapScoped(Effect.map(start(source, options), (out) => Mailbox.toStream(out)))

/** Does the same and gives each state to an effect, without what a stream costs. */
export const follow = <E, R, LE extends { readonly message: string }, E2, R2>(
  source: Source<E, R>,
  options: Options<LE>,
  use: (index: ArtifactIndex.ArtifactIndex) => Effect.Effect<unknown, E2, R2>
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
    const out = yield* Mailbox.make<ArtifactIndex.ArtifactIndex, E | LE>({ capacity: 1, strategy: "sliding" })
    const jobs: Array<"Load" | "Refresh" | "End"> = []
    const scope = yield* Effect.scope
    let working = false
    let index = ArtifactIndex.empty
    let loaded = options.partial
    let loadWanted = false
    /** The time of the oldest push that left something out, until a list is asked for. */
    let lackingSince: number | undefined

    const become = (next: ArtifactIndex.ArtifactIndex) =>
      Effect.suspend(() => {
        const changed = next.known !== index.known || next.complete !== index.complete
        index = next
        return changed && loaded ? out.offer(index) : Effect.void
      })

    const wantLoad = Effect.suspend(() => {
      if (loadWanted) return Effect.void
      loadWanted = true
      return give("Load")
    })

    const take = (entry: ArtifactEntry) =>
      Effect.suspend(() => {
        const next = ArtifactIndex.push(index, entry)
        const taken = next.known !== index.known ? ArtifactIndex.get(next, entry.artifact.uri) : undefined
        const told = become(next)
        return taken !== undefined && isLacking(taken) ? Effect.zipRight(told, wantRest(taken)) : told
      })

    const wantRest = ({ artifact: { updatedAt } }: ArtifactEntry) =>
      Effect.suspend(() => {
        const isNew = lackingSince === undefined
        const startMs = updatedAt !== undefined && Number.isSafeInteger(updatedAt) ? Math.max(0, updatedAt) : 0
        lackingSince = Math.min(lackingSince ?? startMs, startMs)
        return isNew ? give("Refresh") : Effect.void
      })

    const hear = (event: AcpSession.SessionEvent) => {
      switch (event._tag) {
        case "Extension": {
          if (event.name !== "artifact") return Effect.void
          const entry = ArtifactNotification.fromParams(event.params)
          if (entry === undefined) return wantLoad
          return isOther(entry, options.sessionId) ? Effect.void : take(entry)
        }
        case "Ready":
        case "Missed":
        case "Skipped":
          return wantLoad
        default:
          return Effect.void
      }
    }

    const load = Effect.gen(function* () {
      loadWanted = false
      lackingSince = undefined
      const asOf = index.revision
      const list = yield* options.listAll
      loaded = true
      yield* become(ArtifactIndex.load(index, list, { asOf, complete: true }))
    }).pipe(Effect.retry({ schedule: again, while: options.isPassing }))

    const ask = (startMs: number) =>
      Effect.gen(function* () {
        const asOf = index.revision
        const list = yield* options.listSince(startMs)
        yield* become(ArtifactIndex.load(index, list, { asOf, complete: false }))
      }).pipe(Effect.retry({ schedule: again, while: options.isPassing }))

    // One list for all that comes together; none where a whole one has come, or is to come.
    const refresh = Effect.suspend(() => (lackingSince === undefined ? Effect.void : Effect.sleep(gathering))).pipe(
      Effect.andThen(() => {
        const startMs = lackingSince
        if (startMs === undefined || loadWanted) return Effect.void
        lackingSince = undefined
        return ask(startMs)
      })
    )

    const attempted = (asking: Effect.Effect<void, LE>) =>
      options.partial
        ? Effect.catchAll(asking, (error) => Effect.logInfo("A list of artifacts cannot be had", error.message))
        : asking

    const jobsOf = {
      Load: Effect.as(attempted(load), false),
      Refresh: Effect.as(attempted(refresh), false),
      End: Effect.as(out.end, true)
    }
    const work = Effect.gen(function* () {
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) if (yield* jobsOf[job]) return
      working = false
    })
    // Done one after the other, by a fiber that is there while there is something to do: most sessions are followed idle.
    const give = (job: (typeof jobs)[number]) =>
      Effect.suspend(() => {
        jobs.push(job)
        if (working) return Effect.void
        working = true
        return Effect.asVoid(
          Effect.forkIn(
            Effect.catchAllCause(work, (cause) => out.failCause(cause)),
            scope
          )
        )
      })

    // The source first, so that nothing is missed between its subscription and the list.
    yield* Effect.forkScoped(
      Effect.matchCauseEffect(source(hear), {
        onSuccess: () => give("End"),
        onFailure: (cause) => out.failCause(cause)
      })
    )
    yield* Effect.yieldNow()
    yield* wantLoad
    return out
  })

const again = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "10 seconds")),
  Schedule.intersect(Schedule.recurs(8))
)

const gathering = "250 millis"

/** Tells whether a list may tell more of an artifact than is known. */
const isLacking = ({ artifact, md5, url }: ArtifactEntry): boolean =>
  md5 === undefined || (artifact.type === "media" && url === undefined)

const isOther = (entry: ArtifactEntry, sessionId: string | undefined): boolean =>
  entry.sessionId !== undefined && sessionId !== undefined && entry.sessionId !== sessionId
