import * as HttpClient from "@effect/platform/HttpClient"
import type { TicketError } from "@heddle/acp/AcpError"
import type * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ArtifactEntry } from "./ArtifactEntry.ts"
import type { ArtifactIndex } from "./ArtifactIndex.ts"
import * as ArtifactsApi from "./ArtifactsApi.ts"
import {
  type BadLink,
  InvalidQuery,
  type SandboxUnavailable,
  type SessionGone,
  type Unauthorized
} from "./ArtifactsError.ts"
import * as Download from "./Download.ts"
import * as IndexFollower from "./internal/IndexFollower.ts"
import * as Pauses from "./internal/Pauses.ts"
import * as Pagination from "./internal/Pagination.ts"
import * as Retries from "./internal/Retries.ts"
import * as TicketRenewal from "./internal/TicketRenewal.ts"
import * as WithoutRedirects from "./internal/WithoutRedirects.ts"
import * as SandboxUrl from "./SandboxUrl.ts"

/** The errors of a list. */
export type ListError = BadLink | InvalidQuery | SandboxUnavailable | SessionGone | TicketError | Unauthorized

/** The errors of a download. */
export type DownloadError = Download.DownloadError

/** The changes since a time. */
export interface Since {
  readonly entries: ReadonlyArray<ArtifactEntry>
  /** The `startMs` of the next call, in epoch milliseconds; changes in that millisecond come again. */
  readonly next: number
}

/** A query without paging. */
export type Filter = Omit<ArtifactsApi.Query, "limit" | "offset">

/**
 * What one task's session produced (contract 4.14).
 *
 * A refused token is renewed once per call. A request that a busy sandbox refuses (429, 502, 503, 504), or whose
 * connection fails, is repeated after 1, 2 and 4 s, or after `Retry-After`. After a 429, all lists of the session wait
 * for that time, and so do its downloads after theirs.
 */
export class Artifacts extends Context.Tag("@heddle/artifacts/Artifacts")<
  Artifacts,
  {
    /** One page, or the whole list if the query has no limit. */
    readonly list: (query: ArtifactsApi.Query) => Effect.Effect<ArtifactsApi.Page, ListError>
    /** The whole list, each uri once: read in pages, and by one request if the list changes meanwhile. */
    readonly listAll: (query: Filter) => Effect.Effect<ReadonlyArray<ArtifactEntry>, ListError>
    /**
     * Page after page of `limit` entries, each uri once. Default: 200 entries. If the list changes meanwhile, the last
     * page has all entries that the others missed.
     */
    readonly pages: (query: Omit<ArtifactsApi.Query, "offset">) => Stream.Stream<ArtifactsApi.Page, ListError>
    /** The entries of `pages`, one by one. */
    readonly items: (query: Omit<ArtifactsApi.Query, "offset">) => Stream.Stream<ArtifactEntry, ListError>
    /** The changes at or after `startMs`. Deletions may be missing: a push or a whole list shows them. */
    readonly since: (startMs: number, query?: Omit<Filter, "startMs">) => Effect.Effect<Since, ListError>
    /**
     * The artifacts of a session, kept current: first as listed, then after every push and list.
     *
     * `source` is `AcpSession.changes`. The stream subscribes to it before it reads the list. It reads the list again
     * after every `Ready`, and after a push that could not be read. A small list adds what a push lacks, such as md5
     * and url. A slow reader gets the newest index. A list that fails is requested again for a minute or two; then the
     * stream fails. The stream ends with the source.
     *
     * With `partial` the stream also emits the index before the first list, with `complete: false`. Without a list it
     * then continues with the pushes alone.
     */
    readonly changes: <E, R>(
      source: Stream.Stream<AcpSession.SessionEvent, E, R>,
      options: { readonly sessionId?: string; readonly partial?: boolean }
    ) => Stream.Stream<ArtifactIndex, ListError | E, R>
    /**
     * Runs an effect with each index of `changes` until the session ends. It needs no memory for a stream, which suits
     * programs that follow many sessions.
     */
    readonly follow: <E, R>(
      session: Pick<AcpSession.AcpSession, "follow">,
      options: { readonly sessionId?: string; readonly partial?: boolean },
      use: (index: ArtifactIndex) => Effect.Effect<unknown, E, R>
    ) => Effect.Effect<void, ListError | E, R>
    /**
     * The bytes of a file, at most `maxBytes`, checked against the entry's md5 and the artifact's size.
     *
     * A download resumes after a lost connection. Only the sandbox's origin gets the token, and redirects are not
     * followed.
     */
    readonly download: (file: Download.File, options: Download.Options) => Stream.Stream<Uint8Array, DownloadError>
  }
>() {}

/** Makes the service for the session of a ticket. */
export const make = Effect.gen(function* () {
  const ticket = yield* Ticket.Ticket
  const client = yield* HttpClient.HttpClient
  const http = HttpClient.withTracerPropagation(client, false)
  const withPause = Pauses.of(client)
  const withTicket = TicketRenewal.make(ticket)

  const list = Effect.fn("Artifacts.list")(
    function* (query: ArtifactsApi.Query) {
      const description = ArtifactsApi.whyInvalid(query)
      if (description !== undefined) return yield* new InvalidQuery({ description })
      return yield* withTicket((value) =>
        Effect.flatMap(SandboxUrl.fromLink(value.link), (sandboxUrl) =>
          withPause(`list ${value.link}`)(ArtifactsApi.list(http, sandboxUrl, value.token, query))
        )
      )
    },
    (effect) => Retries.whileBusy(WithoutRedirects.run(effect))
  )

  const listAll = Effect.fn("Artifacts.listAll")((query: Filter) => Pagination.listAll(list, query))

  const pages: Artifacts["Type"]["pages"] = (query) => Pagination.pages(list, query)

  const since = Effect.fn("Artifacts.since")(function* (startMs: number, query: Omit<Filter, "startMs"> = {}) {
    // In one request, because an older artifact could change between two pages.
    const { entries } = yield* list({ ...query, startMs })
    const next = entries.reduce((newest, { artifact }) => Math.max(newest, artifact.updatedAt ?? 0), startMs)
    return { entries, next }
  })

  const makeFollowerOptions = ({
    partial = false,
    sessionId
  }: {
    readonly sessionId?: string
    readonly partial?: boolean
  }) => {
    const query = sessionId === undefined ? {} : { sessionId }
    return {
      sessionId,
      listAll: listAll(query),
      listSince: (startMs: number) => Effect.map(since(startMs, query), ({ entries }) => entries),
      isTemporary,
      partial
    }
  }

  const download = Download.make(http, withTicket, withPause)

  return Artifacts.of({
    list,
    listAll,
    pages,
    items: (query) => Stream.flattenIterables(Stream.map(pages(query), ({ entries }) => entries)),
    since,
    changes: (source, options) =>
      IndexFollower.changes((receive) => Stream.runForEach(source, receive), makeFollowerOptions(options)),
    follow: (session, options, use) =>
      IndexFollower.follow(
        (receive) => session.follow((events) => Effect.forEach(events, receive, { discard: true })),
        makeFollowerOptions(options),
        use
      ),
    download: (file, options) => Stream.withSpan(download(file, options), "Artifacts.download")
  })
})

/** The artifacts of the session behind the `Ticket`. */
export const layer: Layer.Layer<Artifacts, never, Ticket.Ticket | HttpClient.HttpClient> = Layer.effect(Artifacts, make)

const isTemporary = (error: ListError): boolean =>
  error._tag === "SandboxUnavailable" || (error._tag === "TicketError" && !error.gone)
