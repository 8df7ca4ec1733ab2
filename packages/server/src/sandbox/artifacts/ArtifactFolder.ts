import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
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

/**
 * Makes the view of a folder whose `known` files were reported before; of more than `maxFiles` the rest is left out.
 */
export const make = Effect.fn("ArtifactFolder.make")(function* (
  root: string,
  known: ReadonlyMap<string, FolderScan.Known>,
  maxFiles: number,
  report: (changes: ReadonlyArray<FolderScan.Change>) => void
): Effect.fn.Return<ArtifactFolder, never, Scope.Scope> {
  const one = yield* Effect.makeSemaphore(1)
  const touched = yield* Mailbox.make<true>({ capacity: 1, strategy: "dropping" })
  const scope = yield* Effect.scope
  let watch: FolderWatch.FolderWatch | undefined
  let pause = leastPause
  let slow = 0

  const touch = () => {
    touched.unsafeOffer(true)
  }
  let waiting = false
  const touchLater = (wait: number) =>
    Effect.suspend(() => {
      if (waiting) return Effect.void
      waiting = true
      return Effect.sleep(wait).pipe(
        Effect.andThen(() => {
          waiting = false
          touch()
        }),
        Effect.forkIn(scope)
      )
    })
  const ending = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  const look = FolderScan.make(root, known, maxFiles, {
    report,
    again: touch,
    failed: (error) => run(Effect.logDebug("a file of the artifacts folder could not be read", error)),
    signal: ending.signal
  })

  /** One scan at a time; the next one waits at least as long as this one took. Files are read behind it. */
  const scan = (atOnce: boolean) =>
    one.withPermits(1)(
      Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        const { again, folders, read } = yield* Effect.tryPromise(() =>
          look({ atOnce, enter: (folder, identity) => watch?.enter(folder, identity) })
        )
        watch?.keep(folders)
        const took = (yield* Clock.currentTimeMillis) - began
        pause = Math.max(leastPause, took)
        if (again) touch()
        else if (watch?.isBlind() === true) {
          const wait = Math.max(blindPause, 10 * took)
          slow = wait > slowPause ? slow + 1 : 0
          if (slow === slowScans) report([{ _tag: "Limited", kind: "slow" }])
          yield* touchLater(wait)
        }
        return read
      })
    )
  // The folder may be changing under the walk; the next scan sees what this one missed.
  const orLater = Effect.catchAll(({ error }: Cause.UnknownException) =>
    Effect.logDebug("a scan of the artifacts folder failed", error)
  )

  yield* touched.take.pipe(
    Effect.andThen(Effect.suspend(() => Effect.sleep(pause))),
    Effect.andThen(orLater(Effect.asVoid(scan(false)))),
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

  /** Until nothing has changed while it was read, within reason. */
  const toEnd = scan(true).pipe(
    Effect.flatMap((read) => Effect.promise(read)),
    Effect.repeat({ while: (changed) => changed, times: 3 }),
    orLater
  )

  return {
    // What takes longer is reported when it is there: a turn's end does not wait for gigabytes.
    scan: Effect.forkIn(toEnd, scope).pipe(
      Effect.flatMap((fiber) => Effect.timeoutOption(fiber.await, patience)),
      Effect.asVoid
    ),
    touch,
    watch: Effect.asVoid(watching)
  }
})

const leastPause = 100
const blindPause = 400
/** A longer interval between scans, this many times in a row, is reported. In milliseconds. */
const slowPause = 1000
const slowScans = 3
const patience = "5 seconds"
