import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { type JsonObject, checkedAs, isJsonObject, formatValue } from "../validate/Form.ts"
import { SettingsError } from "../settings/Settings.ts"
import { isKnownKind, schemaError } from "./JournalSchema.ts"
import type { Change } from "../model/Records.ts"

/** The event log of a data folder: one JSON line per change, written before any listener sees the change. */
export interface Journal {
  /** Replaces the log by these changes, atomically. */
  readonly begin: (changes: ReadonlyArray<Change>) => void
  readonly append: (change: Change) => void
  /** The number of the newest change, which a compaction does not alter. */
  readonly position: () => number
  /** Replaces the log by the snapshot when most of the log is out of date. */
  readonly compact: (snapshot: () => Iterable<Change>) => void
  readonly close: () => void
}

/** The changes in an opened log, and the journal that appends to it. */
export interface OpenedJournal {
  readonly history: ReadonlyArray<Change>
  readonly journal: Journal
}

/** The log format that this version writes; it refuses newer ones. */
const format = 1

/** The first line of a log. */
interface Header {
  readonly kind: "log"
  readonly format: number
  /** The number of changes and of lines in the snapshot at the beginning. */
  readonly changes: number
  readonly lines: number
}

/** Smaller logs are not compacted. */
const compactionThreshold = { lines: 1000, bytes: 4 * 1024 * 1024 } as const

/** Opens the log of a folder. An incomplete last line of a killed process is removed. */
export const openJournal = (folder: string, report: (line: string) => void): OpenedJournal => {
  const file = join(folder, "events.jsonl")
  const { validBytes, header, history } = existsSync(file) ? readLog(file) : emptyLog
  const entryCount = history.length
  let log = openSync(file, "a", 0o600)
  ftruncateSync(log, validBytes)
  let size = validBytes
  let lines = entryCount
  let position = header === undefined ? entryCount : header.changes + entryCount - header.lines
  // The first check counts how much of the opened log is out of date.
  let snapshotSize: number | undefined

  const write = (text: string): void => {
    const bytes = Buffer.from(text)
    try {
      writeAll(log, bytes)
      size += bytes.length
    } catch (cause) {
      // Half a line in the middle would make the rest unreadable.
      ftruncateSync(log, size)
      throw cause
    }
  }
  const replace = (kept: ReadonlyArray<Change>): void => {
    const temporaryFile = `${file}.new`
    rmSync(temporaryFile, { force: true })
    const next = openSync(temporaryFile, "a", 0o600)
    const bytes = Buffer.from(textOf(headerOf(position, kept.length), kept))
    try {
      writeAll(next, bytes)
      fsyncSync(next)
      renameSync(temporaryFile, file)
    } catch (cause) {
      closeSync(next)
      throw cause
    }
    closeSync(log)
    log = next
    size = snapshotSize = bytes.length
    lines = kept.length
  }

  return {
    history,
    journal: {
      begin: (changes) => {
        position = changes.length
        replace(changes)
      },
      append: (change) => {
        write(`${JSON.stringify(change)}\n`)
        position++
        lines++
      },
      position: () => position,
      compact: (snapshot) => {
        const isFirstCheck = snapshotSize === undefined
        if (
          isFirstCheck ? lines < compactionThreshold.lines : size < compactionThreshold.bytes + 2 * (snapshotSize ?? 0)
        ) {
          snapshotSize ??= size
          return
        }
        const kept = [...snapshot()]
        snapshotSize = size
        if (isFirstCheck && lines < 2 * kept.length) return
        try {
          replace(kept)
        } catch (cause) {
          // The old log is complete, only longer than necessary.
          rmSync(`${file}.new`, { force: true })
          report(
            `discord-emulator: the log was not compacted: ${cause instanceof Error ? cause.message : String(cause)}`
          )
        }
      },
      close: () => closeSync(log)
    }
  }
}

/** Keeps the changes in memory. */
export const memoryJournal = (): OpenedJournal => ({
  history: [],
  journal: {
    begin: () => undefined,
    append: () => undefined,
    position: () => 0,
    compact: () => undefined,
    close: () => undefined
  }
})

const emptyLog: ReadLog = { validBytes: 0, header: undefined, history: [] }

const headerOf = (changes: number, lines: number): Header => ({ kind: "log", format, changes, lines })

const textOf = (header: Header, changes: ReadonlyArray<Change>): string =>
  [header, ...changes].map((entry) => `${JSON.stringify(entry)}\n`).join("")

const writeAll = (file: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

interface ReadLog {
  /** The end of the last complete line. */
  readonly validBytes: number
  /** Logs of the first versions have none. */
  readonly header: Header | undefined
  readonly history: ReadonlyArray<Change>
}

const readLog = (file: string): ReadLog => {
  const bytes = readFileSync(file)
  const history: Array<Change> = []
  let header: Header | undefined
  let at = 0
  for (let end = bytes.indexOf(10, at), line = 1; end >= 0; end = bytes.indexOf(10, at), line++) {
    const entry = parse(bytes.toString("utf8", at, end))
    const refused = (why: string, remedy: string): SettingsError =>
      new SettingsError(`${file}, line ${line}: ${why}; nothing was changed. ${remedy}`)
    if (entry === undefined) throw refused("this is no entry of a log", restore)
    const { kind } = entry
    if (kind === "log" && line === 1) header = readHeader(entry, refused)
    else if (!isKnownKind(kind)) throw refused(`this version knows no "${formatValue(kind)}"`, update)
    else {
      const wrong =
        history.length === 0 && kind !== "realm" ? "it comes before the server it is of" : schemaError(kind, entry)
      if (wrong !== undefined) throw refused(`the ${kind} does not fit: ${wrong}`, restore)
      history.push(checkedAs<Change>(entry))
    }
    at = end + 1
  }
  return { validBytes: at, header, history }
}

const restore = "Restore it from a copy, or move it away to start empty"
const update = "Update the emulator, or choose another folder with --data"

const readHeader = (entry: JsonObject, refused: (why: string, remedy: string) => SettingsError): Header => {
  const { changes, format: writtenFormat, lines } = entry
  if (typeof writtenFormat !== "number" || typeof changes !== "number" || typeof lines !== "number")
    throw refused("this is no beginning of a log", restore)
  if (writtenFormat > format)
    throw refused(
      `it was written by a newer version (log format ${writtenFormat}, this version reads up to ${format})`,
      update
    )
  return { kind: "log", format: writtenFormat, changes, lines }
}

const parse = (line: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    // The caller reports the file and line.
    return undefined
  }
}
