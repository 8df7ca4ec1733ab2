import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { SettingsError } from "../Settings.ts"
import type { Change } from "./Model.ts"

/** The event log of a data folder: one JSON line per change, written before the change is seen by anyone. */
export interface Journal {
  readonly history: ReadonlyArray<Change>
  readonly append: (change: Change) => void
  /** Replaces the log by the snapshot when most of its lines no longer matter. */
  readonly compact: (snapshot: Iterable<Change>) => void
  readonly close: () => void
}

/** Smaller logs are read in no time; rewriting them gains nothing. */
const worthCompacting = 1000

/** Opens the log of a folder. A last line that a killed process left torn is cut off. */
export const openJournal = (folder: string): Journal => {
  const file = join(folder, "events.jsonl")
  const { good, history } = existsSync(file) ? readLog(file) : { good: 0, history: [] }
  let log = openSync(file, "a", 0o600)
  ftruncateSync(log, good)
  let size = good
  return {
    history,
    append: (change) => {
      const line = Buffer.from(`${JSON.stringify(change)}\n`)
      try {
        writeAll(log, line)
        size += line.length
      } catch (cause) {
        // Half a line in the middle would make the rest unreadable.
        ftruncateSync(log, size)
        throw cause
      }
    },
    compact: (snapshot) => {
      const lines = [...snapshot].map((change) => `${JSON.stringify(change)}\n`)
      if (history.length < worthCompacting || history.length < 2 * lines.length) return
      const fresh = `${file}.new`
      const compacted = openSync(fresh, "w", 0o600)
      const bytes = Buffer.from(lines.join(""))
      writeAll(compacted, bytes)
      fsyncSync(compacted)
      closeSync(compacted)
      renameSync(fresh, file)
      closeSync(log)
      log = openSync(file, "a", 0o600)
      size = bytes.length
    },
    close: () => closeSync(log)
  }
}

/** Without a data folder: nothing is kept. */
export const memoryJournal = (): Journal => ({
  history: [],
  append: () => undefined,
  compact: () => undefined,
  close: () => undefined
})

const writeAll = (file: number, bytes: Buffer): void => {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

const readLog = (file: string): { readonly good: number; readonly history: ReadonlyArray<Change> } => {
  const bytes = readFileSync(file)
  const history: Array<Change> = []
  let at = 0
  for (let end = bytes.indexOf(10, at); end >= 0; end = bytes.indexOf(10, at)) {
    const change = parse(bytes.toString("utf8", at, end))
    if (change === undefined) {
      throw new SettingsError(
        `${file} is damaged at byte ${at}; nothing was changed. Restore it from a copy, or move it away to start empty`
      )
    }
    history.push(change)
    at = end + 1
  }
  return { good: at, history }
}

const parse = (line: string): Change | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "kind" in value ? (value as Change) : undefined
  } catch {
    // The caller reports where; the parser's own words would add nothing.
    return undefined
  }
}
