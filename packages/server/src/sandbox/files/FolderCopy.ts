import { constants, type Stats } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as OwnFolder from "../artifacts/OwnFolder.ts"

/** What a copy has. */
export interface Copied {
  files: number
  bytes: number
  /** What cannot be copied: unreadable files, pipes and sockets, and folders nested too deep. */
  leftOut: number
}

/**
 * Copies a folder to a new one, for its owner only, also while agents work in it. Links are copied as links and never
 * followed. What is deleted meanwhile is missing; a file that grows is copied as long as it was.
 */
export const copy = async (from: string, to: string): Promise<Copied> => {
  const copied: Copied = { files: 0, bytes: 0, leftOut: 0 }
  await copyFolder(from, to, 1, copied)
  return copied
}

const copyFolder = async (from: string, to: string, depth: number, copied: Copied): Promise<void> => {
  // Each level is an open file of this process.
  const folder = depth > maxDepth ? undefined : await OwnFolder.openStep(from)
  if (folder === undefined) return void (copied.leftOut += 1)
  try {
    await Fs.mkdir(to, { mode: 0o700 })
    for await (const entry of await Fs.opendir(folder.path, { bufferSize: 256 })) {
      const [source, target] = [Path.join(folder.path, entry.name), Path.join(to, entry.name)]
      if (entry.isDirectory()) await copyFolder(source, target, depth + 1, copied)
      else if (entry.isSymbolicLink()) await Fs.symlink(await Fs.readlink(source), target).catch(unlessGone(copied))
      else if (entry.isFile()) await copyFile(source, target, copied).catch(unlessGone(copied))
      else copied.leftOut += 1
    }
  } finally {
    await folder.close()
  }
}

const copyFile = async (from: string, to: string, copied: Copied): Promise<void> => {
  const source = await Fs.open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await source.stat()
    if (!stat.isFile()) return void (copied.leftOut += 1)
    await writeFile(source, stat, to)
    copied.files += 1
    copied.bytes += stat.size
  } finally {
    await source.close()
  }
}

const writeFile = async (source: Fs.FileHandle, { atime, mode, mtime, size }: Stats, to: string): Promise<void> => {
  const target = await Fs.open(to, "wx", (mode & 0o700) | 0o600)
  try {
    if (size > 0) {
      const content = source.createReadStream({ start: 0, end: size - 1, autoClose: false })
      for await (const chunk of content) await target.writeFile(chunk as Buffer)
    }
    await target.utimes(atime, mtime)
  } finally {
    await target.close()
  }
}

/** Leaves out what an agent has deleted, replaced or locked meanwhile; other errors, such as a full disk, are thrown. */
const unlessGone =
  (copied: Copied) =>
  (error: NodeJS.ErrnoException): void => {
    if (error.code === "ENOENT") return
    if (!["EACCES", "EPERM", "ELOOP", "EINVAL", "ENXIO"].includes(error.code ?? "")) throw error
    copied.leftOut += 1
  }

const maxDepth = 200
