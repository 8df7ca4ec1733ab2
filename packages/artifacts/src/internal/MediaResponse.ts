import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Either from "effect/Either"
import type { ArtifactEntry } from "../ArtifactEntry.ts"
import { MediaChanged, MediaGone, NotDownloadable, SandboxUnavailable, Unauthorized } from "../ArtifactsError.ts"

/** What the responses said of a file, and how much of it has arrived. */
export interface ResponseState {
  /** Bytes. */
  readonly received: number
  /** Bytes of the whole, where it is known. */
  readonly length: number | undefined
  /** The strong entity tag: the same tag means the same bytes. */
  readonly etag: string | undefined
}

/** A response to go on with: `skip` bytes of it have arrived already. */
export interface Accepted extends ResponseState {
  readonly skip: number
}

/** Why a response cannot be used. */
export type Refusal = MediaChanged | MediaGone | NotDownloadable | SandboxUnavailable | Unauthorized

/** Checks the response to a request for a file from `received` bytes on. */
export const accept = (
  { headers, status }: Pick<HttpClientResponse.HttpClientResponse, "headers" | "status">,
  { mimeType, uri }: ArtifactEntry["artifact"] & { readonly mimeType?: string | undefined },
  known: ResponseState,
  retryAfter?: number
): Either.Either<Accepted, Refusal> => {
  const { received } = known
  const changed = () => Either.left(new MediaChanged({ uri }))
  const notDownloadable = (description: string) => Either.left(new NotDownloadable({ uri, description }))

  if (status === 401 || status === 403) return Either.left(new Unauthorized({ status }))
  if (status === 404 || status === 410) return Either.left(new MediaGone({ uri }))
  // 0 is what a browser says of a redirect that it was told not to follow.
  if (status === 0 || (status >= 300 && status < 400)) {
    return notDownloadable("The file's server sends its readers elsewhere, where they do not go")
  }
  if (received > 0 && (status === 412 || status === 416)) return changed()
  if (status !== 200 && !(status === 206 && received > 0)) {
    return Either.left(
      new SandboxUnavailable({ description: `The file's server answers with status ${status}`, status, retryAfter })
    )
  }

  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  if (type === "text/event-stream") return notDownloadable("The artifact's address is a channel, not a file")
  if (type === "text/html" && mimeType !== undefined && !/html/i.test(mimeType)) {
    return notDownloadable("The file's server answers with a page instead of the file")
  }

  const etag = strongTag(headers["etag"])
  if (received > 0 && known.etag !== undefined && etag !== known.etag && (status === 200 || etag !== undefined)) {
    return changed()
  }
  if (status === 206) {
    const part = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "")
    if (part === null || Number(part[1]) !== received) {
      return Either.left(new SandboxUnavailable({ description: "The file's server sends another part than was asked" }))
    }
    const length = part[2] === "*" ? known.length : Number(part[2])
    if (known.length !== undefined && length !== known.length) return changed()
    return Either.right({ received, length, etag: known.etag ?? etag, skip: 0 })
  }
  const length = headers["content-encoding"] === undefined ? wholeNumber(headers["content-length"]) : undefined
  if (received > 0 && length !== undefined && known.length !== undefined && length !== known.length) return changed()
  return Either.right({ received, length: length ?? known.length, etag, skip: received })
}

/** A weak tag does not mean the same bytes. */
const strongTag = (tag: string | undefined): string | undefined =>
  tag !== undefined && tag.startsWith('"') ? tag : undefined

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
