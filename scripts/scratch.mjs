// The folder for the files of tests, in memory if there is space: every commit of every store waits for its medium. The tests
// prove what survives the end of a process, not a power failure.
import { chmodSync, mkdtempSync, statfsSync } from "node:fs"

/** Makes the folder; undefined where the tests use the usual one. */
export const makeScratch = () => {
  if (process.platform !== "linux" || process.env.TMPDIR !== undefined) return undefined
  try {
    const { bavail, bsize } = statfsSync("/dev/shm")
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    const folder = mkdtempSync("/dev/shm/heddle-test-")
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o711)
    return folder
  } catch {
    // No such folder, or no access for this user: the tests use the disk.
    return undefined
  }
}
