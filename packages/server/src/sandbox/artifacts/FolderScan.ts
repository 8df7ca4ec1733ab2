import type { BigIntStats } from "node:fs"
import * as Path from "node:path"
import * as FolderWalk from "./FolderWalk.ts"
import * as MediaFile from "./MediaFile.ts"
import * as OwnFile from "./OwnFile.ts"
import * as PlanFile from "./PlanFile.ts"
import * as ReadQueue from "./ReadQueue.ts"

/** A change of the folder; `path` is relative to it, with `/` between its parts. */
export type Change =
  /** A file appeared or changed; `plan` is its text when it is the agent's plan. */
  | {
      readonly _tag: "Written"
      readonly path: string
      readonly file: MediaFile.MediaFile
      readonly plan?: string
    }
  | { readonly _tag: "Gone"; readonly path: string }
  /** There are more files than are looked at; told once until it is no longer so. */
  | { readonly _tag: "Overfull"; readonly files: number }
  /** Something is not shown, or not soon; each kind is told once. */
  | { readonly _tag: "Limited"; readonly kind: FolderWalk.LeftOut | "slow" }

/** What was reported of a file before this process looked at the folder. */
export interface Known {
  readonly size: number
  readonly md5: string | undefined
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** How one scan is to be done. */
export interface Settings {
  /** Reports files as they stand, also those that are just being written. */
  readonly atOnce: boolean
  readonly enter: (folder: string, identity: string) => void
}

/** What a scan leaves. */
export interface Scanned {
  /** Something is still changing: another scan has to follow. */
  readonly again: boolean
  readonly folders: ReadonlySet<string>
  /** When the files that were found are read and reported; whether one has changed meanwhile. */
  readonly read: () => Promise<boolean>
}

/** What a scan acts upon. */
export interface Outside {
  readonly report: (changes: ReadonlyArray<Change>) => void
  /** Another scan has to follow. */
  readonly again: () => void
  /** A file could not be read. */
  readonly failed: (error: unknown) => void
  /** Ends all reading. */
  readonly signal: AbortSignal
}

/**
 * Makes the scan of a folder: each run compares it with what the runs before have reported. Files are read behind the
 * scan, small ones first, and each is reported once it is read. A file that is still being written is reported when it
 * has come to rest, or after a while as it stands, and later again.
 */
export const make = (
  root: string,
  known: ReadonlyMap<string, Known>,
  maxFiles: number,
  outside: Outside
): ((settings: Settings) => Promise<Scanned>) => {
  const seen = new Map<string, Seen>(
    [...known].map(([path, { md5, size, updatedAt }]) => [path, { ...unread, stamp: "", md5, size, at: updatedAt }])
  )
  const folder: Folder = {
    root,
    seen,
    limits: { files: maxFiles, names: 4 * maxFiles, depth: 8 },
    changes: makeChanges(outside),
    outside
  }
  const reads = makeReads(folder)
  const leftOut = new Set<FolderWalk.LeftOut>()
  let overfull = false

  return async ({ atOnce, enter }) => {
    const now = Date.now()
    const found = await FolderWalk.walk(root, folder.limits, enter)
    for (const kind of found.leftOut) {
      if (!leftOut.has(kind)) folder.changes.add({ _tag: "Limited", kind })
      leftOut.add(kind)
    }
    // Missing files first, so that their places are free.
    const files = await takeMissing(folder, reads, found)
    const { due, left, waits } = dueFiles(folder, reads, files, { now, atOnce })
    const isOverfull = left > 0 || found.overfull
    if (isOverfull && !overfull) folder.changes.add({ _tag: "Overfull", files: maxFiles })
    overfull = isOverfull

    due.sort((a, b) => Number(a.stat.size - b.stat.size))
    for (const one of due) reads.enqueue(one, isAtRest(one.stat, now))
    const waited = [...reads.jobs.values()]
    const whenRead = async () => {
      await Promise.all(waited.map(({ done }) => done))
      folder.changes.flush()
      return waited.some(({ passed }) => passed !== undefined)
    }
    return { again: found.unsure || waits, folders: found.folders, read: whenRead }
  }
}

/** What is known of the folder between two scans. */
interface Folder {
  readonly root: string
  readonly seen: Map<string, Seen>
  readonly limits: FolderWalk.Limits
  readonly changes: Changes
  readonly outside: Outside
}

/** Reports changes together that come at about the same time. */
interface Changes {
  readonly add: (change: Change) => void
  readonly flush: () => void
}

const makeChanges = ({ report, signal }: Outside): Changes => {
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
      if (batch.length >= perReport) flush()
      else timer ??= setTimeout(flush, gathering)
    },
    flush
  }
}

/** The files that wait to be read or are being read. */
interface Reads {
  readonly jobs: ReadonlyMap<string, Job>
  readonly enqueue: (due: Due, atRest: boolean) => void
  /** Takes a file back that is not being read yet. */
  readonly withdraw: (job: Job) => void
}

interface Due {
  readonly path: string
  readonly stat: BigIntStats
  /** Reports the file as it stands. */
  readonly atOnce: boolean
}

const makeReads = (folder: Folder): Reads => {
  const { again, failed, signal } = folder.outside
  const jobs = new Map<string, Job>()
  let hashing = 0
  const settle = (job: Job) => {
    jobs.delete(job.path)
    if (job.hash) hashing -= job.size
    job.settle()
  }
  const queue = ReadQueue.make<Job>(async (job) => {
    job.running = true
    try {
      const unsure = await read(folder, job)
      if (unsure || (job.passed !== undefined && job.passed !== folder.seen.get(job.path)?.stamp)) again()
    } catch (error) {
      if (!signal.aborted) failed(error)
    } finally {
      settle(job)
    }
  })
  return {
    jobs,
    enqueue: ({ atOnce, path, stat }, atRest) => {
      const bytes = Number(stat.size)
      const hash = bytes <= ReadQueue.maxSmallBytes || (bytes <= MediaFile.maxHashed && hashing + bytes <= maxHashing)
      const size = hash ? bytes : 0
      hashing += size
      let settled = () => {}
      const done = new Promise<void>((resolve) => (settled = resolve))
      const job: Job = { path, size, hash, atOnce, atRest, running: false, gone: false, done, settle: settled }
      jobs.set(path, job)
      queue.put(job)
    },
    withdraw: (job) => {
      queue.drop(job)
      settle(job)
    }
  }
}

/** Reads one file and reports it; tells whether it has to be looked at again. */
const read = async ({ changes, outside, root, seen }: Folder, job: Job): Promise<boolean> => {
  const { atOnce, atRest, path } = job
  const { signal } = outside
  signal.throwIfAborted()
  const before = seen.get(path) ?? unread
  const began = Date.now()
  // Trusted is what lies above the task's own folder, which an agent can move away.
  const opened = await OwnFile.open(Path.dirname(Path.dirname(root)), root, path)
  // Gone or replaced since the walk: the next scan tells.
  if (opened === undefined) {
    if (before.size === undefined) seen.delete(path)
    return false
  }
  try {
    const size = Number(opened.stat.size)
    // It has grown too large for the queue of small files.
    if (job.hash && job.size <= ReadQueue.maxSmallBytes && size > ReadQueue.maxSmallBytes) return true
    const hash = job.hash && size <= MediaFile.maxHashed
    const { file, head, steady } = await MediaFile.describe(opened, path, { hash, signal })
    if (job.gone) return true
    if (!steady && !atOnce && atRest) return true
    // Written to in the same tick of the clock as it was read: the stamp would not show it.
    const sure = steady && Date.now() - Number(opened.stat.ctimeMs) >= tick
    const now = Date.now()
    // A file that never rests may take a twentieth of the time for its hash.
    const most = Math.min(Math.max(patiences.usual, 20 * (now - began)), patiences.last)
    seen.set(path, {
      stamp: sure ? stampOf(opened.stat) : "",
      md5: file.md5,
      size: file.size,
      at: now,
      since: 0,
      patience: atRest ? patiences.first : Math.min(2 * before.patience, most)
    })
    if (!isSame(before, file, opened.stat)) {
      const plan = PlanFile.textOf(path, file, head)
      changes.add({ _tag: "Written", path, file, ...(plan === undefined ? {} : { plan }) })
    }
    return !sure
  } finally {
    await opened.file.close()
  }
}

/**
 * Reports files that are gone; gives those that are there, also where the walk was cut short before it came past them.
 */
const takeMissing = async (
  { changes, root, seen }: Folder,
  reads: Reads,
  found: FolderWalk.Walk
): Promise<ReadonlyMap<string, BigIntStats>> => {
  const files = new Map(found.files)
  const missing = [...seen.keys()].filter((path) => !files.has(path))
  const stats = found.complete ? new Map<string, BigIntStats>() : await FolderWalk.filesOf(root, missing)
  for (const path of missing) {
    const stat = stats.get(path)
    if (stat !== undefined) {
      files.set(path, stat)
      continue
    }
    const job = reads.jobs.get(path)
    if (job?.running === true) job.gone = true
    else if (job !== undefined) reads.withdraw(job)
    if (seen.get(path)?.size !== undefined) changes.add({ _tag: "Gone", path })
    seen.delete(path)
  }
  return files
}

/**
 * The files that are to be read now; `left` counts those beyond the limit, `waits` tells whether one is still
 * changing.
 */
const dueFiles = (
  { limits, seen }: Folder,
  reads: Reads,
  files: ReadonlyMap<string, BigIntStats>,
  { atOnce, now }: { readonly atOnce: boolean; readonly now: number }
) => {
  const due: Array<Due> = []
  let free = limits.files - seen.size
  let left = 0
  let waits = false
  for (const [path, stat] of files) {
    const before = seen.get(path)
    const job = reads.jobs.get(path)
    if (job?.running === true) {
      job.passed = stampOf(stat)
      continue
    }
    if (before?.stamp === stampOf(stat)) continue
    if (before === undefined && (free -= 1) < 0) {
      left += 1
      continue
    }
    const current = before ?? { ...unread }
    // Its place is kept, and so is the moment since which it waits.
    seen.set(path, current)
    const demanded = atOnce || job?.atOnce === true
    if (job !== undefined) reads.withdraw(job)
    if (!demanded && !isAtRest(stat, now) && now - (current.since ||= now) < current.patience) waits = true
    else due.push({ path, stat, atOnce: demanded })
  }
  return { due, left, waits }
}

interface Seen {
  /** Of the content that was read last; empty when that has to be looked at again. */
  readonly stamp: string
  readonly md5: string | undefined
  /** Undefined while nothing was reported. */
  readonly size: number | undefined
  /** When it was read last. */
  readonly at: number
  /** Since when a change waits for the file to come to rest, 0 when none does. */
  since: number
  /** How long such a change waits at most; it grows while a file never rests. */
  readonly patience: number
}

/** A file that is to be read. */
interface Job extends ReadQueue.Read {
  readonly path: string
  readonly hash: boolean
  readonly atOnce: boolean
  readonly atRest: boolean
  running: boolean
  /** A scan did not find the file any more while it was read. */
  gone: boolean
  /** What a scan found of the file while it was read. */
  passed?: string
  readonly done: Promise<void>
  readonly settle: () => void
}

const stampOf = ({ ctimeNs, ino, mtimeNs, size }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

const isAtRest = (stat: BigIntStats, now: number): boolean => now - Number(stat.ctimeMs) >= rest

/** Tells whether a file is as it was reported; without a hash its times have to tell. */
const isSame = (before: Seen, file: MediaFile.MediaFile, stat: BigIntStats): boolean =>
  before.size === file.size &&
  (before.md5 === undefined || file.md5 === undefined
    ? before.md5 === file.md5 && Number(stat.ctimeMs) <= before.at
    : before.md5 === file.md5)

/**
 * How long a change of a file that does not rest waits: at first, later, and where its hash takes long. Milliseconds.
 */
const patiences = { first: 1000, usual: 4000, last: 60_000 }

const unread: Seen = { stamp: "", md5: undefined, size: undefined, at: 0, since: 0, patience: patiences.first }

/** A file without a write for this long counts as finished, in milliseconds. */
const rest = 150
/** More than the clock of any file system is coarse, in milliseconds. */
const tick = 50

/** Reads within this many milliseconds are reported together. */
const gathering = 20
const perReport = 100
/** Of more bytes that wait for their hash, what comes next goes without one. */
const maxHashing = 2 * 1024 ** 3
