import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import { MediaCorrupted, MediaTooLarge } from "../ArtifactsError.ts"
import * as Md5 from "./Md5.ts"
import type { ResponseState } from "./MediaResponse.ts"

/** The parts of an entry that identify its file. */
export type File = Pick<ArtifactEntry, "artifact" | "md5" | "url">

/** One download: its progress and the listed size and md5. */
export interface Transfer {
  readonly file: File
  readonly maxBytes: number
  /** The listed size in bytes and the listed md5, where they are valid. */
  readonly size: number | undefined
  readonly md5: string | undefined
  readonly digest: Md5.Md5 | undefined
  progress: ResponseState
  /** How often the download resumed. */
  resumes: number
  /** The entry's url is used, not the address below the sandbox. */
  usesDirectUrl: boolean
  /** The address is on another server than the sandbox. */
  isForeign: boolean
}

/** The connection was lost. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{ readonly reason: string }> {}

/** Makes a download without received bytes. */
export const make = (file: File, maxBytes: number): Transfer => {
  const md5 = md5Of(file)
  return {
    file,
    maxBytes,
    size: sizeOf(file),
    md5,
    digest: md5 === undefined ? undefined : Md5.make(),
    progress: { received: 0, length: undefined, etag: undefined },
    resumes: 0,
    usesDirectUrl: file.url !== undefined,
    isForeign: false
  }
}

/** Checks the announced length. */
export const checkLength = (
  { file: { artifact }, maxBytes, size }: Transfer,
  length: number | undefined
): Effect.Effect<void, MediaCorrupted | MediaTooLarge> => {
  if (length === undefined) return Effect.void
  if (length > maxBytes) return Effect.fail(new MediaTooLarge({ uri: artifact.uri, limit: maxBytes, size: length }))
  return size === undefined || length === size ? Effect.void : Effect.fail(wrongSize(artifact.uri, size, length))
}

/** Counts and digests a chunk. */
export const receive = (transfer: Transfer, bytes: Uint8Array): Effect.Effect<void, MediaCorrupted | MediaTooLarge> => {
  const { digest, file, progress, maxBytes, size } = transfer
  const received = progress.received + bytes.length
  const { uri } = file.artifact
  transfer.progress = { ...progress, received }
  if (received > maxBytes) return Effect.fail(new MediaTooLarge({ uri, limit: maxBytes }))
  if (size !== undefined && received > size) return Effect.fail(wrongSize(uri, size, received))
  digest?.update(bytes)
  return Effect.void
}

/** Fails if the body ended before the announced length. */
export const checkComplete = ({ progress: { length, received } }: Transfer): Effect.Effect<void, ConnectionLost> =>
  length !== undefined && received < length
    ? Effect.fail(new ConnectionLost({ reason: "the connection was closed" }))
    : Effect.void

/** Compares the whole file with the listed size and md5. */
export const verify = ({ digest, file, progress, md5, size }: Transfer): Effect.Effect<void, MediaCorrupted> => {
  const { uri } = file.artifact
  if (size !== undefined && progress.received !== size) return Effect.fail(wrongSize(uri, size, progress.received))
  const actual = digest?.digest()
  return actual === md5
    ? Effect.void
    : Effect.fail(new MediaCorrupted({ uri, property: "md5", expected: md5 ?? "", actual: actual ?? "" }))
}

/**
 * Tells whether the rest can be fetched: nothing has arrived, or the tag or md5 can prove that the file is the same.
 */
export const isResumable = ({ digest, progress: { etag, received } }: Transfer): boolean =>
  received === 0 || etag !== undefined || digest !== undefined

const wrongSize = (uri: string, expected: number, actual: number) =>
  new MediaCorrupted({ uri, property: "size", expected: String(expected), actual: String(actual) })

const sizeOf = ({ artifact }: File): number | undefined =>
  artifact.type === "media" && Number.isSafeInteger(artifact.size) ? artifact.size : undefined

/** Only 32 hexadecimal digits are an md5 that can be compared. */
const md5Of = ({ md5 }: File): string | undefined =>
  md5 !== undefined && /^[0-9a-f]{32}$/i.test(md5) ? md5.toLowerCase() : undefined
