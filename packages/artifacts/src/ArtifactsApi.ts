import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Open from "@heddle/acp/schema/Open"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ArtifactEntry from "./ArtifactEntry.ts"
import { InvalidQuery, SandboxUnavailable, SessionGone, Unauthorized } from "./ArtifactsError.ts"
import * as Retries from "./internal/Retries.ts"
import { lenientNumber } from "./internal/WireNumber.ts"

/** The query of `GET {sandbox_url}/api/session/artifacts` (contract 4.14). */
export interface Query {
  readonly sessionId?: string
  readonly type?: "plan" | "tasks" | "media" | "overview"
  /** Only what was updated at or after this time, in epoch milliseconds. */
  readonly startMs?: number
  /** Only what was updated at or before this time, in epoch milliseconds. */
  readonly endMs?: number
  /** 1 to 500. Default: the whole list. */
  readonly limit?: number
  readonly offset?: number
}

/** One response of the list. */
export interface Page {
  readonly sessionId?: string
  readonly entries: ReadonlyArray<ArtifactEntry.ArtifactEntry>
  /** The number of elements in the response, unreadable ones included. */
  readonly returned: number
  /** The number of elements in the whole list, if the server says it. */
  readonly total?: number
  /** More pages follow. Where the server does not say it, a full page may have a successor. */
  readonly hasMore: boolean
}

/** The server refused the token; it may accept a renewed one. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>("@heddle/artifacts/TokenRefused")(
  "TokenRefused",
  {}
) {}

/** Why a sandbox would refuse a query; undefined for a valid one. */
export const whyInvalid = ({ endMs, limit, offset, startMs }: Query): string | undefined => {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 500)) {
    return "limit has to be a whole number from 1 to 500"
  }
  const invalidParameter = Object.entries({ startMs, endMs, offset }).find(
    ([, value]) => value !== undefined && !(Number.isSafeInteger(value) && value >= 0)
  )
  return invalidParameter === undefined
    ? undefined
    : `${invalidParameter[0]} has to be a whole number that is not negative`
}

/** Requests one page. */
export const list = Effect.fn("ArtifactsApi.list")(function* (
  http: HttpClient.HttpClient,
  sandboxUrl: string,
  token: Redacted.Redacted,
  query: Query
) {
  const request = HttpClientRequest.get(`${sandboxUrl}/api/session/artifacts`).pipe(
    HttpClientRequest.setUrlParams({ ...query }),
    HttpClientRequest.acceptJson,
    HttpClientRequest.bearerToken(token)
  )
  // The platform's errors contain the request with its token, so only their reason is kept.
  const unavailable = (error: { readonly reason: string }) =>
    new SandboxUnavailable({ description: `The sandbox cannot be reached (${error.reason})` })
  const { body, response } = yield* http.execute(request).pipe(
    Effect.bindTo("response"),
    Effect.bind("body", ({ response }) => readJson(response)),
    Retries.whileConnectionFails,
    Effect.mapError(unavailable),
    Effect.timeoutFail({
      duration: responseTimeout,
      onTimeout: () => new SandboxUnavailable({ description: "The sandbox does not answer in time" })
    })
  )
  const status = response.status
  if (status === 401) return yield* new TokenRefused()
  if (status === 403) return yield* new Unauthorized({ status })
  const description = Option.getOrElse(Option.flatMap(body, decodeError), () => ({ msg: `HTTP status ${status}` })).msg
  if (status === 400) return yield* new InvalidQuery({ description })
  if (status === 404) return yield* new SessionGone({ description })
  const responseBody = status === 200 ? Option.flatMap(body, decodeResponseBody) : Option.none()
  if (Option.isNone(responseBody) || !isSuccess(responseBody.value)) {
    return yield* new SandboxUnavailable({
      description: `The sandbox's answer cannot be used: ${description}`,
      status,
      retryAfter: yield* Retries.readRetryAfterSeconds(response.headers)
    })
  }
  return toPage(responseBody.value, query)
})

/**
 * The JSON of a response, if it is JSON. A response that is too large is not read to its end. Fails if a list breaks
 * off; the body of a refusal does not matter.
 */
const readJson = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.gen(function* () {
    const decoder = new TextDecoder()
    let text = ""
    yield* Stream.runForEachWhile(response.stream, (bytes) => {
      text += decoder.decode(bytes, { stream: true })
      return Effect.succeed(text.length <= maxResponseBytes)
    }).pipe(
      Effect.catchIf(
        ({ reason }) => reason === "EmptyBody" || response.status !== 200,
        () => Effect.void
      )
    )
    return yield* Effect.option(Effect.try((): unknown => JSON.parse(text + decoder.decode())))
  })

/** How long a response may take, and how many characters it may have. */
const responseTimeout = "60 seconds"
const maxResponseBytes = 64 * 1024 * 1024

const ResponseBody = Schema.Struct({
  code: Schema.optional(Schema.Union(Schema.Number, Schema.String, Schema.Null)),
  data: Schema.Struct({
    sessionId: Schema.optional(Schema.NullOr(Schema.String)),
    artifacts: Schema.optional(Schema.NullOr(Schema.Array(Schema.Unknown))),
    pagination: Schema.optional(Schema.Unknown)
  })
})

const Pagination = Schema.Struct({ total: lenientNumber, hasMore: Open.lenient(Schema.Boolean) })

const decodeResponseBody = Schema.decodeUnknownOption(ResponseBody)
const decodePagination = Schema.decodeUnknownOption(Pagination)
const decodeError = Schema.decodeUnknownOption(Schema.Struct({ msg: Schema.String }))

/** Tells whether the code means success (contract decision 6). */
const isSuccess = ({ code }: typeof ResponseBody.Type): boolean => code === "success" || Number(code ?? 0) === 0

const toPage = ({ data }: typeof ResponseBody.Type, { limit, offset = 0 }: Query): Page => {
  const { total, hasMore } = Option.getOrElse(decodePagination(data.pagination), (): typeof Pagination.Type => ({}))
  const returned = data.artifacts?.length ?? 0
  const mayHaveMore = limit !== undefined && (total === undefined ? returned >= limit : offset + returned < total)
  return {
    ...(typeof data.sessionId === "string" ? { sessionId: data.sessionId } : {}),
    entries: (data.artifacts ?? []).map(ArtifactEntry.fromJson).filter((entry) => entry !== undefined),
    returned,
    ...(total === undefined ? {} : { total }),
    hasMore: hasMore ?? mayHaveMore
  }
}
