import type * as AcpSession from "@heddle/acp/AcpSession"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import * as ArtifactIndex from "../ArtifactIndex.ts"
import * as ArtifactNotification from "../ArtifactNotification.ts"

/** Follows a session: subscribes, loads, folds what is pushed, and loads again whenever pushes may have been missed. */
export const changes = <E, R, LE>(
  source: Stream.Stream<AcpSession.SessionEvent, E, R>,
  options: {
    readonly sessionId: string | undefined
    readonly listAll: Effect.Effect<ReadonlyArray<ArtifactEntry>, LE>
    /** Tells whether asking again may help. */
    readonly isPassing: (error: LE) => boolean
  }
): Stream.Stream<ArtifactIndex.ArtifactIndex, E | LE, R> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const out = yield* Mailbox.make<ArtifactIndex.ArtifactIndex, E | LE>({ capacity: 1, strategy: "sliding" })
      const jobs = yield* Queue.unbounded<"Load" | "End">()
      let index = ArtifactIndex.empty
      let loaded = false
      let loadWanted = false

      const become = (next: ArtifactIndex.ArtifactIndex) =>
        Effect.suspend(() => {
          const changed = next.known !== index.known
          index = next
          return changed && loaded ? out.offer(index) : Effect.void
        })

      const wantLoad = Effect.suspend(() => {
        if (loadWanted) return Effect.void
        loadWanted = true
        return Queue.offer(jobs, "Load")
      })

      const hear = (event: AcpSession.SessionEvent) => {
        switch (event._tag) {
          case "Extension": {
            if (event.name !== "artifact") return Effect.void
            const entry = ArtifactNotification.fromParams(event.params)
            if (entry === undefined) return wantLoad
            return isOther(entry, options.sessionId) ? Effect.void : become(ArtifactIndex.push(index, entry))
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
        const asOf = index.revision
        const list = yield* options.listAll
        loaded = true
        yield* become(ArtifactIndex.load(index, list, { asOf, complete: true }))
      }).pipe(Effect.retry({ schedule: again, while: options.isPassing }))

      const work = Queue.take(jobs).pipe(
        Effect.flatMap((job) => (job === "End" ? Effect.as(out.end, true) : Effect.as(load, false))),
        Effect.repeat({ until: (over) => over })
      )

      // The source first, so that nothing is missed between its subscription and the list.
      yield* Effect.forkScoped(
        Effect.matchCauseEffect(Stream.runForEach(source, hear), {
          onSuccess: () => Queue.offer(jobs, "End"),
          onFailure: (cause) => out.failCause(cause)
        })
      )
      yield* Effect.yieldNow()
      yield* wantLoad
      yield* Effect.forkScoped(Effect.catchAllCause(work, (cause) => out.failCause(cause)))
      return Mailbox.toStream(out)
    })
  )

const again = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "10 seconds")),
  Schedule.intersect(Schedule.recurs(8))
)

const isOther = (entry: ArtifactEntry, sessionId: string | undefined): boolean =>
  entry.sessionId !== undefined && sessionId !== undefined && entry.sessionId !== sessionId
