import type * as HttpClient from "@effect/platform/HttpClient"
import type { TicketError } from "@heddle/acp/AcpError"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { type BadLink, type MediaCorrupted, type MediaTooLarge, SandboxUnavailable } from "./ArtifactsError.ts"
import * as MediaRequest from "./internal/MediaRequest.ts"
import type * as MediaResponse from "./internal/MediaResponse.ts"
import type { WithPause } from "./internal/Pauses.ts"
import * as Retries from "./internal/Retries.ts"
import type { WithTicket } from "./internal/TicketRenewal.ts"
import * as Transfer from "./internal/Transfer.ts"

export type { File } from "./internal/Transfer.ts"

/** How a file is fetched. */
export interface Options {
  /** The largest accepted file, in bytes. */
  readonly maxBytes: number
  /** Runs after every chunk, before the reader gets it. */
  readonly onProgress?: (progress: Progress) => Effect.Effect<void>
  /** How often a download resumes after a lost connection. Default: 8 times. */
  readonly resumes?: number
  /**
   * The client for files on other servers than the sandbox, whose host it gets; undefined stands for the client of the
   * sandbox, as by default. A name may lead into a private network, which only a client sees that connects. A request
   * that it fails with the reason `InvalidUrl` is `NotDownloadable`.
   */
  readonly otherServers?: (sandbox: string) => Effect.Effect<HttpClient.HttpClient | undefined>
  /** How long a connection may be silent. Default: 30 seconds. */
  readonly idleTimeout?: Duration.DurationInput
  /**
   * When a request is repeated that the file's server did not fulfil. Default: `RetryPolicy.busyBackoff` after 429, 502,
   * 503, 504 and failed connections. A schedule of the caller gets every `SandboxUnavailable`.
   */
  readonly retry?: Schedule.Schedule<unknown, SandboxUnavailable>
}

/** The progress of a download in bytes; `total` is undefined if it is unknown. */
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
 * Streams the bytes of a file, each once and in order, across lost connections.
 *
 * After a lost connection it requests the rest, if a strong entity tag or the md5 shows that the file is the same. A
 * file that was replaced meanwhile fails with `MediaChanged`. A request that fails is repeated as for a list.
 */
export const make =
  (http: HttpClient.HttpClient, withTicket: WithTicket, withPause: WithPause) =>
  (file: Transfer.File, options: Options): Stream.Stream<Uint8Array, DownloadError> =>
    Stream.suspend(() => {
      const { idleTimeout = "30 seconds", otherServers, retry } = options
      const client = { http: MediaRequest.withoutSpans(http), withTicket, withPause, otherServers, idleTimeout, retry }
      const transfer = Transfer.make(file, options.maxBytes)
      return Stream.concat(
        attempt(client, transfer, options),
        Stream.execute(Effect.suspend(() => Transfer.verify(transfer)))
      )
    })

/** Fetches the file, or its rest, and resumes after each lost connection. */
const attempt = (
  client: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  options: Options
): Stream.Stream<Uint8Array, DownloadError> =>
  Stream.suspend(() => {
    const isFirst = transfer.resumes === 0
    const body = Effect.map(MediaRequest.open(client, transfer), (openedResponse) =>
      readNewBytes(client, transfer, options, openedResponse)
    )
    return Stream.unwrapScoped(body).pipe(
      Stream.concat(Stream.execute(Effect.suspend(() => Transfer.checkComplete(transfer)))),
      Stream.catchAll((error) => {
        if (error._tag === "ConnectionLost") return resumeAfterPause(client, transfer, options, isFirst, error)
        return !isFirst && error._tag === "SandboxUnavailable" && Retries.isResumable(error)
          ? resumeAfterPause(client, transfer, options, isFirst, error)
          : Stream.fail(error)
      })
    )
  })

/** Streams the bytes of a response that have not arrived before. */
const readNewBytes = (
  { idleTimeout }: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  { onProgress }: Options,
  { accepted, response }: MediaRequest.OpenedResponse
) => {
  let { skip } = accepted
  transfer.progress = accepted
  return response.stream.pipe(
    Stream.mapError(MediaRequest.toConnectionLost),
    Stream.timeoutFail(() => new Transfer.ConnectionLost({ reason: "no more bytes came" }), idleTimeout),
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
          const { progress, size } = transfer
          return onProgress?.({ received: progress.received, total: progress.length ?? size }) ?? Effect.void
        })
      )
    )
  )
}

/** Resumes after a pause, where that is safe and resumes are left. */
const resumeAfterPause = (
  client: MediaRequest.MediaClient,
  transfer: Transfer.Transfer,
  options: Options,
  isFirst: boolean,
  error: Transfer.ConnectionLost | SandboxUnavailable
): Stream.Stream<Uint8Array, DownloadError> => {
  const { length, received } = transfer.progress
  const isUnopened = isFirst && received === 0 && length === undefined
  const isResumable = Transfer.isResumable(transfer)
  if (isUnopened || !isResumable || transfer.resumes >= (options.resumes ?? 8)) {
    const progressText = received === 0 ? "" : ` after ${received} bytes`
    const resumeText = isResumable ? "" : "; its server offers no safe way to go on"
    const reason = error._tag === "ConnectionLost" ? error.reason : error.message
    return Stream.fail(
      new SandboxUnavailable({ description: `The file cannot be fetched${progressText}: ${reason}${resumeText}` })
    )
  }
  const pause = Retries.resumePause(transfer.resumes++, error)
  return Stream.unwrap(Effect.as(Effect.sleep(pause), attempt(client, transfer, options)))
}
