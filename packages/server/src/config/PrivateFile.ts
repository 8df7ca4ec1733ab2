import * as Fs from "node:fs"

/**
 * Makes sure that a database file exists and that it and its companions can be read by their owner only. SQLite gives
 * the companions that it makes later the same rights.
 */
export const ensure = (path: string): void => {
  // An existing file is not opened: closing it again would free the locks that this process holds on it.
  if (!Fs.existsSync(path)) Fs.closeSync(Fs.openSync(path, "a", mode))
  for (const each of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    const stat = Fs.statSync(each, { throwIfNoEntry: false })
    const mine = stat !== undefined && (process.getuid === undefined || stat.uid === process.getuid())
    if (mine && (stat.mode & 0o077) !== 0) Fs.chmodSync(each, mode)
  }
}

const mode = 0o600
