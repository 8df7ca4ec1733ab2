import type * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TokenRefused } from "../ArtifactsApi.ts"
import * as MediaUrl from "../MediaUrl.ts"
import * as SandboxUrl from "../SandboxUrl.ts"
import * as MediaResponse from "./MediaResponse.ts"
import * as Retries from "./Retries.ts"
import type { WithTicket } from "./TicketRenewal.ts"
import * as Transfer from "./Transfer.ts"
import * as WithoutRedirects from "./WithoutRedirects.ts"

/** How files are requested. */
export interface MediaClient {
  /** Its responses end with the scope. */
  readonly http: HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope>
  readonly withTicket: WithTicket
  /** How long a server may take for a response, and between two pieces of it. */
  readonly idleTimeout: Duration.DurationInput
}

/** A response to go on with. */
export interface Opened {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly accepted: MediaResponse.Accepted
}

/** Requests the file, or its rest; a busy server is asked again. */
export const open = (client: MediaClient, transfer: Transfer.Transfer) => {
  const attempt = request(client, transfer)
  return attempt.pipe(
    // A direct url is short-lived, and its server may be unreachable; the artifact's own address names the same file.
    Effect.catchIf(
      (error) => hasOtherAddress(transfer) && (isExpired(error) || isForeignAway(transfer, error)),
      (error) =>
        Effect.suspend(() => {
          transfer.usesUrl = false
          return Effect.catchTag(attempt, "NotDownloadable", () => Effect.fail(error))
        })
    ),
    Effect.tap(({ accepted }) => Transfer.checkLength(transfer, accepted.length)),
    Retries.whileBusy,
    WithoutRedirects.run
  )
}

/** The platform's errors hold the request with its token, so only their reason is kept. */
export const toCut = ({ reason }: { readonly reason: string }) =>
  new Transfer.Cut({ reason: `the connection failed (${reason})` })

const request = ({ http, idleTimeout, withTicket }: MediaClient, transfer: Transfer.Transfer) =>
  withTicket((value) =>
    Effect.gen(function* () {
      const { file, known, usesUrl } = transfer
      const sandboxUrl = yield* SandboxUrl.fromLink(value.link)
      const { url, withToken } = yield* MediaUrl.resolve(usesUrl ? file : { artifact: file.artifact }, sandboxUrl)
      transfer.isForeign = !withToken
      const headers = {
        "accept-encoding": "identity",
        ...(known.received > 0 ? { range: `bytes=${known.received}-` } : {}),
        ...(known.received > 0 && known.etag !== undefined ? { "if-range": known.etag } : {})
      }
      const plain = HttpClientRequest.get(url, { headers })
      const response = yield* http.execute(withToken ? HttpClientRequest.bearerToken(plain, value.token) : plain).pipe(
        Effect.mapError(toCut),
        Effect.timeoutFail({
          duration: idleTimeout,
          onTimeout: () => new Transfer.Cut({ reason: "no answer came" })
        })
      )
      if (response.status === 401 && withToken) return yield* new TokenRefused()
      const retryAfter = yield* Retries.retryAfter(response.headers)
      const accepted = yield* MediaResponse.accept(response, file.artifact, known, retryAfter)
      return { response, accepted } satisfies Opened
    })
  )

const hasOtherAddress = ({ file, usesUrl }: Transfer.Transfer): boolean =>
  usesUrl && MediaUrl.isBelowSandbox(file.artifact.uri)

/** Tells whether an address does not, or no longer, lead to its file. */
const isExpired = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "Unauthorized" || _tag === "MediaGone" || _tag === "NotDownloadable"

const isForeignAway = ({ isForeign, known }: Transfer.Transfer, { _tag }: { readonly _tag: string }): boolean =>
  isForeign && known.received === 0 && (_tag === "Cut" || _tag === "SandboxUnavailable")
