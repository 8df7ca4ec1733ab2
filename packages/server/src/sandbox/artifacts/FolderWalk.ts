import type { BigIntStats } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { isPlainName } from "./ArtifactPath.ts"
import { isOwn } from "./OwnFile.ts"

/** The kinds of entries that are never shown. */
export type OmittedKind = "deep" | "link" | "name"

/** The content of a folder and its subfolders. */
export interface Walk {
  /** The stat of each file by its path relative to the root. */
  readonly files: ReadonlyMap<string, BigIntStats>
  readonly folders: ReadonlySet<string>
  /** The folder has more than the limits. */
  readonly isOverfull: boolean
  /** The walk saw everything: a missing file is deleted. */
  readonly isComplete: boolean
  readonly omitted: ReadonlySet<OmittedKind>
  /** A file got a second name a moment ago; a program may be renaming it. */
  readonly isUncertain: boolean
}

/** The limits of a walk. */
export interface Limits {
  readonly files: number
  /** Names of any kind, also of omitted entries. */
  readonly names: number
  /** Levels of folders below the root. */
  readonly depth: number
}

/**
 * Walks a folder in the order of the system. It calls `enter` for every folder before it reads the names. It omits
 * symbolic links, files with a second name, special files and hidden names.
 */
export const walk = async (
  root: string,
  limits: Limits,
  enter: (folder: string, identity: string) => void
): Promise<Walk> => {
  const files = new Map<string, BigIntStats>()
  const folders = new Set<string>()
  const queue: Array<{ readonly path: string; readonly depth: number }> = [{ path: "", depth: 0 }]
  let nameCount = 0
  let isOverfull = false
  let isComplete = true
  const omitted = new Set<OmittedKind>()
  let isUncertain = false

  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { path, depth } = next
    const folder = Path.join(root, path)
    const stat = await statOf(folder)
    if (stat?.isDirectory() !== true) continue
    folders.add(folder)
    enter(folder, `${stat.ino} ${stat.birthtimeNs}`)
    let pending: Array<string> = []
    const flush = async () => {
      const batch = pending
      pending = []
      for (const [name, stat] of await statsOf(root, batch)) {
        if (!isOwn(stat)) {
          if (!stat.isFile() || omitted.has("link")) continue
          if (Date.now() - Number(stat.ctimeMs) >= linkGraceMs) omitted.add("link")
          else isUncertain = true
        } else if (files.size < limits.files) files.set(name, stat)
        else isOverfull = true
      }
    }
    try {
      for await (const entry of await Fs.opendir(folder, { bufferSize: 256 })) {
        nameCount += 1
        if (nameCount > limits.names || files.size + pending.length > limits.files) {
          isOverfull = true
          break
        }
        if (!isPlainName(entry.name)) {
          if (!entry.name.startsWith(".")) omitted.add("name")
          continue
        }
        const inner = path === "" ? entry.name : `${path}/${entry.name}`
        if (entry.isFile()) pending.push(inner)
        else if (entry.isSymbolicLink()) omitted.add("link")
        else if (entry.isDirectory()) {
          if (depth < limits.depth) queue.push({ path: inner, depth: depth + 1 })
          else omitted.add("deep")
        }
        if (pending.length >= statBatch) await flush()
      }
    } catch {
      // Deleted meanwhile or not readable; the scan checks the reported files in it one by one.
      isComplete = false
    }
    await flush()
  }
  return { files, folders, isOverfull, isComplete: isComplete && !isOverfull, omitted, isUncertain }
}

/** The stats of those paths that are regular files with one name. */
export const filesOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlyMap<string, BigIntStats>> =>
  new Map([...(await statsOf(root, paths))].filter(([, stat]) => isOwn(stat)))

const statsOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlyMap<string, BigIntStats>> => {
  const files = new Map<string, BigIntStats>()
  for (let from = 0; from < paths.length; from += statBatch) {
    const batch = paths.slice(from, from + statBatch)
    const stats = await Promise.all(batch.map((path) => statOf(Path.join(root, path))))
    batch.forEach((path, index) => {
      const stat = stats[index]
      if (stat !== undefined) files.set(path, stat)
    })
  }
  return files
}

/** The stat of a path without following links; undefined when there is none. */
const statOf = (path: string): Promise<BigIntStats | undefined> =>
  Fs.lstat(path, { bigint: true }).catch(() => undefined)

const statBatch = 32
/** How long a file may have two names while a program renames it. */
const linkGraceMs = 1000
