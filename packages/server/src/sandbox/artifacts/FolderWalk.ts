import type { BigIntStats } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { isPlainName } from "./ArtifactPath.ts"
import { isOwn } from "./OwnFile.ts"

/** What of a folder is never shown although it may be meant for people. */
export type LeftOut = "deep" | "link" | "name"

/** What stands in a folder and below it. */
export interface Walk {
  /** Of each file, by its path relative to the root: what was read of it. */
  readonly files: ReadonlyMap<string, BigIntStats>
  readonly folders: ReadonlySet<string>
  /** There was more than is looked at. */
  readonly overfull: boolean
  /** Everything was looked at: a file that is not here is gone. */
  readonly complete: boolean
  readonly leftOut: ReadonlySet<LeftOut>
  /** A file has got a second name just now, which may be on its way to be the only one. */
  readonly unsure: boolean
}

/** How much of a folder is looked at. */
export interface Limits {
  readonly files: number
  /** Names of any kind, also of what is left out. */
  readonly names: number
  /** Levels of folders below the root. */
  readonly depth: number
}

/**
 * Walks a folder, in the order in which the system lists it. `enter` is called for every folder before its names are
 * read. Symbolic links, files with a second name, whatever is no regular file, and hidden names are left out.
 */
export const walk = async (
  root: string,
  limits: Limits,
  enter: (folder: string, identity: string) => void
): Promise<Walk> => {
  const files = new Map<string, BigIntStats>()
  const folders = new Set<string>()
  const open: Array<{ readonly path: string; readonly depth: number }> = [{ path: "", depth: 0 }]
  let names = 0
  let overfull = false
  let complete = true
  const leftOut = new Set<LeftOut>()
  let unsure = false

  for (let next = open.shift(); next !== undefined; next = open.shift()) {
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
          if (!stat.isFile() || leftOut.has("link")) continue
          if (Date.now() - Number(stat.ctimeMs) >= passing) leftOut.add("link")
          else unsure = true
        } else if (files.size < limits.files) files.set(name, stat)
        else overfull = true
      }
    }
    try {
      for await (const entry of await Fs.opendir(folder, { bufferSize: 256 })) {
        names += 1
        if (names > limits.names || files.size + pending.length > limits.files) {
          overfull = true
          break
        }
        if (!isPlainName(entry.name)) {
          if (!entry.name.startsWith(".")) leftOut.add("name")
          continue
        }
        const inner = path === "" ? entry.name : `${path}/${entry.name}`
        if (entry.isFile()) pending.push(inner)
        else if (entry.isSymbolicLink()) leftOut.add("link")
        else if (entry.isDirectory()) {
          if (depth < limits.depth) open.push({ path: inner, depth: depth + 1 })
          else leftOut.add("deep")
        }
        if (pending.length >= atOnce) await flush()
      }
    } catch {
      // Gone meanwhile or closed to us; what was known of it is looked at by itself.
      complete = false
    }
    await flush()
  }
  return { files, folders, overfull, complete: complete && !overfull, leftOut, unsure }
}

/** Which of these paths are files of the folder's own, and what is read of them. */
export const filesOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlyMap<string, BigIntStats>> =>
  new Map([...(await statsOf(root, paths))].filter(([, stat]) => isOwn(stat)))

const statsOf = async (root: string, paths: ReadonlyArray<string>): Promise<ReadonlyMap<string, BigIntStats>> => {
  const files = new Map<string, BigIntStats>()
  for (let from = 0; from < paths.length; from += atOnce) {
    const some = paths.slice(from, from + atOnce)
    const stats = await Promise.all(some.map((path) => statOf(Path.join(root, path))))
    some.forEach((path, index) => {
      const stat = stats[index]
      if (stat !== undefined) files.set(path, stat)
    })
  }
  return files
}

/** What stands at a path itself, undefined when there is nothing. */
const statOf = (path: string): Promise<BigIntStats | undefined> =>
  Fs.lstat(path, { bigint: true }).catch(() => undefined)

const atOnce = 32
/** How long a file may have two names while a program replaces another file with it, in milliseconds. */
const passing = 1000
