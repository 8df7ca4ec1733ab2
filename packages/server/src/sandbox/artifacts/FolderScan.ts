import type { BigIntStats } from "node:fs"
import * as Path from "node:path"
import * as FolderWalk from "./FolderWalk.ts"
import * as MediaFile from "./MediaFile.ts"
import * as OwnFile from "./OwnFile.ts"
import * as PlanFile from "./PlanFile.ts"
import * as ReadQueue from "./ReadQueue.ts"

/** A change of the folder; `path` is relative to it, with `/` between its parts. */
export type Change =
  /** A file is new or changed; `plan` is its text when it is the agent's plan. */
  | {
      readonly _tag: "Written"
      readonly path: string
      readonly file: MediaFile.MediaFile
      readonly plan?: string
    }
  | { readonly _tag: "Gone"; readonly path: string }
  /** The folder has more files than the limit; reported once until that changes. */
  | { readonly _tag: "Overfull"; readonly files: number }
  /** Something is not shown, or not soon; each kind is reported once. */
  | { readonly _tag: "Limited"; readonly kind: FolderWalk.OmittedKind | "slow" }

/** A file that an earlier process reported. */
export interface ReportedFile {
  readonly size: number
  readonly md5: string | undefined
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** The settings of one scan. */
export interface ScanSettings {
  /** Also reports files that are being written. */
  readonly includesUnfinished: boolean
  readonly enter: (folder: string, identity: string) => void
}

/** The result of a scan. */
export interface ScanResult {
  /** A file is still changing, so another scan is necessary. */
  readonly needsRescan: boolean
  readonly folders: ReadonlySet<string>
  /** Waits until the pending files are read and reported; returns whether one has changed meanwhile. */
  readonly waitForReads: () => Promise<boolean>
}

/** The callbacks of a scan. */
export interface Callbacks {
  readonly report: (changes: ReadonlyArray<Change>) => void
  readonly requestScan: () => void
  /** A file could not be read. */
  readonly onReadError: (error: unknown) => void
  /** Stops all reads. */
  readonly signal: AbortSignal
}

/**
 * Makes the scan of a folder: each run compares it with the files that earlier runs have reported. Files are read in
 * the background, small ones first, and reported after the read. A file that is being written is reported when it
 * rests, or after a while in its current state, and later again.
 */
export const make = (
  root: string,
  reportedFiles: ReadonlyMap<string, ReportedFile>,
  maxFiles: number,
  callbacks: Callbacks
): ((settings: ScanSettings) => Promise<ScanResult>) => {
  const states = new Map<string, FileState>(
    [...reportedFiles].map(([path, { md5, size, updatedAt }]) => [
      path,
      { ...unread, stamp: "", md5, size, readAt: updatedAt }
    ])
  )
  const folder: Folder = {
    root,
    states,
    limits: { files: maxFiles, names: 4 * maxFiles, depth: 24 },
    changes: makeChanges(callbacks),
    callbacks
  }
  const reads = makeReads(folder)
  const leftOut = new Set<FolderWalk.OmittedKind>()
  let overfull = false

  return async ({ includesUnfinished, enter }) => {
    const now = Date.now()
    const walked = await FolderWalk.walk(root, folder.limits, enter)
    for (const kind of walked.omitted) {
      if (!leftOut.has(kind)) folder.changes.add({ _tag: "Limited", kind })
      leftOut.add(kind)
    }
    // Missing files first, which makes room below the limit.
    const files = await reportMissing(folder, reads, walked)
    const { due, omittedCount, isChanging } = dueFiles(folder, reads, files, { now, atOnce: includesUnfinished })
    const isOverfull = omittedCount > 0 || walked.isOverfull
    if (isOverfull && !overfull) folder.changes.add({ _tag: "Overfull", files: maxFiles })
    overfull = isOverfull

    due.sort((a, b) => Number(a.stat.size - b.stat.size))
    for (const file of due) reads.enqueue(file, hasRested(file.stat, now))
    const pendingJobs = [...reads.jobs.values()]
    const whenRead = async () => {
      await Promise.all(pendingJobs.map(({ done }) => done))
      folder.changes.flush()
      return pendingJobs.some(({ stampWhileReading }) => stampWhileReading !== undefined)
    }
    return { needsRescan: walked.isUncertain || isChanging, folders: walked.folders, waitForReads: whenRead }
  }
}

/** The state of the folder between two scans. */
interface Folder {
  readonly root: string
  readonly states: Map<string, FileState>
  readonly limits: FolderWalk.Limits
  readonly changes: Changes
  readonly callbacks: Callbacks
}

/** Reports changes in batches. */
interface Changes {
  readonly add: (change: Change) => void
  readonly flush: () => void
}

const makeChanges = ({ report, signal }: Callbacks): Changes => {
  let batch: Array<Change> = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (batch.length > 0 && !signal.aborted) report(batch)
    batch = []
  }
  return {
    add: (change) => {
      batch.push(change)
      if (batch.length >= maxBatch) flush()
      else timer ??= setTimeout(flush, batchDelayMs)
    },
    flush
  }
}

/** The queued and running reads. */
interface Reads {
  readonly jobs: ReadonlyMap<string, Job>
  readonly enqueue: (due: Due, atRest: boolean) => void
  /** Removes a read that has not started. */
  readonly withdraw: (job: Job) => void
}

interface Due {
  readonly path: string
  readonly stat: BigIntStats
  /** Reports the file even if it is being written. */
  readonly includesUnfinished: boolean
}

const makeReads = (folder: Folder): Reads => {
  const { requestScan, onReadError, signal } = folder.callbacks
  const jobs = new Map<string, Job>()
  let hashingBytes = 0
  const settle = (job: Job) => {
    jobs.delete(job.path)
    if (job.computesHash) hashingBytes -= job.size
    job.settle()
  }
  const queue = ReadQueue.make<Job>(async (job) => {
    job.isRunning = true
    try {
      const needsRetry = await read(folder, job)
      if (
        needsRetry ||
        (job.stampWhileReading !== undefined && job.stampWhileReading !== folder.states.get(job.path)?.stamp)
      )
        requestScan()
    } catch (error) {
      if (!signal.aborted) onReadError(error)
    } finally {
      settle(job)
    }
  })
  return {
    jobs,
    enqueue: ({ includesUnfinished, path, stat }, isAtRest) => {
      const bytes = Number(stat.size)
      const computesHash =
        bytes <= ReadQueue.maxSmallBytes ||
        (bytes <= MediaFile.maxHashedBytes && hashingBytes + bytes <= maxHashingBytes)
      const size = computesHash ? bytes : 0
      hashingBytes += size
      let settled = () => {}
      const done = new Promise<void>((resolve) => (settled = resolve))
      const job: Job = {
        path,
        size,
        computesHash,
        includesUnfinished,
        isAtRest,
        isRunning: false,
        isGone: false,
        done,
        settle: settled
      }
      jobs.set(path, job)
      queue.put(job)
    },
    withdraw: (job) => {
      queue.drop(job)
      settle(job)
    }
  }
}

/** Reads one file and reports it; returns whether it must be read again. */
const read = async ({ changes, callbacks, root, states }: Folder, job: Job): Promise<boolean> => {
  const { includesUnfinished, isAtRest, path } = job
  const { signal } = callbacks
  signal.throwIfAborted()
  const previous = states.get(path) ?? unread
  const startedAt = Date.now()
  // Only the parent of the task's folder is trusted: an agent can replace the task's folder itself.
  const opened = await OwnFile.open(Path.dirname(Path.dirname(root)), root, path)
  // Deleted or replaced since the walk; the next scan reports it.
  if (opened === undefined) {
    if (previous.size === undefined) states.delete(path)
    return false
  }
  try {
    const size = Number(opened.stat.size)
    // It has grown too large for the queue of small files.
    if (job.computesHash && job.size <= ReadQueue.maxSmallBytes && size > ReadQueue.maxSmallBytes) return true
    const hash = job.computesHash && size <= MediaFile.maxHashedBytes
    const { file, head, isStable } = await MediaFile.describe(opened, path, { hash, signal })
    if (job.isGone) return true
    if (!isStable && !includesUnfinished && isAtRest) return true
    // The stamp cannot show a write in the same clock tick as the read.
    const isCertain = isStable && Date.now() - Number(opened.stat.ctimeMs) >= clockToleranceMs
    const now = Date.now()
    // Hashing a file that never rests may take a twentieth of the time.
    const maxWait = Math.min(Math.max(maxWaitsMs.usual, 20 * (now - startedAt)), maxWaitsMs.last)
    states.set(path, {
      stamp: isCertain ? stampOf(opened.stat) : "",
      md5: file.md5,
      size: file.size,
      readAt: now,
      waitingSince: 0,
      maxWaitMs: isAtRest ? maxWaitsMs.first : Math.min(2 * previous.maxWaitMs, maxWait)
    })
    if (!isSame(previous, file, opened.stat)) {
      const plan = PlanFile.textOf(path, file, head)
      changes.add({ _tag: "Written", path, file, ...(plan === undefined ? {} : { plan }) })
    }
    return !isCertain
  } finally {
    await opened.file.close()
  }
}

/**
 * Reports deleted files; returns the existing ones, also those that an incomplete walk did not reach.
 */
const reportMissing = async (
  { changes, root, states }: Folder,
  reads: Reads,
  walked: FolderWalk.Walk
): Promise<ReadonlyMap<string, BigIntStats>> => {
  const files = new Map(walked.files)
  const missing = [...states.keys()].filter((path) => !files.has(path))
  const stats = walked.isComplete ? new Map<string, BigIntStats>() : await FolderWalk.filesOf(root, missing)
  for (const path of missing) {
    const stat = stats.get(path)
    if (stat !== undefined) {
      files.set(path, stat)
      continue
    }
    const job = reads.jobs.get(path)
    if (job?.isRunning === true) job.isGone = true
    else if (job !== undefined) reads.withdraw(job)
    if (states.get(path)?.size !== undefined) changes.add({ _tag: "Gone", path })
    states.delete(path)
  }
  return files
}

/**
 * The files to read now; `omittedCount` is the number beyond the limit, `isChanging` tells whether one is still
 * changing.
 */
const dueFiles = (
  { limits, states }: Folder,
  reads: Reads,
  files: ReadonlyMap<string, BigIntStats>,
  { atOnce, now }: { readonly atOnce: boolean; readonly now: number }
) => {
  const due: Array<Due> = []
  let freeSlots = limits.files - states.size
  let omittedCount = 0
  let isChanging = false
  for (const [path, stat] of files) {
    const previous = states.get(path)
    const job = reads.jobs.get(path)
    if (job?.isRunning === true) {
      job.stampWhileReading = stampOf(stat)
      continue
    }
    if (previous?.stamp === stampOf(stat)) continue
    if (previous === undefined && (freeSlots -= 1) < 0) {
      omittedCount += 1
      continue
    }
    const current = previous ?? { ...unread }
    // Keeps its place below the limit, and the time since which it waits.
    states.set(path, current)
    const isForced = atOnce || job?.includesUnfinished === true
    if (job !== undefined) reads.withdraw(job)
    if (!isForced && !hasRested(stat, now) && now - (current.waitingSince ||= now) < current.maxWaitMs)
      isChanging = true
    else due.push({ path, stat, includesUnfinished: isForced })
  }
  return { due, omittedCount, isChanging }
}

interface FileState {
  /** The stamp of the last read content; empty when the file must be read again. */
  readonly stamp: string
  readonly md5: string | undefined
  /** Undefined before the first report. */
  readonly size: number | undefined
  /** The time of the last read. */
  readonly readAt: number
  /** Since when a change waits for the file to rest; 0 when none waits. */
  waitingSince: number
  /** The longest wait for a file to rest; it grows while a file never rests. */
  readonly maxWaitMs: number
}

/** A queued or running read of a file. */
interface Job extends ReadQueue.Read {
  readonly path: string
  readonly computesHash: boolean
  readonly includesUnfinished: boolean
  readonly isAtRest: boolean
  isRunning: boolean
  /** A scan found the file deleted during the read. */
  isGone: boolean
  /** The stamp that a scan found during the read. */
  stampWhileReading?: string
  readonly done: Promise<void>
  readonly settle: () => void
}

const stampOf = ({ ctimeNs, ino, mtimeNs, size }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

const hasRested = (stat: BigIntStats, now: number): boolean => now - Number(stat.ctimeMs) >= restMs

/** Tells whether a file is as reported; without a hash its times decide. */
const isSame = (previous: FileState, file: MediaFile.MediaFile, stat: BigIntStats): boolean =>
  previous.size === file.size &&
  (previous.md5 === undefined || file.md5 === undefined
    ? previous.md5 === file.md5 && Number(stat.ctimeMs) <= previous.readAt
    : previous.md5 === file.md5)

/**
 * The longest waits for a file that does not rest: at first, later, and where its hash takes long.
 */
const maxWaitsMs = { first: 1000, usual: 4000, last: 60_000 }

const unread: FileState = {
  stamp: "",
  md5: undefined,
  size: undefined,
  readAt: 0,
  waitingSince: 0,
  maxWaitMs: maxWaitsMs.first
}

/** A file without a write for this long counts as finished. */
const restMs = 150
/** More than the clock resolution of any file system. */
const clockToleranceMs = 50

/** Reads within this time are reported together. */
const batchDelayMs = 20
const maxBatch = 100
/** When more bytes wait for their hash, further files get none. */
const maxHashingBytes = 2 * 1024 ** 3
