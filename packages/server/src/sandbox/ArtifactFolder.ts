import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import * as FolderScan from "./FolderScan.ts"
import * as FolderWatch from "./FolderWatch.ts"

/** The folder in which an agent leaves files for people. */
export interface ArtifactFolder {
  /** Reports every change since the last scan once, as far as that takes no longer than a few seconds; never fails. */
  readonly scan: Effect.Effect<void>
  /** Has the folder scanned soon, without waiting for it. */
  readonly touch: () => void
  /** Has the folder scanned whenever something changes in it, until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

/** Makes the view of a folder whose `known` files were reported before; of more than `mostFiles` the rest is left out. */
export const make = Effect.fn("ArtifactFolder.make")(function* (
  root: string,
  known: ReadonlyMap<string, FolderScan.Known>,
  mostFiles: number,
  report: (changes: ReadonlyArray<FolderScan.Change>) => void
): Effect.fn.Return<ArtifactFolder, never, Scope.Scope> {
  const one = yield* Effect.makeSemaphore(1)
  const touched = yield* Mailbox.make<true>({ capacity: 1, strategy: "dropping" })
  const scope = yield* Effect.scope
  let watch: FolderWatch.FolderWatch | undefined
  let pause = leastPause

  const touch = () => {
    touched.unsafeOffer(true)
  }
  let waiting = false
  const touchLater = Effect.suspend(() => {
    if (waiting) return Effect.void
    waiting = true
    return Effect.sleep(Math.max(blindPause, 10 * pause)).pipe(
      Effect.andThen(() => {
        waiting = false
        touch()
      }),
      Effect.forkIn(scope)
    )
  })
  const look = FolderScan.make(root, known, mostFiles, report)

  /** One scan at a time; the next one waits at least as long as this one took. */
  const run = (atOnce: boolean) =>
    one.withPermits(1)(
      Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        const { again, folders } = yield* Effect.tryPromise((signal) =>
          look({ signal, atOnce, enter: (folder, identity) => watch?.enter(folder, identity) })
        )
        watch?.keep(folders)
        pause = Math.max(leastPause, (yield* Clock.currentTimeMillis) - began)
        if (again) touch()
        else if (watch?.isBlind() === true) yield* touchLater
      }).pipe(
        // The folder may be changing under the walk; the next scan sees what this one missed.
        Effect.catchAll(({ error }) => Effect.logDebug("a scan of the artifacts folder failed", error))
      )
    )

  yield* touched.take.pipe(
    Effect.andThen(Effect.suspend(() => Effect.sleep(pause))),
    Effect.andThen(run(false)),
    Effect.forever,
    // Only an ended mailbox fails, and this one ends with the scope.
    Effect.catchAll(() => Effect.void),
    Effect.forkScoped
  )

  const watching = Effect.acquireRelease(
    Effect.sync(() => {
      watch?.close()
      const begun = FolderWatch.make(touch)
      watch = begun
      touch()
      return begun
    }),
    (begun) =>
      Effect.sync(() => {
        begun.close()
        if (watch === begun) watch = undefined
      })
  )

  return {
    // What takes longer is reported when it is there: a turn's end does not wait for gigabytes.
    scan: Effect.forkIn(run(true), scope).pipe(
      Effect.flatMap((fiber) => Effect.timeoutOption(fiber.await, patience)),
      Effect.asVoid
    ),
    touch,
    watch: Effect.asVoid(watching)
  }
})

const leastPause = 100
const blindPause = 1000
const patience = "5 seconds"
