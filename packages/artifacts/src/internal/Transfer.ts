import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import { MediaCorrupted, MediaTooLarge } from "../ArtifactsError.ts"
import * as Md5 from "./Md5.ts"
import type { ResponseState } from "./MediaResponse.ts"

/** The parts of an entry that say which file it is. */
export type File = Pick<ArtifactEntry, "artifact" | "md5" | "url">

/** One download: how far it is, and what its bytes are checked against. */
export interface Transfer {
  readonly file: File
  readonly maxBytes: number
  /** The listed size in bytes, and the listed md5, where they can be relied on. */
  readonly size: number | undefined
  readonly md5: string | undefined
  readonly digest: Md5.Md5 | undefined
  known: ResponseState
  /** How often it went on after a break. */
  resumes: number
  /** The entry's url is used, not the address below the sandbox. */
  usesUrl: boolean
  /** The address is on another server than the sandbox. */
  isForeign: boolean
}

/** The connection broke. */
export class Cut extends Data.TaggedError("Cut")<{ readonly reason: string }> {}

/** A download of which nothing has arrived. */
export const make = (file: File, maxBytes: number): Transfer => {
  const md5 = md5Of(file)
  return {
    file,
    maxBytes,
    size: sizeOf(file),
    md5,
    digest: md5 === undefined ? undefined : Md5.make(),
    known: { received: 0, length: undefined, etag: undefined },
    resumes: 0,
    usesUrl: file.url !== undefined,
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

/** Counts and digests a piece. */
export const receive = (transfer: Transfer, bytes: Uint8Array): Effect.Effect<void, MediaCorrupted | MediaTooLarge> => {
  const { digest, file, known, maxBytes, size } = transfer
  const received = known.received + bytes.length
  const { uri } = file.artifact
  transfer.known = { ...known, received }
  if (received > maxBytes) return Effect.fail(new MediaTooLarge({ uri, limit: maxBytes }))
  if (size !== undefined && received > size) return Effect.fail(wrongSize(uri, size, received))
  digest?.update(bytes)
  return Effect.void
}

/** Fails if the body ended before the announced length. */
export const checkWhole = ({ known: { length, received } }: Transfer): Effect.Effect<void, Cut> =>
  length !== undefined && received < length
    ? Effect.fail(new Cut({ reason: "the connection was closed" }))
    : Effect.void

/** Compares the whole file with the listed size and md5. */
export const verify = ({ digest, file, known, md5, size }: Transfer): Effect.Effect<void, MediaCorrupted> => {
  const { uri } = file.artifact
  if (size !== undefined && known.received !== size) return Effect.fail(wrongSize(uri, size, known.received))
  const actual = digest?.digest()
  return actual === md5
    ? Effect.void
    : Effect.fail(new MediaCorrupted({ uri, property: "md5", expected: md5 ?? "", actual: actual ?? "" }))
}

/** Whether a rest can be fetched: nothing has arrived, or the rest can be shown to be of the same file. */
export const isResumable = ({ digest, known: { etag, received } }: Transfer): boolean =>
  received === 0 || etag !== undefined || digest !== undefined

const wrongSize = (uri: string, expected: number, actual: number) =>
  new MediaCorrupted({ uri, property: "size", expected: String(expected), actual: String(actual) })

const sizeOf = ({ artifact }: File): number | undefined =>
  artifact.type === "media" && Number.isSafeInteger(artifact.size) ? artifact.size : undefined

/** Only 32 hexadecimal digits are an md5 that can be compared. */
const md5Of = ({ md5 }: File): string | undefined =>
  md5 !== undefined && /^[0-9a-f]{32}$/i.test(md5) ? md5.toLowerCase() : undefined
