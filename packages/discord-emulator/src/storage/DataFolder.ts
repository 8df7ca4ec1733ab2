import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SettingsError } from "../settings/Settings.ts"

/** A folder that this process alone may write until it is released. */
export interface DataFolder {
  readonly path: string
  readonly release: () => void
}

/** Makes and locks the folder; throws `SettingsError` when it is not writable or locked by another live process. */
export const openDataFolder = (data: string): DataFolder => {
  const path = resolve(data)
  const lock = join(path, "lock")
  try {
    makeFolder(join(path, "attachments"))
    takeLock(path, lock)
  } catch (cause) {
    if (cause instanceof SettingsError) throw cause
    throw new SettingsError(`data folder ${path} is not writable (${codeOf(cause)}); choose another with --data`)
  }
  heldLocks.add(lock)
  return {
    path,
    release: () => {
      heldLocks.delete(lock)
      rmSync(lock, { force: true })
    }
  }
}

/** Folders of this process: a process id alone cannot tell two emulators in one process apart. */
const heldLocks = new Set<string>()

/**
 * Makes a folder, and those above it, for this user alone: the log contains the bot token. Level by level, because the
 * recursive `mkdirSync` never returns where a folder exists but takes no others, such as `/proc`.
 */
const makeFolder = (path: string): void => {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    // Another process may have created it.
    if (codeOf(cause) !== "EEXIST" || !isFolder(path)) throw cause
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const takeLock = (path: string, lock: string): void => {
  const ownLock = JSON.stringify({ pid: process.pid, started: startOf(process.pid) })
  if (write(lock, ownLock)) return
  const foundLock = readFileSync(lock, "utf8")
  if (isAlive(foundLock, lock)) throw lockedBy(path, foundLock)
  // Two processes may find the same stale lock: the one that moved a newer lock puts it back.
  const movedPath = `${lock}.${process.pid}`
  renameSync(lock, movedPath)
  const movedLock = readFileSync(movedPath, "utf8")
  if (movedLock !== foundLock) {
    linkSync(movedPath, lock)
    rmSync(movedPath)
    throw lockedBy(path, movedLock)
  }
  rmSync(movedPath)
  if (!write(lock, ownLock)) throw lockedBy(path, readFileSync(lock, "utf8"))
}

const lockedBy = (path: string, content: string): SettingsError =>
  new SettingsError(
    `data folder ${path} is in use by another emulator (process ${pidOf(content)}); stop it or choose another with --data`
  )

const write = (lock: string, content: string): boolean => {
  try {
    writeFileSync(lock, content, { flag: "wx", mode: 0o600 })
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  }
}

const isAlive = (content: string, lock: string): boolean => {
  const pid = pidOf(content)
  if (pid === undefined) return false
  if (pid === process.pid) return heldLocks.has(lock)
  try {
    process.kill(pid, 0)
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
  return content === JSON.stringify({ pid, started: startOf(pid) })
}

const pidOf = (content: string): number | undefined => {
  const digits = /"pid":(\d+)/.exec(content)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The start time of a process, since a system restart reuses process ids. Empty where it is unknown. */
const startOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19] ?? ""
  } catch {
    // Only Linux provides it.
    return ""
  }
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
