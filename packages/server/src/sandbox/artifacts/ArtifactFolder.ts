import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
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
  const scope = yield* Effect.scope
  const runFork = Runtime.runFork(yield* Effect.runtime<never>())
  let isScanning = false
  let isRequested = false
  // No fiber waits while nothing is requested: an idle session would keep its memory.
  const requestScan = () => {
    isRequested = true
    if (isScanning) return
    isScanning = true
    runFork(scanRequested, { scope, immediate: false })
  }
  const watcher = makeWatcher(requestScan)
  const scanUnwatched = makeUnwatchedScans(requestScan, report, (effect) => runFork(effect, { scope }))
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
          runScan()({ includesUnfinished, enter: (folder, identity) => watcher.current()?.enter(folder, identity) })
        )
        watcher.current()?.retainOnly(folders)
        const durationMs = (yield* Clock.currentTimeMillis) - startedAt
        scanDelay = Math.max(minScanDelayMs, durationMs)
        if (needsRescan) requestScan()
        else if (watcher.current()?.hasUnwatchedFolders() === true) scanUnwatched(durationMs)
        return waitForReads
      })
    )
  // The folder may change during the walk; the next scan reports what this one missed.
  const logAndContinue = Effect.catchAll(({ error }: Cause.UnknownException) =>
    Effect.logDebug("a scan of the artifacts folder failed", error)
  )

  const scanRequested: Effect.Effect<void> = Effect.suspend(() => Effect.sleep(scanDelay)).pipe(
    Effect.andThen(
      Effect.suspend(() => {
        isRequested = false
        return logAndContinue(Effect.asVoid(scan(false)))
      })
    ),
    Effect.repeat({ while: () => isRequested }),
    Effect.ensuring(Effect.sync(() => (isScanning = false)))
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

/** Makes the scan of a folder when it is first needed; the end of the scope aborts its reads. */
const makeScan = Effect.fnUntraced(function* (
  root: string,
  reportedFiles: ReadonlyMap<string, FolderScan.ReportedFile>,
  maxFiles: number,
  callbacks: Pick<FolderScan.Callbacks, "report" | "requestScan">
) {
  let controller: AbortController | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => controller?.abort()))
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  let scan: ReturnType<typeof FolderScan.make> | undefined
  return () => {
    controller ??= new AbortController()
    return (scan ??= FolderScan.make(root, reportedFiles, maxFiles, {
      ...callbacks,
      onReadError: (error) => run(Effect.logDebug("a file of the artifacts folder could not be read", error)),
      signal: controller.signal
    }))
  }
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
const makeUnwatchedScans = (
  requestScan: () => void,
  report: (changes: ReadonlyArray<FolderScan.Change>) => void,
  fork: (effect: Effect.Effect<void>) => void
) => {
  let isDelayed = false
  let slowScansInRow = 0
  return (durationMs: number): void => {
    const wait = Math.max(blindScanDelayMs, 10 * durationMs)
    slowScansInRow = wait > slowScanDelayMs ? slowScansInRow + 1 : 0
    if (slowScansInRow === maxSlowScans) report([{ _tag: "Limited", kind: "slow" }])
    if (isDelayed) return
    isDelayed = true
    fork(
      Effect.andThen(Effect.sleep(wait), () => {
        isDelayed = false
        requestScan()
      })
    )
  }
}

const minScanDelayMs = 100
const blindScanDelayMs = 400
/** A longer interval between scans, this many times in a row, is reported. In milliseconds. */
const slowScanDelayMs = 1000
const maxSlowScans = 3
const scanTimeout = "5 seconds"
