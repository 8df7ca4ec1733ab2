import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { TicketError } from "@heddle/acp/AcpError"
import * as Ticket from "@heddle/acp/Ticket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "./ArtifactEntry.ts"
import * as ArtifactsApi from "./ArtifactsApi.ts"
import {
  type BadLink,
  type InvalidQuery,
  MediaGone,
  MediaTooLarge,
  type NotDownloadable,
  SandboxUnavailable,
  type SessionGone,
  Unauthorized
} from "./ArtifactsError.ts"
import * as MediaUrl from "./MediaUrl.ts"
import * as SandboxUrl from "./SandboxUrl.ts"

/** What can go wrong with a list. */
export type ListError = BadLink | InvalidQuery | SandboxUnavailable | SessionGone | TicketError | Unauthorized

/** What can go wrong with a file. */
export type DownloadError =
  | BadLink
  | MediaGone
  | MediaTooLarge
  | NotDownloadable
  | SandboxUnavailable
  | TicketError
  | Unauthorized

/** What one task's session produced (spec 4.14). A refused token is renewed once per call. */
export class Artifacts extends Context.Tag("@heddle/artifacts/Artifacts")<
  Artifacts,
  {
    /** One page, or everything when the query has no limit. */
    readonly list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, ListError>
    /** All pages, each uri once; read again when the list changes meanwhile. */
    readonly listAll: (
      query: Omit<ArtifactsApi.Query, "limit" | "offset">
    ) => Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
    /** The bytes of a media artifact, at most `maxBytes`; the token goes to the sandbox's own origin only. */
    readonly download: (
      entry: Pick<ArtifactEntry, "artifact" | "url">,
      options: { readonly maxBytes: number }
    ) => Stream.Stream<Uint8Array, DownloadError>
  }
>() {}

/** Serves the session behind a ticket. */
export const make = Effect.gen(function* () {
  const ticket = yield* Ticket.Ticket
  const http = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)

  const renewing = <A, E, R>(
    use: (value: Ticket.TicketValue) => Effect.Effect<A, E | ArtifactsApi.TokenRefused, R>
  ): Effect.Effect<A, Exclude<E, ArtifactsApi.TokenRefused> | TicketError | Unauthorized, R> =>
    ticket.current.pipe(
      Effect.flatMap((value) =>
        use(value).pipe(Effect.catchIf(isTokenRefused, () => Effect.flatMap(ticket.renew(value), use)))
      ),
      Effect.catchIf(isTokenRefused, () => Effect.fail(new Unauthorized({ status: 401 })))
    ) as Effect.Effect<A, Exclude<E, ArtifactsApi.TokenRefused> | TicketError | Unauthorized, R>

  const list = Effect.fn("Artifacts.list")(function* (query: ArtifactsApi.Query) {
    return yield* renewing((value) =>
      Effect.flatMap(SandboxUrl.fromLink(value.link), (sandboxUrl) =>
        ArtifactsApi.list(http, sandboxUrl, value.token, query)
      )
    )
  }, withoutRedirects)

  const readAll = (query: ArtifactsApi.Query) =>
    Effect.gen(function* () {
      const entries = new Map<string, ArtifactEntry>()
      let total: number | undefined
      let moved = false
      for (let offset = 0, more = true; more; offset += pageSize) {
        const page = yield* list({ ...query, limit: pageSize, offset })
        moved ||= total !== undefined && page.total !== undefined && page.total !== total
        total = page.total
        for (const entry of page.entries) entries.set(entry.artifact.uri, entry)
        more = page.hasMore && page.entries.length > 0
      }
      return { entries: [...entries.values()], moved }
    })

  const listAll = Effect.fn("Artifacts.listAll")(function* (query: Omit<ArtifactsApi.Query, "limit" | "offset">) {
    let last = yield* readAll(query)
    for (let again = 0; last.moved && again < 3; again++) last = yield* readAll(query)
    return last.entries
  })

  const open = (entry: Pick<ArtifactEntry, "artifact" | "url">, maxBytes: number) =>
    renewing((value) =>
      Effect.gen(function* () {
        const { uri } = entry.artifact
        const sandboxUrl = yield* SandboxUrl.fromLink(value.link)
        const { url, withToken } = yield* MediaUrl.resolve(entry, sandboxUrl)
        const request = HttpClientRequest.get(url).pipe((plain) =>
          withToken ? HttpClientRequest.bearerToken(plain, value.token) : plain
        )
        const response = yield* Effect.mapError(http.execute(request), unavailable)
        const { status } = response
        if (status === 401 && withToken) return yield* new ArtifactsApi.TokenRefused()
        if (status === 401 || status === 403) return yield* new Unauthorized({ status })
        if (status === 404 || status === 410) return yield* new MediaGone({ uri })
        if (status !== 200) {
          return yield* new SandboxUnavailable({
            description: `The file's server answers with status ${status}`,
            status
          })
        }
        const size = Number(response.headers["content-length"] ?? Number.NaN)
        if (size > maxBytes) return yield* new MediaTooLarge({ uri, limit: maxBytes, size })
        return response
      })
    ).pipe(withoutRedirects)

  const download: Artifacts["Type"]["download"] = (entry, { maxBytes }) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const response = yield* open(entry, maxBytes)
        const seen = yield* Ref.make(0)
        return HttpClientResponse.stream(Effect.succeed(response)).pipe(
          Stream.mapError(unavailable),
          Stream.tap((bytes) =>
            Effect.flatMap(
              Ref.updateAndGet(seen, (count) => count + bytes.length),
              (count) =>
                count > maxBytes
                  ? Effect.fail(new MediaTooLarge({ uri: entry.artifact.uri, limit: maxBytes }))
                  : Effect.void
            )
          )
        )
      }).pipe(Effect.withSpan("Artifacts.download"))
    )

  return Artifacts.of({ list, listAll, download })
})

/** The artifacts of the session behind the `Ticket`. */
export const layer: Layer.Layer<Artifacts, never, Ticket.Ticket | HttpClient.HttpClient> = Layer.effect(Artifacts, make)

const pageSize = 200

const isTokenRefused = (error: unknown): error is ArtifactsApi.TokenRefused =>
  error instanceof ArtifactsApi.TokenRefused

// A redirect would carry the token elsewhere; the answer's status is an error instead.
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, FetchHttpClient.RequestInit, { redirect: "manual" })

// The platform's errors hold the request with its token, so only their reason goes on.
const unavailable = (error: { readonly reason: string }) =>
  new SandboxUnavailable({ description: `The file cannot be fetched (${error.reason})` })
