import type { BigIntStats } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { isPlainName } from "./ArtifactPath.ts"
import { isSingleLinkFile } from "./OwnFile.ts"

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

/** What a walk reads. */
export interface Choice {
  readonly shows: (name: string) => boolean
  /** Leaves out a folder with all that is in it. */
  readonly skips: (path: string) => boolean
}

/**
 * Walks a folder in the order of the system. It calls `enter` for every folder before it reads the names. It omits
 * symbolic links, files with a second name, special files and what the choice leaves out, by default hidden names.
 */
export const walk = async (
  root: string,
  limits: Limits,
  enter: (folder: string, identity: string) => void,
  { shows, skips }: Choice = { shows: isPlainName, skips: () => false }
): Promise<Walk> => {
  const found: Found = {
    shows,
    files: new Map(),
    folders: new Set(),
    omitted: new Set(),
    nameCount: 0,
    isOverfull: false,
    isUnreadable: false,
    isUncertain: false
  }
  const queue: Array<Folder> = [{ path: "", depth: 0 }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const folder = Path.join(root, next.path)
    const stat = await statOf(folder)
    if (stat?.isDirectory() !== true) continue
    found.folders.add(folder)
    enter(folder, `${stat.ino} ${stat.birthtimeNs}`)
    queue.push(...(await readFolder(root, next, limits, found)).filter(({ path }) => !skips(path)))
  }
  const { files, folders, isOverfull, isUncertain, isUnreadable, omitted } = found
  return { files, folders, isOverfull, isComplete: !isUnreadable && !isOverfull, omitted, isUncertain }
}

/** What a walk has found so far. */
interface Found {
  readonly shows: Choice["shows"]
  readonly files: Map<string, BigIntStats>
  readonly folders: Set<string>
  readonly omitted: Set<OmittedKind>
  nameCount: number
  isOverfull: boolean
  /** A folder was deleted meanwhile or cannot be read. */
  isUnreadable: boolean
  isUncertain: boolean
}

/** A folder to read: its path relative to the root, and how many levels below the root it is. */
interface Folder {
  readonly path: string
  readonly depth: number
}

/** Adds the files of one folder to `found`; returns its subfolders. */
const readFolder = async (
  root: string,
  { depth, path }: Folder,
  limits: Limits,
  found: Found
): Promise<ReadonlyArray<Folder>> => {
  const subfolders: Array<Folder> = []
  const pending: Array<string> = []
  try {
    for await (const entry of await Fs.opendir(Path.join(root, path), { bufferSize: 256 })) {
      found.nameCount += 1
      if (found.nameCount > limits.names || found.files.size + pending.length > limits.files) {
        found.isOverfull = true
        break
      }
      if (!found.shows(entry.name)) {
        if (!entry.name.startsWith(".")) found.omitted.add("name")
        continue
      }
      const inner = path === "" ? entry.name : `${path}/${entry.name}`
      if (entry.isFile()) pending.push(inner)
      else if (entry.isSymbolicLink()) found.omitted.add("link")
      else if (entry.isDirectory()) {
        if (depth < limits.depth) subfolders.push({ path: inner, depth: depth + 1 })
        else found.omitted.add("deep")
      }
      if (pending.length >= statBatch) await addFiles(root, pending.splice(0), limits, found)
    }
  } catch {
    // The scan checks the reported files of this folder one by one.
    found.isUnreadable = true
  }
  await addFiles(root, pending, limits, found)
  return subfolders
}

/** Adds those paths to `found` that are regular files with one name. */
const addFiles = async (root: string, paths: ReadonlyArray<string>, limits: Limits, found: Found): Promise<void> => {
  for (const [name, stat] of await statsOf(root, paths)) {
    if (!isSingleLinkFile(stat)) {
      if (!stat.isFile() || found.omitted.has("link")) continue
      if (Date.now() - Number(stat.ctimeMs) >= linkGraceMs) found.omitted.add("link")
      else found.isUncertain = true
    } else if (found.files.size < limits.files) found.files.set(name, stat)
    else found.isOverfull = true
  }
}

/** The stats of those paths that are regular files with one name. */
export const filesOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlyMap<string, BigIntStats>> =>
  new Map([...(await statsOf(root, paths))].filter(([, stat]) => isSingleLinkFile(stat)))

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
