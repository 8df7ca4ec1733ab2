import * as Artifact from "./Artifact.ts"

/** One artifact as the list or a push tells it (spec 2.9, 6). */
export interface ArtifactEntry {
  readonly artifact: Artifact.Artifact
  readonly sessionId?: string
  /** What happened to it last, where that was said. */
  readonly event?: "created" | "updated" | "deleted"
  /** The md5 of the content, in hexadecimal digits; good for telling equal contents, nothing else. */
  readonly md5?: string
  /** Where a media artifact can be fetched directly. */
  readonly url?: string
  /** Of the artifact only type and uri are to be relied on. */
  readonly deleted: boolean
  /** Set by an index: the plan version that was known before, where this one is lower; it is taken all the same. */
  readonly wentBackFrom?: number
}

/** Reads an element of `data.artifacts` or the params of a push; undefined when it names no artifact. */
export const fromJson = (value: unknown): ArtifactEntry | undefined => {
  if (typeof value !== "object" || value === null || !("artifact" in value)) return undefined
  const artifact = Artifact.fromJson(value.artifact)
  if (artifact === undefined) return undefined
  const { sessionId, event, md5, url } = value as Readonly<Record<string, unknown>>
  return {
    artifact,
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(event === "created" || event === "updated" || event === "deleted" ? { event } : {}),
    ...(typeof md5 === "string" ? { md5 } : {}),
    ...(typeof url === "string" && url !== "" ? { url } : {}),
    deleted: event === "deleted"
  }
}
