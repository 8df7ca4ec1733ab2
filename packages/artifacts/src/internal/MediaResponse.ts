import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Either from "effect/Either"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import { MediaChanged, MediaGone, NotDownloadable, SandboxUnavailable, Unauthorized } from "../ArtifactsError.ts"

/** The received bytes of a file, with its length and tag from the responses. */
export interface ResponseState {
  /** Bytes. */
  readonly received: number
  /** Bytes of the whole file, where the server said it. */
  readonly length: number | undefined
  /** The strong entity tag: the same tag means the same bytes. */
  readonly etag: string | undefined
}

/** A usable response: its first `skip` bytes have arrived before. */
export interface Accepted extends ResponseState {
  readonly skip: number
}

/** Why a response cannot be used. */
export type Refusal = MediaChanged | MediaGone | NotDownloadable | SandboxUnavailable | Unauthorized

/** Checks the response to a request for a file from `received` bytes on. */
export const accept = (
  { headers, status }: Pick<HttpClientResponse.HttpClientResponse, "headers" | "status">,
  { mimeType, uri }: ArtifactEntry["artifact"] & { readonly mimeType?: string | undefined },
  progress: ResponseState,
  retryAfterSeconds?: number
): Either.Either<Accepted, Refusal> => {
  const { received } = progress
  const changed = () => Either.left(new MediaChanged({ uri }))
  const notDownloadable = (description: string) => Either.left(new NotDownloadable({ uri, description }))

  if (status === 401 || status === 403) return Either.left(new Unauthorized({ status }))
  if (status === 404 || status === 410) return Either.left(new MediaGone({ uri }))
  // A browser reports a redirect as status 0 when it may not follow it.
  if (status === 0 || (status >= 300 && status < 400)) {
    return notDownloadable("The file's server sends its readers elsewhere, where they do not go")
  }
  if (received > 0 && (status === 412 || status === 416)) return changed()
  if (status !== 200 && !(status === 206 && received > 0)) {
    return Either.left(
      new SandboxUnavailable({
        description: `The file's server answers with status ${status}`,
        status,
        retryAfter: retryAfterSeconds
      })
    )
  }

  const contentType = headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (contentType === "text/event-stream") return notDownloadable("The artifact's address is a channel, not a file")
  if (contentType === "text/html" && mimeType !== undefined && !/html/i.test(mimeType)) {
    return notDownloadable("The file's server answers with a page instead of the file")
  }

  const etag = readStrongTag(headers["etag"])
  if (received > 0 && progress.etag !== undefined && etag !== progress.etag && (status === 200 || etag !== undefined)) {
    return changed()
  }
  if (status === 206) {
    const contentRange = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "")
    if (contentRange === null || Number(contentRange[1]) !== received) {
      return Either.left(new SandboxUnavailable({ description: "The file's server sends another part than was asked" }))
    }
    const length = contentRange[2] === "*" ? progress.length : Number(contentRange[2])
    if (progress.length !== undefined && length !== progress.length) return changed()
    return Either.right({ received, length, etag: progress.etag ?? etag, skip: 0 })
  }
  const length = headers["content-encoding"] === undefined ? parseWholeNumber(headers["content-length"]) : undefined
  if (received > 0 && length !== undefined && progress.length !== undefined && length !== progress.length)
    return changed()
  return Either.right({ received, length: length ?? progress.length, etag, skip: received })
}

/** A weak tag does not mean the same bytes. */
const readStrongTag = (tag: string | undefined): string | undefined =>
  tag !== undefined && tag.startsWith('"') ? tag : undefined

const parseWholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
