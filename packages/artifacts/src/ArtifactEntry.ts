import * as Artifact from "./Artifact.ts"
import { largeInteger } from "./internal/WireNumber.ts"

/** One artifact of a list or push (contract 2.9, 6). */
export interface ArtifactEntry {
  readonly artifact: Artifact.Artifact
  readonly sessionId?: string
  /** The last event, if the server sends it. */
  readonly event?: "created" | "updated" | "deleted"
  /** The md5 of the content in hexadecimal digits, for comparing contents. */
  readonly md5?: string
  /** Where a media artifact can be fetched directly. */
  readonly url?: string
  /** The artifact's `updatedAt` in epoch milliseconds, if it is beyond 2^53 and so absent there. */
  readonly updatedAt?: bigint
  /** Of a deleted artifact only type and uri are reliable. */
  readonly deleted: boolean
  /** Set by an index: the previous plan version, if it was higher. */
  readonly wentBackFrom?: number
}

/** Reads an element of `data.artifacts` or the params of a push; undefined without an artifact. */
export const fromJson = (value: unknown): ArtifactEntry | undefined => {
  if (typeof value !== "object" || value === null || !("artifact" in value)) return undefined
  const artifact = Artifact.fromJson(value.artifact)
  if (artifact === undefined) return undefined
  const updatedAt = largeInteger((value.artifact as { readonly updatedAt?: unknown }).updatedAt)
  const { sessionId, event, md5, url } = value as Readonly<Record<string, unknown>>
  return {
    artifact,
    ...(typeof sessionId === "string" ? { sessionId } : {}),
    ...(event === "created" || event === "updated" || event === "deleted" ? { event } : {}),
    ...(typeof md5 === "string" ? { md5 } : {}),
    ...(typeof url === "string" && url !== "" ? { url } : {}),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    deleted: event === "deleted"
  }
}
