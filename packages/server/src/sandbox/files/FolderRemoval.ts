import { randomUUID } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as OwnFolder from "../artifacts/OwnFolder.ts"

/**
 * Removes a name in an open folder with all that is below it. Every folder is opened before its names are read, so a
 * link that takes its place meanwhile is removed and never followed. Fails when the signal is aborted.
 */
export const remove = async (parent: OwnFolder.OwnFolder, name: string, signal: AbortSignal): Promise<void> => {
  const path = Path.join(parent.path, name)
  const top = await OwnFolder.openStep(path)
  if (top === undefined) return unlink(path)
  try {
    await empty(top, { top, depth: 1, signal })
  } finally {
    await top.close()
  }
  await Fs.rmdir(path).catch(ignoreOther)
}

interface Place {
  /** The outermost folder that is removed. */
  readonly top: OwnFolder.OwnFolder
  readonly depth: number
  readonly signal: AbortSignal
}

const empty = async (folder: OwnFolder.OwnFolder, place: Place): Promise<void> => {
  // Some caches are write-protected.
  await Fs.chmod(folder.path, 0o700).catch(() => undefined)
  // A list of names may miss some while others are removed.
  for (let hasNames = true; hasNames;) {
    hasNames = false
    for await (const entry of await Fs.opendir(folder.path, { bufferSize: 256 })) {
      place.signal.throwIfAborted()
      const path = Path.join(folder.path, entry.name)
      if (entry.isDirectory()) hasNames = (await removeFolder(path, place)) || hasNames
      else await unlink(path)
    }
  }
}

/** Returns false where the folder stays. */
const removeFolder = async (path: string, { depth, signal, top }: Place): Promise<boolean> => {
  if (depth === maxDepth) {
    // Each level is an open file of the service, so what is nested deeper goes on from the top.
    return Fs.rename(path, Path.join(top.path, randomUUID())).then(() => true, isOther)
  }
  const folder = await OwnFolder.openStep(path)
  if (folder === undefined) return false
  try {
    await empty(folder, { top, depth: depth + 1, signal })
  } finally {
    await folder.close()
  }
  return Fs.rmdir(path).then(() => true, isOther)
}

const unlink = (path: string): Promise<void> => Fs.unlink(path).catch(ignoreOther)

const ignoreOther = (error: NodeJS.ErrnoException): void => void isOther(error)

/** False where something else took the place meanwhile, or nothing is there any more; other errors are thrown. */
const isOther = (error: NodeJS.ErrnoException): false => {
  if (!codes.has(error.code ?? "")) throw error
  return false
}

const codes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EPERM", "EACCES", "ENOTEMPTY", "EEXIST"])

const maxDepth = 64
