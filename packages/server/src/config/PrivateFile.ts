import * as Fs from "node:fs"

/**
 * Makes sure that a database file exists and that only its owner can read it and its companions. SQLite gives later
 * companions the same permissions.
 */
export const ensure = (path: string): void => {
  // Do not open an existing file: closing it would release the locks of this process on it.
  if (!Fs.existsSync(path)) Fs.closeSync(Fs.openSync(path, "a", mode))
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const stat = Fs.statSync(file, { throwIfNoEntry: false })
    const isOwn = stat !== undefined && (process.getuid === undefined || stat.uid === process.getuid())
    if (isOwn && (stat.mode & 0o077) !== 0) Fs.chmodSync(file, mode)
  }
}

const mode = 0o600
