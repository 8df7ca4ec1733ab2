import type { BigIntStats } from "node:fs"
import * as Path from "node:path"
import * as FolderWalk from "./FolderWalk.ts"
import * as MediaFile from "./MediaFile.ts"
import * as OwnFile from "./OwnFile.ts"
import * as PlanFile from "./PlanFile.ts"

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

/** What was reported of a file before this process looked at the folder. */
export interface Known {
  readonly size: number
  readonly md5: string | undefined
  /** Epoch milliseconds. */
  readonly updatedAt: number
}

/** How one scan is to be done. */
export interface Settings {
  readonly signal: AbortSignal
  /** Reports files as they stand, also those that are just being written. */
  readonly atOnce: boolean
  readonly enter: (folder: string, identity: string) => void
}

/** What a scan leaves. */
export interface Scanned {
  /** Something is still changing: another scan has to follow. */
  readonly again: boolean
  readonly folders: ReadonlySet<string>
}

/**
 * Makes the scan of a folder: each run compares it with what the runs before have reported. A file that is still being
 * written is reported when it has come to rest, or after a while as it stands, and later again.
 */
export const make = (
  root: string,
  known: ReadonlyMap<string, Known>,
  mostFiles: number,
  report: (changes: ReadonlyArray<Change>) => void
): ((settings: Settings) => Promise<Scanned>) => {
  const seen = new Map<string, Seen>(
    [...known].map(([path, { md5, size, updatedAt }]) => [path, { ...unread, stamp: "", md5, size, at: updatedAt }])
  )
  const limits = { files: mostFiles, names: 4 * mostFiles, depth: 8 }
  // Above the task's own folder, which an agent can move away.
  const trusted = Path.dirname(Path.dirname(root))
  let overfull = false

  return async ({ atOnce, enter, signal }) => {
    const now = Date.now()
    const found = await FolderWalk.walk(root, limits, enter)
    let again = false
    let batch: Array<Change> = []
    const tell = (change: Change) => {
      batch.push(change)
      if (batch.length >= perReport) flush()
    }
    const flush = () => {
      if (batch.length > 0) report(batch)
      batch = []
    }

    // First what is gone, so that its places are free. A walk that was cut short may not have come past what is still there.
    const files = new Map(found.files)
    const missing = [...seen.keys()].filter((path) => !files.has(path))
    const stats = found.complete ? new Map<string, BigIntStats>() : await FolderWalk.filesOf(root, missing)
    for (const path of missing) {
      const stat = stats.get(path)
      if (stat !== undefined) files.set(path, stat)
      else {
        if (seen.get(path)?.size !== undefined) tell({ _tag: "Gone", path })
        seen.delete(path)
      }
    }

    const due: Array<{ readonly path: string; readonly stat: BigIntStats; readonly before: Seen }> = []
    let free = limits.files - seen.size
    let left = 0
    for (const [path, stat] of files) {
      const before = seen.get(path)
      if (before?.stamp === stampOf(stat)) continue
      if (before === undefined && (free -= 1) < 0) {
        left += 1
        continue
      }
      const current = before ?? { ...unread }
      if (!atOnce && !isAtRest(stat, now) && now - (current.since ||= now) < current.patience) {
        again = true
        // Its place is kept, and so is the moment since which it waits.
        seen.set(path, current)
        continue
      }
      due.push({ path, stat, before: current })
    }
    if (left > 0 || found.overfull) {
      if (!overfull) tell({ _tag: "Overfull", files: limits.files })
      overfull = true
    } else overfull = false

    // Small files first: nobody waits for a film to see a note.
    due.sort((a, b) => Number(a.stat.size - b.stat.size))
    let hashable = hashedPerScan
    const read = async ({ before, path, stat }: (typeof due)[number]) => {
      const opened = await OwnFile.open(trusted, root, path)
      // Gone or replaced since the walk: what is true of it, the next scan tells.
      if (opened === undefined) return
      try {
        const size = Number(opened.stat.size)
        const hash = size <= MediaFile.maxHashed && size <= hashable
        if (hash) hashable -= size
        const { file, head, steady } = await MediaFile.describe(opened, path, { hash, signal })
        if (!steady && !atOnce && isAtRest(stat, now)) {
          again = true
          return
        }
        // Written to in the same tick of the clock as it was read: the stamp would not show it.
        const sure = steady && Date.now() - Number(opened.stat.ctimeMs) >= tick
        if (!sure) again = true
        const atRest = isAtRest(stat, now)
        seen.set(path, {
          stamp: sure ? stampOf(opened.stat) : "",
          md5: file.md5,
          size: file.size,
          at: Date.now(),
          since: 0,
          patience: atRest ? firstPatience : Math.min(2 * before.patience, lastPatience)
        })
        if (isSame(before, file, opened.stat)) return
        const plan = PlanFile.textOf(path, file, head)
        tell({ _tag: "Written", path, file, ...(plan === undefined ? {} : { plan }) })
      } finally {
        await opened.file.close()
      }
    }
    const queue = due.values()
    await Promise.all(
      Array.from({ length: readAtOnce }, async () => {
        for (const one of queue) {
          signal.throwIfAborted()
          await read(one)
        }
      })
    )
    flush()
    return { again, folders: found.folders }
  }
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

const stampOf = ({ ctimeNs, ino, mtimeNs, size }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

const isAtRest = (stat: BigIntStats, now: number): boolean => now - Number(stat.ctimeMs) >= rest

/** Tells whether a file is as it was reported; without a hash its times have to tell. */
const isSame = (before: Seen, file: MediaFile.MediaFile, stat: BigIntStats): boolean =>
  before.size === file.size &&
  (before.md5 === undefined || file.md5 === undefined
    ? before.md5 === file.md5 && Number(stat.ctimeMs) <= before.at
    : before.md5 === file.md5)

const firstPatience = 1000
const lastPatience = 60_000

const unread: Seen = { stamp: "", md5: undefined, size: undefined, at: 0, since: 0, patience: firstPatience }

/** A file that was not written to for so long counts as finished, in milliseconds. */
const rest = 150
/** More than the clock of any file system is coarse, in milliseconds. */
const tick = 50

const perReport = 100
const readAtOnce = 8
const hashedPerScan = 2 * 1024 ** 3
