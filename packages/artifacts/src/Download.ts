import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { TicketError } from "@heddle/acp/AcpError"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "./ArtifactEntry.ts"
import { TokenRefused } from "./ArtifactsApi.ts"
import { type BadLink, MediaCorrupted, MediaTooLarge, SandboxUnavailable } from "./ArtifactsError.ts"
import * as Busy from "./internal/Busy.ts"
import * as Md5 from "./internal/Md5.ts"
import * as MediaResponse from "./internal/MediaResponse.ts"
import type { Renewing } from "./internal/Renewing.ts"
import * as WithoutRedirects from "./internal/WithoutRedirects.ts"
import * as MediaUrl from "./MediaUrl.ts"
import * as SandboxUrl from "./SandboxUrl.ts"

/** How a file is fetched. */
export interface Options {
  /** The largest file that is taken, in bytes. */
  readonly maxBytes: number
  /** Is told after every piece, before the reader gets it. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
  /** How often a download that was cut goes on by itself; 8 times without it. */
  readonly resumes?: number
  /** After how long without a byte a download counts as cut; 30 seconds without it. */
  readonly idleTimeout?: Duration.DurationInput
}

/** How far a download is, in bytes; `total` is missing where nobody says it. */
export interface Progress {
  readonly received: number
  readonly total: number | undefined
}

/** What can go wrong with a file. */
export type DownloadError =
  | BadLink
  | MediaCorrupted
  | MediaResponse.Refusal
  | MediaTooLarge
  | SandboxUnavailable
  | TicketError

/** The parts of an entry that say which file it is. */
export type File = Pick<ArtifactEntry, "artifact" | "md5" | "url">

/**
 * Gives the bytes of a file, each once and in order, however often the connection breaks.
 *
 * A download that was cut asks for the rest, where a strong entity tag or the md5 shows that it is still the same
 * file; a file that was replaced meanwhile is `MediaChanged`. A first request that fails is not repeated, unless its
 * server is busy.
 */
export const make =
  (client: HttpClient.HttpClient, renewing: Renewing) =>
  (file: File, options: Options): Stream.Stream<Uint8Array, DownloadError> =>
    Stream.suspend(() => {
      const http = HttpClient.withScope(client)
      const { artifact } = file
      const { maxBytes, onProgress } = options
      const idleTimeout = options.idleTimeout ?? "30 seconds"
      const expected = md5Of(file)
      const md5 = expected === undefined ? undefined : Md5.make()
      const size = sizeOf(file)
      const wrong = (property: "md5" | "size", expected = "", actual = "") =>
        new MediaCorrupted({ uri: artifact.uri, property, expected, actual })
      const wrongSize = (actual: number) => wrong("size", String(size), String(actual))
      let known: MediaResponse.Progressed = { received: 0, length: undefined, etag: undefined }
      let resumes = 0
      let direct = file.url !== undefined
      let elsewhere = false

      const request = renewing((value) =>
        Effect.gen(function* () {
          const sandboxUrl = yield* SandboxUrl.fromLink(value.link)
          const { url, withToken } = yield* MediaUrl.resolve(direct ? file : { artifact }, sandboxUrl)
          elsewhere = !withToken
          const headers = {
            "accept-encoding": "identity",
            ...(known.received > 0 ? { range: `bytes=${known.received}-` } : {}),
            ...(known.received > 0 && known.etag !== undefined ? { "if-range": known.etag } : {})
          }
          const response = yield* http
            .execute(
              HttpClientRequest.get(url, { headers }).pipe((plain) =>
                withToken ? HttpClientRequest.bearerToken(plain, value.token) : plain
              )
            )
            .pipe(
              Effect.mapError(toCut),
              Effect.timeoutFail({ duration: idleTimeout, onTimeout: () => new Cut({ reason: "no answer came" }) })
            )
          if (response.status === 401 && withToken) return yield* new TokenRefused()
          const retryAfter = yield* Busy.retryAfter(response.headers)
          return { response, accepted: yield* MediaResponse.accept(response, artifact, known, retryAfter) }
        })
      )

      const open = request.pipe(
        // A direct address is short-lived, and may be nowhere to be asked; the artifact's own names the same file.
        Effect.catchIf(
          (error) =>
            direct &&
            MediaUrl.isBelowSandbox(artifact.uri) &&
            (isExpiry(error) || (elsewhere && known.received === 0 && isAway(error))),
          (error) =>
            Effect.suspend(() => {
              direct = false
              return Effect.catchTag(request, "NotDownloadable", () => Effect.fail(error))
            })
        ),
        Effect.tap(({ accepted: { length } }) => {
          if (length === undefined) return Effect.void
          if (length > maxBytes) {
            return Effect.fail(new MediaTooLarge({ uri: artifact.uri, limit: maxBytes, size: length }))
          }
          return size === undefined || length === size ? Effect.void : Effect.fail(wrongSize(length))
        }),
        Busy.retry,
        WithoutRedirects.run
      )

      const take = (bytes: Uint8Array): Effect.Effect<void, MediaCorrupted | MediaTooLarge> => {
        known = { ...known, received: known.received + bytes.length }
        if (known.received > maxBytes) return Effect.fail(new MediaTooLarge({ uri: artifact.uri, limit: maxBytes }))
        if (size !== undefined && known.received > size) return Effect.fail(wrongSize(known.received))
        md5?.update(bytes)
        if (onProgress === undefined) return Effect.void
        return onProgress({ received: known.received, total: known.length ?? size })
      }

      const body = ({ accepted, response }: Opened) => {
        let { skip } = accepted
        known = accepted
        return response.stream.pipe(
          Stream.mapError(toCut),
          Stream.timeoutFail(() => new Cut({ reason: "no more bytes came" }), idleTimeout),
          Stream.map((bytes) => {
            const rest = bytes.subarray(Math.min(skip, bytes.length))
            skip -= bytes.length - rest.length
            return rest
          }),
          Stream.filter((bytes) => bytes.length > 0),
          Stream.tap(take)
        )
      }

      const isWhole = Effect.suspend(() =>
        known.length !== undefined && known.received < known.length
          ? Effect.fail(new Cut({ reason: "the connection was closed" }))
          : Effect.void
      )

      const attempt: Stream.Stream<Uint8Array, DownloadError> = Stream.suspend(() => {
        const first = resumes === 0
        return Stream.unwrapScoped(Effect.map(open, body)).pipe(
          Stream.concat(Stream.execute(isWhole)),
          Stream.catchAll((error) => {
            const passes = error._tag === "Cut" || (!first && error._tag === "SandboxUnavailable" && isBusy(error))
            if (!passes) return Stream.fail(error)
            return again(error._tag === "Cut" ? error.reason : error.message, first)
          })
        )
      })

      const again = (reason: string, first: boolean): Stream.Stream<Uint8Array, DownloadError> => {
        const unopened = first && known.received === 0 && known.length === undefined
        const same = known.received === 0 || known.etag !== undefined || md5 !== undefined
        if (unopened || !same || resumes >= (options.resumes ?? 8)) {
          const came = known.received === 0 ? "" : ` after ${known.received} bytes`
          const why = same ? "" : "; its server offers no safe way to go on"
          return Stream.fail(
            new SandboxUnavailable({ description: `The file cannot be fetched${came}: ${reason}${why}` })
          )
        }
        const pause = Math.min(firstPause * 3 ** resumes++, longestPause)
        return Stream.unwrap(Effect.as(Effect.sleep(pause), attempt))
      }

      const isIntact = Effect.suspend(() => {
        if (size !== undefined && known.received !== size) return Effect.fail(wrongSize(known.received))
        const actual = md5?.digest()
        return actual === expected ? Effect.void : Effect.fail(wrong("md5", expected, actual))
      })

      return Stream.concat(attempt, Stream.execute(isIntact))
    })

interface Opened {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly accepted: MediaResponse.Accepted
}

/** The connection broke. */
class Cut extends Data.TaggedError("Cut")<{ readonly reason: string }> {}

const firstPause = 100
const longestPause = 8_000

// The platform's errors hold the request with its token, so only their reason goes on.
const toCut = ({ reason }: { readonly reason: string }) => new Cut({ reason: `the connection failed (${reason})` })

/** Tells whether an address does not, or not any more, lead to its file. */
const isExpiry = ({ _tag }: { readonly _tag: string }) =>
  _tag === "Unauthorized" || _tag === "MediaGone" || _tag === "NotDownloadable"

const isAway = ({ _tag }: { readonly _tag: string }) => _tag === "Cut" || _tag === "SandboxUnavailable"

const isBusy = ({ retryAfter = 0, status = 0 }: SandboxUnavailable) =>
  (status === 429 || status >= 500) && retryAfter <= Busy.longestWait

const sizeOf = ({ artifact }: File): number | undefined =>
  artifact.type === "media" && Number.isSafeInteger(artifact.size) ? artifact.size : undefined

/** Nothing but 32 hexadecimal digits is an md5 that can be compared. */
const md5Of = ({ md5 }: File): string | undefined =>
  md5 !== undefined && /^[0-9a-f]{32}$/i.test(md5) ? md5.toLowerCase() : undefined
