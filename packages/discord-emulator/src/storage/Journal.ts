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
  const descriptor = openSync(file, "a", 0o600)
  ftruncateSync(descriptor, validBytes)
  let log: Log = {
    descriptor,
    size: validBytes,
    lines: entryCount,
    position: header === undefined ? entryCount : header.changes + entryCount - header.lines,
    checkedSize: undefined
  }

  return {
    history,
    journal: {
      begin: (changes) => {
        log = replace(file, log, changes.length, changes)
      },
      append: (change) => {
        log = append(log, change)
      },
      position: () => log.position,
      compact: (snapshot) => {
        const { checkedSize = log.size, lines, position } = log
        const isFirstCheck = log.checkedSize === undefined
        if (isFirstCheck ? lines < compactionThreshold.lines : log.size < compactionThreshold.bytes + 2 * checkedSize) {
          log = { ...log, checkedSize }
          return
        }
        const kept = [...snapshot()]
        log = { ...log, checkedSize: log.size }
        if (isFirstCheck && lines < 2 * kept.length) return
        try {
          log = replace(file, log, position, kept)
        } catch (cause) {
          // The old log is complete, only longer than necessary.
          rmSync(`${file}.new`, { force: true })
          report(
            `discord-emulator: the log was not compacted: ${cause instanceof Error ? cause.message : String(cause)}`
          )
        }
      },
      close: () => closeSync(log.descriptor)
    }
  }
}

/** An open log. */
interface Log {
  readonly descriptor: number
  /** In bytes. */
  readonly size: number
  readonly lines: number
  /** The number of the newest change. */
  readonly position: number
  /** The size at the last check for compaction; the first check counts how much of the opened log is out of date. */
  readonly checkedSize: number | undefined
}

const append = (log: Log, change: Change): Log => {
  const bytes = Buffer.from(`${JSON.stringify(change)}\n`)
  try {
    writeAll(log.descriptor, bytes)
  } catch (cause) {
    // Half a line in the middle would make the rest unreadable.
    ftruncateSync(log.descriptor, log.size)
    throw cause
  }
  return { ...log, size: log.size + bytes.length, lines: log.lines + 1, position: log.position + 1 }
}

/** Replaces a log by these changes, the newest of which has the number `position`. */
const replace = (file: string, log: Log, position: number, kept: ReadonlyArray<Change>): Log => {
  const temporaryFile = `${file}.new`
  rmSync(temporaryFile, { force: true })
  const descriptor = openSync(temporaryFile, "a", 0o600)
  const bytes = Buffer.from(textOf(headerOf(position, kept.length), kept))
  try {
    writeAll(descriptor, bytes)
    fsyncSync(descriptor)
    renameSync(temporaryFile, file)
  } catch (cause) {
    closeSync(descriptor)
    throw cause
  }
  closeSync(log.descriptor)
  return { descriptor, size: bytes.length, lines: kept.length, position, checkedSize: bytes.length }
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
  let line = 0
  for (const text of completeLines(bytes)) {
    line++
    const entry = parse(text)
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
  }
  return { validBytes: bytes.lastIndexOf(10) + 1, header, history }
}

/** The lines one by one: a large log does not fit into one string. */
function* completeLines(bytes: Buffer): Generator<string> {
  for (let from = 0, end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from))
    yield bytes.toString("utf8", from, end)
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
