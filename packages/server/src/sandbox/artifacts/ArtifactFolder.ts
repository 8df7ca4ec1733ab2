import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Mailbox from "effect/Mailbox"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as FolderScan from "./FolderScan.ts"
import * as FolderWatch from "./FolderWatch.ts"

/** The folder for an agent's files for people. */
export interface ArtifactFolder {
  /** Reports every change since the last scan, as far as that takes only a few seconds; never fails. */
  readonly scan: Effect.Effect<void>
  /** Requests a scan without waiting for it. */
  readonly requestScan: () => void
  /** Scans the folder after every change, until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

/**
 * Makes the scanner of a folder whose `reportedFiles` were reported before; it reports at most `maxFiles` files.
 */
export const make = Effect.fn("ArtifactFolder.make")(function* (
  root: string,
  reportedFiles: ReadonlyMap<string, FolderScan.ReportedFile>,
  maxFiles: number,
  report: (changes: ReadonlyArray<FolderScan.Change>) => void
): Effect.fn.Return<ArtifactFolder, never, Scope.Scope> {
  const scanLock = yield* Effect.makeSemaphore(1)
  const scanRequests = yield* Mailbox.make<true>({ capacity: 1, strategy: "dropping" })
  const scope = yield* Effect.scope
  const requestScan = () => {
    scanRequests.unsafeOffer(true)
  }
  const watcher = makeWatcher(requestScan)
  const scanUnwatched = yield* makeUnwatchedScans(requestScan, report)
  const runScan = yield* makeScan(root, reportedFiles, maxFiles, { report, requestScan })
  let scanDelay = minScanDelayMs

  /**
   * Runs one scan at a time; the next one waits at least as long as this one took. Files are read in the background.
   */
  const scan = (includesUnfinished: boolean) =>
    scanLock.withPermits(1)(
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const { needsRescan, folders, waitForReads } = yield* Effect.tryPromise(() =>
          runScan({ includesUnfinished, enter: (folder, identity) => watcher.current()?.enter(folder, identity) })
        )
        watcher.current()?.retainOnly(folders)
        const durationMs = (yield* Clock.currentTimeMillis) - startedAt
        scanDelay = Math.max(minScanDelayMs, durationMs)
        if (needsRescan) requestScan()
        else if (watcher.current()?.hasUnwatchedFolders() === true) yield* scanUnwatched(durationMs)
        return waitForReads
      })
    )
  // The folder may change during the walk; the next scan reports what this one missed.
  const logAndContinue = Effect.catchAll(({ error }: Cause.UnknownException) =>
    Effect.logDebug("a scan of the artifacts folder failed", error)
  )

  yield* scanRequests.take.pipe(
    Effect.andThen(Effect.suspend(() => Effect.sleep(scanDelay))),
    Effect.andThen(logAndContinue(Effect.asVoid(scan(false)))),
    Effect.forever,
    // Only an ended mailbox fails, and this one ends with the scope.
    Effect.catchAll(() => Effect.void),
    Effect.forkScoped
  )

  /** Scans until no file changed while it was read, at most four times. */
  const scanUntilStable = scan(true).pipe(
    Effect.flatMap((read) => Effect.promise(read)),
    Effect.repeat({ while: (changed) => changed, times: 3 }),
    logAndContinue
  )

  return {
    // A slow scan goes on in the background, so that the end of a turn does not wait for gigabytes.
    scan: Effect.forkIn(scanUntilStable, scope).pipe(
      Effect.flatMap((fiber) => Effect.timeoutOption(fiber.await, scanTimeout)),
      Effect.asVoid
    ),
    requestScan,
    watch: watcher.run
  }
})

/** Makes the scan of a folder; the end of the scope aborts its reads. */
const makeScan = Effect.fnUntraced(function* (
  root: string,
  reportedFiles: ReadonlyMap<string, FolderScan.ReportedFile>,
  maxFiles: number,
  callbacks: Pick<FolderScan.Callbacks, "report" | "requestScan">
) {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  return FolderScan.make(root, reportedFiles, maxFiles, {
    ...callbacks,
    onReadError: (error) => run(Effect.logDebug("a file of the artifacts folder could not be read", error)),
    signal
  })
})

/** Watches a folder while `run` lasts; a new run takes the place of an earlier one. */
const makeWatcher = (requestScan: () => void) => {
  let current: FolderWatch.FolderWatch | undefined
  const open = () => {
    current?.close()
    const opened = FolderWatch.make(requestScan)
    current = opened
    requestScan()
    return opened
  }
  const close = (opened: FolderWatch.FolderWatch) => {
    opened.close()
    if (current === opened) current = undefined
  }
  return {
    current: () => current,
    run: Effect.asVoid(Effect.acquireRelease(Effect.sync(open), (opened) => Effect.sync(() => close(opened))))
  }
}

/**
 * Requests the next scan of a folder that is not watched as a whole, after a wait that follows the duration of the last
 * scan. Several long waits in a row are reported.
 */
const makeUnwatchedScans = Effect.fnUntraced(function* (
  requestScan: () => void,
  report: (changes: ReadonlyArray<FolderScan.Change>) => void
) {
  const delayedRequest = yield* FiberHandle.make()
  let slowScansInRow = 0
  return (durationMs: number) => {
    const wait = Math.max(blindScanDelayMs, 10 * durationMs)
    slowScansInRow = wait > slowScanDelayMs ? slowScansInRow + 1 : 0
    if (slowScansInRow === maxSlowScans) report([{ _tag: "Limited", kind: "slow" }])
    return FiberHandle.run(delayedRequest, Effect.andThen(Effect.sleep(wait), Effect.sync(requestScan)), {
      onlyIfMissing: true
    })
  }
})

const minScanDelayMs = 100
const blindScanDelayMs = 400
/** A longer interval between scans, this many times in a row, is reported. In milliseconds. */
const slowScanDelayMs = 1000
const maxSlowScans = 3
const scanTimeout = "5 seconds"
