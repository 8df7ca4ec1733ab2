import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as RetryPolicy from "@heddle/core/RetryPolicy"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as RetrySchedules from "../../concurrency/RetrySchedules.ts"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import type { FileRef } from "../../model/Post.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import * as Preview from "./Preview.ts"
import * as ArtifactChanges from "../../model/ArtifactChanges.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"

/** Follows the artifacts of a session while a turn runs. */
export interface ArtifactFollower {
  /** Reads the whole list once more at the end of the turn, unless it takes longer than that. */
  readonly finish: (timeout: Duration.DurationInput) => Effect.Effect<void>
}

/** The artifact cards of a thread, and what loads their files and previews. */
export interface ThreadCards {
  readonly cards: ReadonlyArray<ArtifactCard>
  readonly load: (file: FileRef) => Effect.Effect<Uint8Array | undefined>
}

/** Starts to follow the artifacts of a session; every change is a row before it is shown. */
export const open = Effect.fnUntraced(function* (options: {
  readonly threadId: string
  readonly turnId: string
  readonly ticket: Ticket.Ticket["Type"]
  readonly session: Pick<AcpSession.AcpSession, "follow" | "sessionId">
  /** The largest file that is fetched whole, in bytes. */
  readonly uploadLimit: number
  readonly show: (shown: ThreadCards) => void
}): Effect.fn.Return<ArtifactFollower, never, HttpClient.HttpClient | Scope.Scope | ArtifactCards> {
  const { session, threadId, turnId } = options
  const artifacts = yield* Artifacts.make.pipe(Effect.provideService(Ticket.Ticket, options.ticket))
  const rows = yield* ArtifactCards
  const firstListLoaded = yield* Deferred.make<void>()
  let cards = yield* rows.ofThread(threadId)
  let index = ArtifactIndex.empty
  /** What was looked at of each artifact. */
  const processed = new Map<string, ArtifactEntry>()

  const fetchBytes = Effect.fnUntraced(function* (file: FileRef) {
    // After a restart the card is known before the list has come.
    if (ArtifactIndex.get(index, file.uri) === undefined) {
      yield* Effect.timeoutOption(Deferred.await(firstListLoaded), "10 seconds")
    }
    const entry = ArtifactIndex.get(index, file.uri)
    if (entry === undefined) return undefined
    return yield* file.preview === undefined
      ? Preview.download(artifacts, entry, options.uploadLimit)
      : Preview.make(artifacts, entry, file.preview)
  })

  const load = (file: FileRef) =>
    fetchBytes(file).pipe(
      // Away for a moment, the file is not gone.
      RetryPolicy.retryIf(({ _tag }) => _tag === "SandboxUnavailable", RetrySchedules.artifactFile),
      Effect.timeout("60 seconds"),
      Effect.catchAll((error) =>
        Effect.as(Effect.logWarning(`${file.uri} cannot be fetched`, error.message), undefined)
      )
    )

  const show = () => options.show({ cards, load })

  const storeIndex = Effect.fnUntraced(function* (next: ArtifactIndex.ArtifactIndex, isTurnOver: boolean) {
    index = next
    if (index.complete) yield* Deferred.succeed(firstListLoaded, undefined)
    const changedEntries = Array.from(ArtifactIndex.values(index)).filter(
      (entry) => processed.get(entry.artifact.uri) !== entry && ArtifactChanges.isShowable(entry, index, { isTurnOver })
    )
    const now = yield* Clock.currentTimeMillis
    const changes = ArtifactChanges.computeChanges(cards, changedEntries, ArtifactChanges.deletedCards(cards, index), {
      turnId,
      now
    })
    if (changes.cards.length > 0) {
      yield* rows.keep(threadId, changes, now)
      cards = ArtifactChanges.merge(cards, changes.cards)
      show()
    }
    for (const entry of changedEntries) processed.set(entry.artifact.uri, entry)
  })

  show()
  const onIndex = (next: ArtifactIndex.ArtifactIndex) =>
    retryWhileStoreFails("An artifact", Effect.uninterruptible(storeIndex(next, false)))
  const followFiber = yield* artifacts.follow(session, { sessionId: session.sessionId, partial: true }, onIndex).pipe(
    Effect.catchAll((error) => Effect.logWarning("The artifacts cannot be followed any more", error.message)),
    Effect.forkScoped
  )

  return {
    finish: Effect.fnUntraced(function* (timeout) {
      const asOf = index.revision
      // The last push may still be processed; it counts, above all where the list does not come.
      const list = yield* artifacts.listAll({ sessionId: session.sessionId }).pipe(
        Effect.timeout(timeout),
        Effect.catchAll((error) =>
          Effect.as(Effect.logInfo(`The artifacts of ${session.sessionId} cannot be listed`, error.message), undefined)
        )
      )
      yield* Fiber.interrupt(followFiber)
      yield* storeIndex(list === undefined ? index : ArtifactIndex.load(index, list, { asOf, complete: true }), true)
    })
  }
})
