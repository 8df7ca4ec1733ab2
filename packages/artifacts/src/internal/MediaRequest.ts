import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as Redacted from "effect/Redacted"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { TokenRefused } from "../ArtifactsApi.ts"
import { NotDownloadable, type SandboxUnavailable } from "../ArtifactsError.ts"
import * as MediaUrl from "../MediaUrl.ts"
import * as SandboxUrl from "../SandboxUrl.ts"
import * as MediaResponse from "./MediaResponse.ts"
import * as Retries from "./Retries.ts"
import type { WithPause } from "./Pauses.ts"
import type { WithTicket } from "./TicketRenewal.ts"
import * as Transfer from "./Transfer.ts"
import * as WithoutRedirects from "./WithoutRedirects.ts"

/** How files are requested. */
export interface MediaClient {
  /** Closing the scope ends a response. */
  readonly http: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>
  readonly withTicket: WithTicket
  readonly withPause: WithPause
  readonly otherServers: ((sandbox: string) => Effect.Effect<HttpClient.HttpClient | undefined>) | undefined
  readonly retry: Schedule.Schedule<unknown, SandboxUnavailable> | undefined
  /** How long a server may take for a response, and between two chunks of it. */
  readonly idleTimeout: Duration.DurationInput
}

/** A response that passed the checks. */
export interface OpenedResponse {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly accepted: MediaResponse.Accepted
}

/** Requests the file, or its rest; repeats the request while the server is busy. */
export const open = (client: MediaClient, transfer: Transfer.Transfer) => {
  const attempt = request(client, transfer)
  return attempt.pipe(
    // A direct url is short-lived, and its server may be unreachable; the address below the sandbox names the same
    // file.
    Effect.catchIf(
      (error) => canUseSandboxAddress(transfer) && (isExpired(error) || isForeignUnreachable(transfer, error)),
      (error) =>
        Effect.suspend(() => {
          transfer.usesDirectUrl = false
          // Where that address cannot be fetched either, the first error says more.
          return Effect.catchTag(attempt, "NotDownloadable", () => Effect.fail(error))
        })
    ),
    Effect.tap(({ accepted }) => Transfer.checkLength(transfer, accepted.length)),
    client.retry === undefined ? Retries.whileBusy : Retries.whileUnavailable(client.retry),
    WithoutRedirects.run
  )
}

/** The platform's errors hold the request with its token, so only their reason is kept. */
export const toConnectionLost = ({ reason }: { readonly reason: string }) =>
  new Transfer.ConnectionLost({ reason: `the connection failed (${reason})` })

const request = (client: MediaClient, transfer: Transfer.Transfer) =>
  client.withTicket((value) =>
    Effect.gen(function* () {
      const { file, usesDirectUrl } = transfer
      const sandboxUrl = yield* SandboxUrl.fromLink(value.link)
      const { url, withToken } = yield* MediaUrl.resolve(usesDirectUrl ? file : { artifact: file.artifact }, sandboxUrl)
      transfer.isForeign = !withToken
      const other = withToken ? undefined : yield* client.otherServers?.(new URL(sandboxUrl).hostname) ?? Effect.void
      const withPause = client.withPause(`media ${withToken ? value.link : new URL(url).origin}`)
      const http = other === undefined ? client.http : withoutSpans(other)
      return yield* withPause(send({ ...client, http }, transfer, url, withToken ? value.token : undefined))
    })
  )

/** A client whose responses end with their scope. The address of a file may be signed, so it is kept out of the spans. */
export const withoutSpans = (client: HttpClient.HttpClient): MediaClient["http"] =>
  client.pipe(
    HttpClient.withTracerPropagation(false),
    HttpClient.withTracerDisabledWhen(() => true),
    HttpClient.withScope
  )

/** Sends one request; the token is for the sandbox alone. */
const send = Effect.fnUntraced(function* (
  { http, idleTimeout, retry }: MediaClient,
  transfer: Transfer.Transfer,
  url: string,
  token: Redacted.Redacted | undefined
) {
  const { file, progress } = transfer
  const headers = {
    "accept-encoding": "identity",
    ...(progress.received > 0 ? { range: `bytes=${progress.received}-` } : {}),
    ...(progress.received > 0 && progress.etag !== undefined ? { "if-range": progress.etag } : {})
  }
  const withoutToken = HttpClientRequest.get(url, { headers })
  // The caller's schedule repeats it, or there may be another address for a file at an unreachable foreign server.
  const isRepeatedOutside = retry !== undefined || (token === undefined && canUseSandboxAddress(transfer))
  const response = yield* http
    .execute(token === undefined ? withoutToken : HttpClientRequest.bearerToken(withoutToken, token))
    .pipe(
      Effect.timeoutFail({
        duration: idleTimeout,
        onTimeout: () => new Transfer.ConnectionLost({ reason: "no answer came" })
      }),
      isRepeatedOutside ? identity : Retries.whileConnectionFails,
      Effect.mapError((error) => {
        if (error._tag === "ConnectionLost") return error
        return error.reason === "InvalidUrl"
          ? new NotDownloadable({ uri: file.artifact.uri, description: "The file's server may not be asked" })
          : toConnectionLost(error)
      })
    )
  if (response.status === 401 && token !== undefined) return yield* new TokenRefused()
  const retryAfterSeconds = yield* Retries.readRetryAfterSeconds(response.headers)
  const accepted = yield* MediaResponse.accept(response, file.artifact, progress, retryAfterSeconds)
  return { response, accepted } satisfies OpenedResponse
})

const canUseSandboxAddress = ({ file, usesDirectUrl }: Transfer.Transfer): boolean =>
  usesDirectUrl && MediaUrl.isBelowSandbox(file.artifact.uri)

/** Tells whether an address no longer leads to its file. */
const isExpired = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "Unauthorized" || _tag === "MediaGone" || _tag === "NotDownloadable"

const isForeignUnreachable = (
  { isForeign, progress }: Transfer.Transfer,
  { _tag }: { readonly _tag: string }
): boolean => isForeign && progress.received === 0 && (_tag === "ConnectionLost" || _tag === "SandboxUnavailable")
