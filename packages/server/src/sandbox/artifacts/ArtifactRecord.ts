/** What happened to an artifact last. */
export type Event = "created" | "updated" | "deleted"

/** The newest state of one artifact; `body` is the artifact as it is on the wire, times are epoch milliseconds. */
export interface ArtifactRecord {
  readonly uri: string
  readonly type: string
  readonly event: Event
  readonly body: Readonly<Record<string, unknown>>
  /** Of a file's bytes or a text, in hex (contract decision 106); empty for a file too large for it. */
  readonly md5: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** What is said about an artifact; the times and a plan's version are filled in where they are missing. */
export interface Content {
  readonly uri: string
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  readonly md5?: string | undefined
}

/**
 * The record after an artifact was created or overwritten; `updatedAt` always moves forward (contract decision 100).
 */
export const put = (before: ArtifactRecord | undefined, content: Content, now: number): ArtifactRecord => {
  const alive = before !== undefined && before.event !== "deleted" ? before : undefined
  // An agent's own time would put a new artifact into pages that were read already (contract decision 101).
  const createdAt = alive?.createdAt ?? now
  const updatedAt = nextTime(before, now)
  const version = content.type === "plan" ? { version: nextVersion(alive, before, content) } : {}
  return {
    uri: content.uri,
    type: content.type,
    event: alive === undefined ? "created" : "updated",
    body: { ...content.body, type: content.type, uri: content.uri, ...version, createdAt, updatedAt },
    md5: content.md5,
    createdAt,
    updatedAt
  }
}

/**
 * The tombstone of an artifact that is gone; it keeps a plan's version, so that a plan that comes back goes on from
 * it.
 */
export const remove = (before: ArtifactRecord, now: number): ArtifactRecord => {
  const updatedAt = nextTime(before, now)
  const version = number(before.body["version"])
  return {
    ...before,
    event: "deleted",
    body: { type: before.type, uri: before.uri, ...(version === undefined ? {} : { version }), updatedAt },
    md5: undefined,
    updatedAt
  }
}

const nextTime = (before: ArtifactRecord | undefined, now: number) => Math.max(now, (before?.updatedAt ?? 0) + 1)

/** One more than before for another text, or what the agent says where that is more (contract decision 103). */
const nextVersion = (
  alive: ArtifactRecord | undefined,
  before: ArtifactRecord | undefined,
  { body, type }: Content
) => {
  const last = number(before?.body["version"]) ?? 0
  const same = last > 0 && alive?.type === type && alive.body["text"] === body["text"]
  return same ? last : Math.max(last + 1, number(body["version"]) ?? 0)
}

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
