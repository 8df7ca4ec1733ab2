import { randomUUID } from "node:crypto"
import { int64 } from "../Int64.ts"
import { keepNewest } from "../KeepNewest.ts"
import type { Readings } from "../Readings.ts"

/** What happened to an artifact (2.9). */
export type ArtifactEvent = "created" | "updated" | "deleted"

/** An artifact; its int64 fields are numbers here (2.9). */
export interface Artifact {
  readonly type: string
  readonly uri: string
  readonly createdAt?: number
  readonly updatedAt?: number
  readonly size?: number
  readonly [field: string]: unknown
}

/** An artifact with its last event. */
export interface StoredArtifact {
  readonly event: ArtifactEvent
  readonly artifact: Artifact
  readonly updatedAt: number
  readonly bytes: Uint8Array | undefined
  /** The secret part of the direct URL. */
  readonly mediaKey: string
}

/** The artifacts of a session, by uri (2.9). */
export class Artifacts {
  readonly #stored = new Map<string, StoredArtifact>()

  /** A deleted artifact keeps its type and uri only; an update overwrites all else (6). */
  put(event: ArtifactEvent, artifact: Artifact, bytes?: Uint8Array): StoredArtifact {
    const earlier = this.#stored.get(artifact.uri)
    const now = Date.now()
    const updatedAt = artifact.updatedAt ?? now
    const complete: Artifact =
      event === "deleted"
        ? { type: artifact.type, uri: artifact.uri }
        : {
            ...artifact,
            ...(bytes === undefined ? {} : { size: artifact.size ?? bytes.length }),
            createdAt: artifact.createdAt ?? earlier?.artifact.createdAt ?? now,
            updatedAt
          }
    const stored = {
      event,
      artifact: complete,
      updatedAt,
      bytes: event === "deleted" ? undefined : (bytes ?? earlier?.bytes),
      mediaKey: earlier?.mediaKey ?? randomUUID()
    }
    this.#stored.set(artifact.uri, stored)
    keepNewest(this.#stored)
    return stored
  }

  all(): ReadonlyArray<StoredArtifact> {
    return [...this.#stored.values()]
  }

  /** The artifact as it goes over the wire. */
  static wire(artifact: Artifact, reading: Readings["int64"]): Readonly<Record<string, unknown>> {
    const names = ["createdAt", "updatedAt", "size"] as const
    const numbers = names.flatMap((name) => {
      const value = artifact[name]
      return typeof value === "number" ? [[name, int64(value, reading)] as const] : []
    })
    return { ...artifact, ...Object.fromEntries(numbers) }
  }
}
