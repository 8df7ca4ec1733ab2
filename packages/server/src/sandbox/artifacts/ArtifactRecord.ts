/** The last event of an artifact. */
export type ArtifactEvent = "created" | "updated" | "deleted"

/** The newest state of one artifact; `body` is the artifact as it is on the wire, times are epoch milliseconds. */
export interface ArtifactRecord {
  readonly uri: string
  readonly type: string
  readonly event: ArtifactEvent
  readonly body: Readonly<Record<string, unknown>>
  /** The md5 of a file or text in hex (contract decision 106); empty for a file that is too large. */
  readonly md5: string | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The content of an artifact without its times; a plan may have a version. */
export interface Content {
  readonly uri: string
  readonly type: string
  readonly body: Readonly<Record<string, unknown>>
  readonly md5?: string | undefined
}

/**
 * The record after an artifact was created or overwritten; `updatedAt` always moves forward (contract decision 100).
 */
export const put = (previous: ArtifactRecord | undefined, content: Content, now: number): ArtifactRecord => {
  const current = previous !== undefined && previous.event !== "deleted" ? previous : undefined
  // An agent's own time could move a new artifact into pages that clients have read (contract decision 101).
  const createdAt = current?.createdAt ?? now
  const updatedAt = nextTime(previous, now)
  const version = content.type === "plan" ? { version: nextVersion(current, previous, content) } : {}
  return {
    uri: content.uri,
    type: content.type,
    event: current === undefined ? "created" : "updated",
    body: { ...content.body, type: content.type, uri: content.uri, ...version, createdAt, updatedAt },
    md5: content.md5,
    createdAt,
    updatedAt
  }
}

/**
 * The tombstone of a deleted artifact; it keeps a plan's version, from which a new plan continues.
 */
export const remove = (previous: ArtifactRecord, now: number): ArtifactRecord => {
  const updatedAt = nextTime(previous, now)
  const version = toInteger(previous.body["version"])
  return {
    ...previous,
    event: "deleted",
    body: { type: previous.type, uri: previous.uri, ...(version === undefined ? {} : { version }), updatedAt },
    md5: undefined,
    updatedAt
  }
}

const nextTime = (previous: ArtifactRecord | undefined, now: number) => Math.max(now, (previous?.updatedAt ?? 0) + 1)

/** The next version for a changed text, or the agent's version where that is higher (contract decision 103). */
const nextVersion = (
  current: ArtifactRecord | undefined,
  previous: ArtifactRecord | undefined,
  { body, type }: Content
) => {
  const lastVersion = toInteger(previous?.body["version"]) ?? 0
  const isSameText = lastVersion > 0 && current?.type === type && current.body["text"] === body["text"]
  return isSameText ? lastVersion : Math.max(lastVersion + 1, toInteger(body["version"]) ?? 0)
}

const toInteger = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : undefined
