import { constants } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** An open folder of a task; `path` stays this folder whatever an agent puts in its place. */
export interface OwnFolder {
  readonly path: string
  readonly close: () => Promise<void>
}

/**
 * Opens a folder below a task's folder, and with `create` makes what is missing. Undefined where something else is in
 * the way, such as a symbolic link. Only the parent of the task's folder is out of an agent's reach.
 */
export const open = async (
  taskFolder: string,
  names: ReadonlyArray<string>,
  { create }: { readonly create: boolean }
): Promise<OwnFolder | undefined> => {
  let folder = await openStep(taskFolder)
  for (const name of names) {
    if (folder === undefined) return undefined
    const outer: OwnFolder = folder
    try {
      const path = Path.join(outer.path, name)
      if (create) await makeFolder(path)
      folder = await openStep(path)
    } finally {
      await outer.close()
    }
  }
  if (folder === undefined) return undefined
  const parent = await Fs.realpath(Path.dirname(taskFolder))
  const expectedPath = Path.join(parent, Path.basename(taskFolder), ...names)
  if ((await Fs.realpath(folder.path).catch(() => undefined)) === expectedPath) return folder
  await folder.close()
  return undefined
}

/** Opens a folder by its last name, which must be no link; undefined for anything else. */
export const openStep = async (path: string): Promise<OwnFolder | undefined> => {
  const handle = await Fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    () => undefined
  )
  if (handle === undefined) return undefined
  const procPath = `/proc/self/fd/${handle.fd}`
  const hasProc = await Fs.readlink(procPath).then(
    () => true,
    () => false
  )
  return { path: hasProc ? procPath : path, close: () => handle.close() }
}

const makeFolder = (path: string): Promise<void> =>
  Fs.mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
