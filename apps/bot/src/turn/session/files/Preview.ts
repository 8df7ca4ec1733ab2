import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import type * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as RetrySchedules from "../../../concurrency/RetrySchedules.ts"
import * as PrivateNetwork from "./PrivateNetwork.ts"

/** No preview can be made: the file is no picture, is damaged or has too many pixels. */
export class NoPreview extends Data.TaggedError("NoPreview")<{ readonly message: string }> {}

/** The bytes of a file, at most `maxBytes`. */
export const download = (
  artifacts: Artifacts.Artifacts["Type"],
  entry: ArtifactEntry,
  maxBytes: number
): Effect.Effect<Uint8Array, Artifacts.DownloadError> =>
  bytesOf(artifacts, entry, maxBytes).pipe(
    Stream.runCollect,
    Effect.map((chunks) => Buffer.concat(Chunk.toArray(chunks)))
  )

/** A part of a file that is too large: the first lines of a text, or a picture with fewer pixels. */
export const make = (
  artifacts: Artifacts.Artifacts["Type"],
  entry: ArtifactEntry,
  kind: "image" | "text"
): Effect.Effect<Uint8Array, Artifacts.DownloadError | NoPreview> =>
  kind === "text"
    ? firstLines(bytesOf(artifacts, entry, Number.MAX_SAFE_INTEGER))
    : Effect.flatMap(download(artifacts, entry, maxImageBytes), shrinkImage)

/** Away for a moment, the file is not gone. */
const bytesOf = (artifacts: Artifacts.Artifacts["Type"], entry: ArtifactEntry, maxBytes: number) =>
  artifacts.download(entry, { maxBytes, otherServers: PrivateNetwork.otherServers, retry: RetrySchedules.artifactFile })

const firstLines = <E>(bytes: Stream.Stream<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
  Effect.suspend(() => {
    let received = 0
    return bytes.pipe(
      Stream.takeUntil((piece) => (received += piece.length) >= previewBytes),
      Stream.runCollect,
      Effect.map((pieces) => {
        const head = Buffer.concat(Chunk.toArray(pieces)).subarray(0, previewBytes)
        const line = head.lastIndexOf("\n")
        return line > 0 ? head.subarray(0, line + 1) : head
      })
    )
  })

const previewBytes = 4096

/** The memory limits of a picture, in bytes and pixels. */
const maxImageBytes = 64 * 1024 * 1024
const maxPixels = 100_000_000

/** Runs outside the event loop and within limits, because a picture may be hostile. */
const shrinkImage = (bytes: Uint8Array): Effect.Effect<Uint8Array, NoPreview> =>
  Effect.tryPromise({
    try: async () => {
      // Native code, which few turns need and some machines lack.
      const { default: sharp } = await import("sharp")
      return await sharp(bytes, { limitInputPixels: maxPixels, pages: 1, failOn: "error" })
        .rotate()
        .resize({ width: 1280, height: 1280, fit: "inside", withoutEnlargement: true })
        .webp({ quality: 80 })
        .timeout({ seconds: 20 })
        .toBuffer()
    },
    catch: (cause) => new NoPreview({ message: `no preview can be made (${String(cause)})` })
  })
