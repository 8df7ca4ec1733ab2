import { constants, type BigIntStats } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** A file of a task, open for reading. The caller closes it. */
export interface OwnFile {
  readonly file: Fs.FileHandle
  readonly stat: BigIntStats
}

/**
 * Opens a regular file below `root`; undefined when there is none. Safe against changes to the folders meanwhile.
 * Pipes, devices, hard links and paths with a symbolic link below `trustedFolder` are refused without blocking.
 * `trustedFolder` is a folder above `root` in which no agent works.
 */
export const open = async (trustedFolder: string, root: string, path: string): Promise<OwnFile | undefined> => {
  const fullPath = Path.join(root, path)
  const file = await Fs.open(fullPath, readOnlyNoFollow).catch(() => undefined)
  // Deleted, unreadable or replaced by a link.
  if (file === undefined) return undefined
  try {
    const stat = await file.stat({ bigint: true })
    if (isSingleLinkFile(stat)) {
      const expectedPath = Path.join(await Fs.realpath(trustedFolder), Path.relative(trustedFolder, root), path)
      if ((await realPathOf(file, stat, fullPath)) === expectedPath) return { file, stat }
    }
  } catch {
    // The file was deleted meanwhile.
  }
  await file.close()
  return undefined
}

/** Tells whether a stat is of a regular file with one name only. */
export const isSingleLinkFile = (stat: BigIntStats): boolean => stat.isFile() && stat.nlink === 1n

const readOnlyNoFollow = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** The real path of an open file; the path it was opened by may lead elsewhere now. */
const realPathOf = async (file: Fs.FileHandle, opened: BigIntStats, path: string): Promise<string | undefined> => {
  const procPath = await Fs.readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  if (procPath !== undefined) return procPath
  // Without /proc, the file at the resolved path must be the open one.
  const real = await Fs.realpath(path)
  const stat = await Fs.lstat(real, { bigint: true })
  return stat.ino === opened.ino && stat.dev === opened.dev ? real : undefined
}
