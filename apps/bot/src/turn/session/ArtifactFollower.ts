import type * as AcpSession from "@heddle/acp/AcpSession"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { retryWhileStoreFails } from "../../store/database/RetryPolicy.ts"
import type { FileRef } from "../../model/Post.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import * as CardFiles from "./files/CardFiles.ts"
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
  const lock = yield* Effect.makeSemaphore(1)
  /** The rows get the changes in their order. */
  const inOrder = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    retryWhileStoreFails("An artifact", Effect.uninterruptible(lock.withPermits(1)(work)))

  const entryOf = Effect.fnUntraced(function* (uri: string) {
    // After a restart the card is known before the list has come.
    if (ArtifactIndex.get(index, uri) === undefined) {
      yield* Effect.timeoutOption(Deferred.await(firstListLoaded), "10 seconds")
    }
    return ArtifactIndex.get(index, uri)
  })

  const storeCards = Effect.fnUntraced(function* (changes: ArtifactChanges.CardChanges) {
    if (changes.cards.length === 0) return
    yield* rows.keep(threadId, changes, yield* Clock.currentTimeMillis)
    cards = ArtifactChanges.merge(cards, changes.cards)
    show()
  })

  const files = yield* CardFiles.make({
    artifacts,
    entryOf,
    store: (file, state) =>
      inOrder(
        Effect.gen(function* () {
          // A reconnect may have changed them meanwhile.
          cards = yield* rows.ofThread(threadId)
          yield* storeCards(ArtifactChanges.fileChanges(cards, file, state, turnId))
        })
      ),
    uploadLimit: options.uploadLimit
  })

  const show = () => options.show({ cards, load: files.load })

  const storeIndex = Effect.fnUntraced(function* (next: ArtifactIndex.ArtifactIndex, isTurnOver: boolean) {
    index = next
    if (index.complete) yield* Deferred.succeed(firstListLoaded, undefined)
    const changedEntries = Array.from(ArtifactIndex.values(index)).filter(
      (entry) => processed.get(entry.artifact.uri) !== entry && ArtifactChanges.isShowable(entry, index, { isTurnOver })
    )
    const deleted = ArtifactChanges.deletedCards(cards, index)
    const time = { turnId, now: yield* Clock.currentTimeMillis }
    yield* storeCards(ArtifactChanges.computeChanges(cards, changedEntries, deleted, time))
    for (const entry of changedEntries) {
      processed.set(entry.artifact.uri, entry)
      const card = cards.find(({ uri }) => uri === entry.artifact.uri)
      if (card !== undefined && ArtifactChanges.isFileMissing(card)) yield* files.refetch(card)
    }
  }, inOrder)

  show()
  const onIndex = (next: ArtifactIndex.ArtifactIndex) => storeIndex(next, false)
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
      yield* Effect.timeoutOption(files.refetched, timeout)
    })
  }
})
