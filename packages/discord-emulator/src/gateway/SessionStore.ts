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

/** What a client asked for when it identified. */
export interface SessionRecord {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  readonly largeThreshold: number
  /** Large payloads go out compressed. */
  readonly compress: boolean
  readonly presence: Presence
}

/** An event with its number, as the client got it or will get it. */
export interface Frame {
  readonly sequence: number
  readonly text: string
}

/** A session of an earlier run, and the number of the last change that its events know of. */
export interface RestoredSession {
  readonly record: SessionRecord
  readonly frames: ReadonlyArray<Frame>
  readonly position: number
}

/** The lasting part of one session; everything is written before the client gets it. Once removed or closed it does nothing. */
export interface SessionLog {
  /** Adds events that belong to the change of this number. */
  readonly append: (frames: ReadonlyArray<Frame>, position: number) => void
  /** Notes what the client is now; the newest counts. */
  readonly saveRecord: (record: SessionRecord) => void
  /** Leaves only these. */
  readonly rewrite: (record: SessionRecord, frames: ReadonlyArray<Frame>, position: number) => void
  readonly remove: () => void
  readonly close: () => void
}

/** Where sessions outlive the process, so that a client can resume after a restart. */
export interface SessionStore {
  readonly restored: ReadonlyArray<RestoredSession>
  readonly open: (record: SessionRecord) => SessionLog
}

/** Without a data folder sessions end with the process. */
export const memorySessions: SessionStore = {
  restored: [],
  open: () => ({ append: nothing, saveRecord: nothing, rewrite: nothing, remove: nothing, close: nothing })
}

/** Keeps each session as `sessions/<id>.jsonl`: a line for its record and one for each event. */
export const folderSessions = (folder: string): SessionStore => {
  const path = join(folder, "sessions")
  const fileOf = (id: string): string => join(path, `${id}.jsonl`)
  const ids = existsSync(path)
    ? readdirSync(path).flatMap((name) => /^([\da-f]{32})\.jsonl$/.exec(name)?.[1] ?? [])
    : []
  const restored = ids.flatMap((id) => {
    const found = readSession(fileOf(id))
    // A session whose first line never got written was never told to its client.
    if (found === undefined) rmSync(fileOf(id))
    return found ?? []
  })
  return {
    restored,
    open: (record) => {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      const file = fileOf(record.id)
      // A number is given to the next file or socket as soon as it is closed: nothing may use it after that.
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
        saveRecord: (now) => add(`${JSON.stringify(now)}\n`),
        rewrite: (now, frames, position) => {
          if (log === undefined) return
          const fresh = `${file}.new`
          writeFileSync(fresh, `${JSON.stringify(now)}\n${linesOf(frames, position)}`, { mode: 0o600 })
          const next = openSync(fresh, "a", 0o600)
          renameSync(fresh, file)
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

const nothing = (): void => undefined

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
  // What follows the last line end was torn by the end of the process and never sent.
  for (const line of readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    if (line.startsWith("{")) {
      record = readRecord(line)
      continue
    }
    const [, at, sequence, text] = /^(\d+) (\d+) (.*)$/s.exec(line) ?? []
    if (at === undefined || sequence === undefined || text === undefined) break
    position = Number(at)
    frames.push({ sequence: Number(sequence), text })
  }
  return record === undefined ? undefined : { record, frames, position }
}

const readRecord = (line: string): SessionRecord | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && "intents" in value ? (value as SessionRecord) : undefined
  } catch {
    // Not what this program wrote: the client has to start anew.
    return undefined
  }
}
