import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import type { Presence } from "./Presence.ts"

/** The options of a client's IDENTIFY. */
export interface SessionRecord {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  readonly largeThreshold: number
  /** Large payloads are compressed. */
  readonly compress: boolean
  readonly presence: Presence
}

/** An event with its sequence number, as sent to the client. */
export interface Frame {
  readonly sequence: number
  readonly text: string
}

/** A session of an earlier run; `position` is the journal position of its last event. */
export interface RestoredSession {
  readonly record: SessionRecord
  readonly frames: ReadonlyArray<Frame>
  readonly position: number
}

/**
 * The log of one session, written before the client receives an event. After `remove` or `close` its methods do
 * nothing.
 */
export interface SessionLog {
  /** Appends the events of the journal entry at `position`. */
  readonly append: (frames: ReadonlyArray<Frame>, position: number) => void
  /** Appends the record of the session; the last one counts. */
  readonly saveRecord: (record: SessionRecord) => void
  /** Replaces the log. */
  readonly rewrite: (record: SessionRecord, frames: ReadonlyArray<Frame>, position: number) => void
  readonly remove: () => void
  readonly close: () => void
}

/** Stores sessions, so that a client can resume after a restart. */
export interface SessionStore {
  readonly restored: ReadonlyArray<RestoredSession>
  readonly open: (record: SessionRecord) => SessionLog
}

/** Stores nothing: sessions end with the process. */
export const memorySessions: SessionStore = {
  restored: [],
  open: () => ({ append: noop, saveRecord: noop, rewrite: noop, remove: noop, close: noop })
}

/** Keeps each session as `sessions/<id>.jsonl`: a line for its record and one for each event. */
export const folderSessions = (folder: string): SessionStore => {
  const path = join(folder, "sessions")
  const fileOf = (id: string): string => join(path, `${id}.jsonl`)
  const ids = existsSync(path)
    ? readdirSync(path).flatMap((name) => /^([\da-f]{32})\.jsonl$/.exec(name)?.[1] ?? [])
    : []
  const restored = ids.flatMap((id) => {
    const session = readSession(fileOf(id))
    // The client never learned the id of a session without a first line.
    if (session === undefined) rmSync(fileOf(id))
    return session ?? []
  })
  return {
    restored,
    open: (record) => {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      const file = fileOf(record.id)
      // The system reuses a closed descriptor, so it must not be used again.
      let log: number | undefined = openSync(file, "a", 0o600)
      const add = (text: string): void => {
        if (log !== undefined) write(log, text)
      }
      const close = (): boolean => {
        if (log === undefined) return false
        closeSync(log)
        log = undefined
        return true
      }
      return {
        append: (frames, position) => add(linesOf(frames, position)),
        saveRecord: (updated) => add(`${JSON.stringify(updated)}\n`),
        rewrite: (updated, frames, position) => {
          if (log === undefined) return
          const temporaryFile = `${file}.new`
          writeFileSync(temporaryFile, `${JSON.stringify(updated)}\n${linesOf(frames, position)}`, { mode: 0o600 })
          const next = openSync(temporaryFile, "a", 0o600)
          renameSync(temporaryFile, file)
          closeSync(log)
          log = next
        },
        remove: () => {
          if (close()) rmSync(file, { force: true })
        },
        close: () => void close()
      }
    }
  }
}

const noop = (): void => undefined

const linesOf = (frames: ReadonlyArray<Frame>, position: number): string =>
  frames.map(({ sequence, text }) => `${position} ${sequence} ${text}\n`).join("")

const write = (file: number, text: string): void => {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

const readSession = (file: string): RestoredSession | undefined => {
  let record: SessionRecord | undefined
  const frames: Array<Frame> = []
  let position = 0
  // Text after the last line end was never sent: the process ended while writing it.
  for (const line of readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    if (line.startsWith("{")) {
      record = parseRecord(line)
      continue
    }
    const [, at, sequence, text] = /^(\d+) (\d+) (.*)$/s.exec(line) ?? []
    if (at === undefined || sequence === undefined || text === undefined) break
    position = Number(at)
    frames.push({ sequence: Number(sequence), text })
  }
  return record === undefined ? undefined : { record, frames, position }
}

const parseRecord = (line: string): SessionRecord | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "intents" in value ? (value as SessionRecord) : undefined
  } catch {
    // The line is damaged; the client has to identify again.
    return undefined
  }
}
