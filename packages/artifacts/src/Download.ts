import * as HttpClient from "@effect/platform/HttpClient"
import type { TicketError } from "@heddle/acp/AcpError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type BadLink, type MediaCorrupted, type MediaTooLarge, SandboxUnavailable } from "./ArtifactsError.ts"
import * as MediaRequest from "./internal/MediaRequest.ts"
import type * as MediaResponse from "./internal/MediaResponse.ts"
import * as Retries from "./internal/Retries.ts"
import type { WithTicket } from "./internal/TicketRenewal.ts"
import * as Transfer from "./internal/Transfer.ts"

export type { File } from "./internal/Transfer.ts"

/** How a file is fetched. */
export interface Options {
  /** The largest accepted file, in bytes. */
  readonly maxBytes: number
  /** Runs after every piece, before the reader gets it. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
  /** How often a download goes on after its connection broke. Default: 8 times. */
  readonly resumes?: number
  /** How long a connection may bring no byte. Default: 30 seconds. */
  readonly idleTimeout?: Duration.DurationInput
}

/** How far a download is, in bytes; `total` is undefined if it is not known. */
export interface Progress {
  readonly received: number
  readonly total: number | undefined
}

/** The errors of a download. */
export type DownloadError =
  | BadLink
  | MediaCorrupted
  | MediaResponse.Refusal
  | MediaTooLarge
  | SandboxUnavailable
  | TicketError

/**
 * Gives the bytes of a file, each once and in order, however often the connection breaks.
 *
 * After a break it requests the rest, if a strong entity tag or the md5 shows that the file is the same; a file that was
 * replaced meanwhile is `MediaChanged`. A first request that fails is repeated only if its server is busy.
 */
export const make =
  (http: HttpClient.HttpClient, withTicket: WithTicket) =>
  (file: Transfer.File, options: Options): Stream.Stream<Uint8Array, DownloadError> =>
    Stream.suspend(() => {
      const client = { http: HttpClient.withScope(http), withTicket, idleTimeout: options.idleTimeout ?? "30 seconds" }
      const transfer = Transfer.make(file, options.maxBytes)
      return Stream.concat(
        attempt(client, transfer, options),
        Stream.execute(Effect.suspend(() => Transfer.verify(transfer)))
      )
    })

/** Fetches the file, or its rest, and goes on after each break. */
const attempt = (
  client: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  options: Options
): Stream.Stream<Uint8Array, DownloadError> =>
  Stream.suspend(() => {
    const isFirst = transfer.resumes === 0
    const body = Effect.map(MediaRequest.open(client, transfer), (opened) => read(client, transfer, options, opened))
    return Stream.unwrapScoped(body).pipe(
      Stream.concat(Stream.execute(Effect.suspend(() => Transfer.checkWhole(transfer)))),
      Stream.catchAll((error) => {
        if (error._tag === "Cut") return resume(client, transfer, options, isFirst, error.reason)
        return !isFirst && error._tag === "SandboxUnavailable" && Retries.isTemporary(error)
          ? resume(client, transfer, options, isFirst, error.message)
          : Stream.fail(error)
      })
    )
  })

/** The new bytes of a response. */
const read = (
  { idleTimeout }: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  { onProgress }: Options,
  { accepted, response }: MediaRequest.Opened
) => {
  let { skip } = accepted
  transfer.known = accepted
  return response.stream.pipe(
    Stream.mapError(MediaRequest.toCut),
    Stream.timeoutFail(() => new Transfer.Cut({ reason: "no more bytes came" }), idleTimeout),
    Stream.map((bytes) => {
      const rest = bytes.subarray(Math.min(skip, bytes.length))
      skip -= bytes.length - rest.length
      return rest
    }),
    Stream.filter((bytes) => bytes.length > 0),
    Stream.tap((bytes) =>
      Effect.zipRight(
        Effect.suspend(() => Transfer.receive(transfer, bytes)),
        Effect.suspend(() => {
          const { known, size } = transfer
          return onProgress?.({ received: known.received, total: known.length ?? size }) ?? Effect.void
        })
      )
    )
  )
}

/** Goes on after a pause, where that is safe and was not tried too often. */
const resume = (
  client: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  options: Options,
  isFirst: boolean,
  reason: string
): Stream.Stream<Uint8Array, DownloadError> => {
  const { length, received } = transfer.known
  const isUnopened = isFirst && received === 0 && length === undefined
  const isResumable = Transfer.isResumable(transfer)
  if (isUnopened || !isResumable || transfer.resumes >= (options.resumes ?? 8)) {
    const came = received === 0 ? "" : ` after ${received} bytes`
    const why = isResumable ? "" : "; its server offers no safe way to go on"
    return Stream.fail(new SandboxUnavailable({ description: `The file cannot be fetched${came}: ${reason}${why}` }))
  }
  const pause = Retries.resumePause(transfer.resumes++)
  return Stream.unwrap(Effect.as(Effect.sleep(pause), attempt(client, transfer, options)))
}
